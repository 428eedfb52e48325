// Futures give objects too: who imports this has HalyardCodable and Halyard.
@_exported public import HalyardCodable
