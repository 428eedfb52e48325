import Halyard

struct User: Codable, Sendable { var name = "" }

// error: cannot find type 'Endpoint' in scope
func send(_ endpoint: Endpoint<Void, User>) {}
