// Awaits also decode objects, so this module re-exports HalyardCodable, which re-exports Halyard.
@_exported public import HalyardCodable
