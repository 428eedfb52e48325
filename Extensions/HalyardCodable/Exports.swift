// Objects are read from Halyard's responses, so this module exports Halyard.
@_exported public import Halyard
