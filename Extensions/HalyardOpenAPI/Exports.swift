// Generated code imports this module and Foundation only.
@_exported public import HalyardEndpoints
