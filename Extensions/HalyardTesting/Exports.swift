// Whoever stubs a transport writes methods, headers and errors: one import brings them.
@_exported public import HalyardHTTP
