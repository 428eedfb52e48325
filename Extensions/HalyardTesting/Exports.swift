// Whoever stubs an API writes its client, routes, JSON and errors: one import brings them.
@_exported public import Halyard
