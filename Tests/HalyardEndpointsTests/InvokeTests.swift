import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// `invoke`, the short form that Kilo has, with its rules for arguments.
@Suite(.timeLimit(.minutes(3)))
struct InvokeTests {
    private let server: LoopbackServer
    private let api: TestAPI

    struct Item: Codable, Sendable, Equatable {
        var description: String
        var price: Int
    }

    init() throws {
        server = try LoopbackServer.accepting()
        api = TestAPI(server)
    }

    @Test("invoke returns a value according to its type: an object, JSON, text, bytes or nothing")
    func values() async throws {
        server.on(.get, "/api/test/fibonacci", .json([0, 1, 1, 2, 3, 5, 8, 13]))
        let fibonacci: [Int] = try await api.invoke(.get, "test/fibonacci", arguments: ["count": 8])
        #expect(fibonacci == [0, 1, 1, 2, 3, 5, 8, 13])
        #expect(try server.wire == "GET /api/test/fibonacci?count=8 ")
        #expect(try await api.invoke(.get, "test/fibonacci", returning: JSON.self)[7].int == 13)
        #expect(try await api.invoke(.get, "test/fibonacci", returning: Data.self).count == 18)
        try await api.invoke(.delete, "items/\(7)")
        #expect(try server.wire == "DELETE /api/items/7 ")
        try await api.invoke(.get, "test/fibonacci")
    }

    @Test(
        "arguments go into the query for all methods except POST, whatever the provider's default", .behaviors(21),
        arguments: [HTTPMethod.get, .put, .patch, .delete])
    func query(method: HTTPMethod) async throws {
        try await api.invoke(method, "test", arguments: ["id": 101, "s": "a b"])
        #expect(try server.wire == "\(method) /api/test?id=101&s=a%20b ")
        try await api.invoke(method, "test", arguments: ["id": 101], content: .text("hello"))
        #expect(try server.wire == "\(method) /api/test?id=101 hello")
    }

    @Test(
        "arguments of a POST go into the body, or into the query if the call has its own body", .behaviors(22, 33, 34))
    func post() async throws {
        try await api.invoke(.post, "test", arguments: ["id": 101])
        #expect(try server.wire == #"POST /api/test {"id":101}"#)
        try await api.invoke(.post, "test", arguments: ["id": 101, "s": "a b"], encoding: .form)
        #expect(try server.wire == "POST /api/test id=101&s=a%20b")
        try await api.invoke(.post, "test", arguments: ["a": 1], encoding: .multipart)
        #expect(try ParsedForm(try #require(server.requests.last)).texts == ["1"])
        let item = Item(description: "abc", price: 150)
        try await api.invoke(.post, "test", arguments: ["id": 101], content: .json(item))
        #expect(try server.wire == #"POST /api/test?id=101 {"description":"abc","price":150}"#)
        try await api.invoke(.post, "test", content: .data(Data([1, 2]), contentType: "image/png"))
        #expect(server.requests.last?.headers[.contentType] == "image/png" && server.requests.last?.body.count == 2)
    }

    @Test("a serializer gets the content, the media type and the headers, and may throw", .behaviors(80))
    func serializer() async throws {
        struct Refused: Error {}
        server.on(.get, "/api/x", .text("3 of 4", headers: ["X-Count": "4"]))
        let parts = ResponseSerializer { response in
            "\(response.text)|\(response.mediaType ?? "")|\(response.headers["X-Count"] ?? "")"
        }
        #expect(try await api.request(Route(path: "x")).value(parts) == "3 of 4|text/plain|4")
        await #expect(throws: Refused.self) {
            try await api.request(Route(path: "x")).value(ResponseSerializer<Int> { _ in throw Refused() })
        }
    }

    @Test("a Result arrives on the main actor after a serializer that ran on another thread")
    func callbacks() async throws {
        server.on(.get, "/api/x", .json([1, 2]), .json([1, 2]), .status(403))
        let decoded: Result<[Int], any Error> = await withCheckedContinuation { continuation in
            api.invoke(.get, "x") { (result: Result<[Int], any Error>) in
                MainActor.assertIsolated()
                continuation.resume(returning: result)
            }
        }
        #expect(try decoded.get() == [1, 2])
        let counted: Result<Int, any Error> = await withCheckedContinuation { continuation in
            let size = ResponseSerializer { response in
                #expect(!isOnMainQueue())
                return response.data.count
            }
            api.request(Route(path: "x")).responseValue(size) {
                MainActor.assertIsolated()
                continuation.resume(returning: $0.result)
            }
        }
        #expect(try counted.get() == 5)
        let refused: Result<Void, any Error> = await withCheckedContinuation { continuation in
            api.invoke(.get, "x") { (result: Result<Void, any Error>) in continuation.resume(returning: result) }
        }
        #expect(throws: HTTPError.status(403)) { try refused.get() }
    }

    @Test("an invocation can be canceled", .behaviors(106))
    func cancelled() async throws {
        let (arrived, gate) = (Counter(), Gate())
        defer { gate.open() }
        server.on(.get, "/api/x") { _ in
            arrived.increment()
            gate.wait()
            return .status(200)
        }
        let log = Log<HTTPError?>()
        let request = api.invoke(.get, "x") { (result: Result<Data, any Error>) in
            if case .failure(let error) = result { log.add(error as? HTTPError) }
        }
        try await eventually("it has arrived") { arrived.count == 1 }
        request.cancel()
        try await eventually("it is told") { log.entries.count == 1 }
        #expect(log.entries.first??.kind == .cancelled)
    }

    @Test("an invocation can be synchronous", .examples("K2"))
    func synchronous() async throws {
        server.on(.get, "/api/test/fibonacci", .json([0, 1, 1, 2, 3, 5, 8, 13]))
        let route = Route(path: "test/fibonacci", params: ["count": 8])
        let response = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [api] in
                continuation.resume(returning: api.call(route.returning([Int].self)).perform())
            }
        }
        #expect(response.body == [0, 1, 1, 2, 3, 5, 8, 13])
        #expect(try server.wire == "GET /api/test/fibonacci?count=8 ")
    }
}
