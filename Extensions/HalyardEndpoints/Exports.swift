// An endpoint's value is awaited or a future: who imports this has both.
@_exported public import HalyardAsync
@_exported public import HalyardFutures
