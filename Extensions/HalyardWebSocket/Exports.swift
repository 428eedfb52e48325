// A socket is used with await, so this module re-exports HalyardAsync, which re-exports Halyard.
@_exported public import HalyardAsync
