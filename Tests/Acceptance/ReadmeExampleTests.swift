import Foundation
import HalyardAsync
import HalyardFutures
import HalyardTesting
import TestSupport
import Testing

/// Part C of the acceptance table: the examples of Kilo's READMEs, in Halyard's spelling.
@Suite(.timeLimit(.minutes(3)))
struct ReadmeExampleTests {
    /// Kilo's `WebServiceProxy`, whose POST arguments are forms.
    struct Service: HTTPProvider {
        let baseURL: URL
        func defaultEncoding(for method: HTTPMethod) -> ParameterEncoding { method == .post ? .form : .url }
    }

    private let server: LoopbackServer
    private let service: Service

    init() throws {
        server = try LoopbackServer()
        service = Service(baseURL: server.baseURL.appending(path: "service"))
    }

    @Test("a request with a query delivers a Result to a callback", .examples("K1"))
    func fibonacci() async throws {
        server.on(.get, "/service/test/fibonacci", .json([0, 1, 1, 2, 3, 5, 8, 13]), .status(403))
        let log = Log<String>()
        for _ in 0..<2 {
            await withCheckedContinuation { continuation in
                service.request(.fibonacci(count: 8)).responseObject { (response: Response<[Int]>) in
                    MainActor.assertIsolated()
                    switch response.result {
                    case .success(let value): log.add("\(value)")
                    case .failure(let error): log.add(error.localizedDescription)
                    }
                    continuation.resume()
                }
            }
        }
        #expect(log.entries == ["[0, 1, 1, 2, 3, 5, 8, 13]", "403 Forbidden"])
        #expect(
            server.requests.map { "\($0.method) \($0.target) \($0.text)" }[0] == "GET /service/test/fibonacci?count=8 ")
        #expect(server.requests[0].headers[.contentType] == nil)
    }

    @Test("a request returns no value, a value, or its response", .examples("K3"))
    func overloads() async throws {
        server.on(.delete, "/service/items/7", .status(204))
        let delete = Route(path: "/items/\(7)", method: .delete, params: ["soft": true])
        try await service.request(delete).void()
        try await service.request(delete).value(.void)

        server.on(.post, "/service/items", .json(User(id: "1", name: "Ann")))
        let post = Route(path: "items", method: .post, params: ["name": "Ann B", "tags": ["a", "b"]])
        let user: User = try await service.request(post).object()
        #expect(user == User(id: "1", name: "Ann"))

        server.on(.put, "/service/items", .text("3 of 4", headers: ["X-Count": "4"]))
        let parts = ResponseSerializer { response in
            [String(decoding: response.data, as: UTF8.self), response.mediaType, response.headers["X-Count"]]
        }
        let content = Route(
            path: "items", method: .put, params: ["id": 5], body: .text("new", contentType: "text/x-note"))
        #expect(try await service.request(content).value(parts) == ["3 of 4", "text/plain", "4"])
        struct Refused: Error {}
        let refusing = ResponseSerializer<Int> { _ in throw Refused() }
        await #expect(throws: Refused.self) { try await service.request(content).value(refusing) }
        let refused = await response { service.request(content).responseValue(refusing, $0) }
        #expect(refused.error is Refused && refused.status == 200)

        #expect(
            server.requests.prefix(4).map { "\($0.method) \($0.target) \($0.text)" } == [
                "DELETE /service/items/7?soft=true ", "DELETE /service/items/7?soft=true ",
                "POST /service/items name=Ann%20B&tags=a&tags=b", "PUT /service/items?id=5 new",
            ])
        #expect(server.requests[2].headers[.contentType] == "application/x-www-form-urlencoded")
        #expect(server.requests[3].headers[.contentType] == "text/x-note")
    }

    @Test("a request returns a string", .examples("K4"))
    func hello() async throws {
        server.on(.get, "/service/hello", .json("Hello, World!"))
        let hello: String = try await service.request(.hello).object()
        #expect(hello == "Hello, World!")
        #expect(try await service.request(.hello).value(.object(String.self)) == "Hello, World!")
        #expect(server.requests.allSatisfy { $0.target == "/service/hello" && $0.body.isEmpty })
    }

    @Test("a route takes two arguments", .examples("K5"))
    func sum() async throws {
        server.on(.get, "/service/math/sum?a=2&b=4", .json(6.0))
        #expect(try await service.request(.sum(2, 4)).object(Double.self) == 6)
        #expect(try server.request.target == "/service/math/sum?a=2&b=4")
    }

    @Test("a route sends a list in its query", .examples("K6"))
    func sumOfList() async throws {
        server.on(.get, "/service/math/sum") { request in
            .json(request.queryItems.compactMap { $0.name == "values" ? Double($0.value) : nil }.reduce(0, +))
        }
        #expect(try await service.request(.sum(of: [1, 2, 3, 4])).object(Double.self) == 10)
        #expect(try server.request.target == "/service/math/sum?values=1&values=2&values=3&values=4")
    }
}

extension Route {
    fileprivate static let hello = Route(path: "/hello")
    fileprivate static func fibonacci(count: Int) -> Route { Route(path: "test/fibonacci", params: ["count": count]) }
    fileprivate static func sum(_ a: Int, _ b: Int) -> Route { Route(path: "/math/sum", params: ["a": a, "b": b]) }
    fileprivate static func sum(of values: [Int]) -> Route { Route(path: "/math/sum", params: ["values": values]) }
}
