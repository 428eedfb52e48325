// Who imports Halyard has the messages and errors as well.
@_exported public import HalyardHTTP
