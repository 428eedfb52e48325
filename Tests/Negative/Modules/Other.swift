// Another package, with a type whose name Halyard has as well.
public struct HTTPRequest {}
