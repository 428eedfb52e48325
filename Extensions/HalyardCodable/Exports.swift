// Objects are read from Halyard's responses: who imports this has all of that.
@_exported public import Halyard
