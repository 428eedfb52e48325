@_exported import Halyard
