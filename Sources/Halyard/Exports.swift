// Halyard exports the messages and errors of HalyardHTTP.
@_exported public import HalyardHTTP
