@_exported public import Halyard
