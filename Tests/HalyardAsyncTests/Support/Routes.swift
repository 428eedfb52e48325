import Halyard

extension Route {
    static let me = Route(path: "/me")
    static func user(_ id: String) -> Route { Route(path: "/user/\(id)") }
}
