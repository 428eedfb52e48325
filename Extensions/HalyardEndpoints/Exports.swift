// Endpoints return futures and support `await`, so this module exports both modules.
@_exported public import HalyardAsync
@_exported public import HalyardFutures
