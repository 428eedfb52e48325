import Halyard
import Testing

/// A literal is always a path. The overload for strings, which exists only for its message, must not be chosen.
struct RouteLiteralTests {
    @Test func whatIsInterpolatedIsEscapedInEveryPlace() {
        let (id, maybe) = ("a/b", String?.none)
        let make = { @Sendable (id: String) in Route(path: "/\(id)") }
        let typed: @Sendable (String) -> Route = { .init(path: "/\($0)") }
        let routes = [
            Route(path: "/\(id)"), Route(path: "/\(id)", method: .get, params: ["a": 1]), .init(path: "/\(id)"),
            Route(path: id.isEmpty ? "/" : "/\(id)"), Route(path: maybe.map { "/x\($0)" } ?? "/\(id)"),
            Route(path: ("/\(id)")), make(id), typed(id),
        ]
        #expect(routes.map(\.description) == Array(repeating: "GET /a%2Fb", count: routes.count))
    }
}
