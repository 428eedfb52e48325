import Foundation
import HalyardTesting
import TestSupport
import Testing

@Suite("Connections of the server", .timeLimit(.minutes(3)))
struct ConnectionTests {
    @Test func oneConnectionServesManyRequests() throws {
        let server = try LoopbackServer().on(.get, "/", .text("hello"))
        let client = try RawClient(port: server.port)
        for _ in 0..<3 { #expect(try client.exchange("GET", "/").body == "hello") }
        #expect(server.connectionCount == 1)
        #expect(server.requests.map(\.connection) == [0, 0, 0])
    }

    @Test(arguments: [(0, []), (3, ["/17", "/18", "/19"]), (100, (0..<20).map { "/\($0)" })])
    func onlyTheLatestRequestsAreKept(limit: Int, targets: [String]) throws {
        let server = try LoopbackServer(recordLimit: limit).on(.get, "/*", .status(200))
        let client = try RawClient(port: server.port)
        for n in 0..<20 { _ = try client.exchange("GET", "/\(n)") }
        #expect(server.requests.map(\.target) == targets)
    }

    @Test func connectionsAreNumbered() throws {
        let server = try LoopbackServer().on(.get, "/", .text("hello"))
        for _ in 0..<2 { _ = try RawClient(port: server.port).exchange("GET", "/") }
        #expect(server.requests.map(\.connection) == [0, 1])
        #expect(server.connectionCount == 2)
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() throws {
        let server = try LoopbackServer().on(.post, "/{n}") { .text("\($0.target)=\($0.text)") }
        let client = try RawClient(port: server.port)
        let requests = (0..<500).map { "POST /\($0) HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nab\($0 % 10)" }
        try client.send(requests.joined())
        for n in 0..<500 { #expect(try client.answer().body == "/\(n)=ab\(n % 10)") }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nConnection: TE, Close\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
    ])
    func theClientEndsTheConnection(request: String) throws {
        let server = try LoopbackServer().on(.get, "/", .text("hello"))
        let client = try RawClient(port: server.port)
        try client.send(request)
        let answer = try client.answer()
        #expect(answer.headers["Connection"] == "close")
        #expect(answer.body == "hello")
        #expect(try client.rest() == "")
    }

    @Test(arguments: [
        StubResponse.text("bye").closingConnection(), .text("bye", headers: ["Connection": "close"]),
    ])
    func theAnswerEndsTheConnection(response: StubResponse) throws {
        let server = try LoopbackServer().on(.get, "/", response)
        let client = try RawClient(port: server.port)
        let answer = try client.exchange("GET", "/")
        #expect(answer.headers.values(for: "Connection") == ["close"])
        #expect(try client.rest() == "")
    }

    @Test func anAnswerSurvivesBytesThatNobodyReads() throws {
        let server = try LoopbackServer().on(.get, "/", .text("bye").closingConnection())
        let client = try RawClient(port: server.port)
        try client.request("GET", "/")
        try client.send(String(repeating: "unread ", count: 100_000))
        #expect(try client.rest().hasSuffix("bye"))
    }

    @Test func stopEndsConnectionsAndPort() throws {
        let server = try LoopbackServer().on(.get, "/", .text("hello"))
        let (idle, used) = (try RawClient(port: server.port), try RawClient(port: server.port))
        _ = try used.exchange("GET", "/")
        server.stop()
        server.stop()
        #expect(try used.rest() == "")
        // The idle one was perhaps never accepted: it is reset then.
        #expect((try? idle.rest()) ?? "" == "")
        #expect(server.openConnectionCount == 0)
        #expect(server.requests.count == 1)
        #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
    }

    @Test func theLastReferenceStopsTheServer() throws {
        var server: LoopbackServer? = try LoopbackServer().on(.get, "/", .text("hello"))
        let port = try #require(server?.port)
        let client = try RawClient(port: port)
        _ = try client.exchange("GET", "/")
        server = nil
        #expect(try client.rest() == "")
        #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
    }

    @Test func stopLetsGoOfClosures() throws {
        weak var gone: LoopbackServer?
        do {
            let server = try LoopbackServer()
            server.on(.get, "/") { _ in .text("\(server.port)") }
            gone = server
            server.stop()
        }
        #expect(gone == nil)
    }

    @Test func openConnectionsAreCounted() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("hello"))
        var clients = try (0..<3).map { _ in try RawClient(port: server.port) }
        for client in clients { _ = try client.exchange("GET", "/") }
        #expect(server.openConnectionCount == 3)
        clients.removeLast()
        try await eventually("one is closed") { server.openConnectionCount == 2 }
        #expect(server.connectionCount == 3)
    }

    @Test func aDelayEndsWithTheClient() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("late").delayed(by: .seconds(600)))
        var client: RawClient? = try RawClient(port: server.port)
        try client?.request("GET", "/")
        try await eventually("it has arrived") { server.requests.count == 1 }
        #expect(server.openConnectionCount == 1)
        client = nil
        try await eventually("it is closed") { server.openConnectionCount == 0 }
    }

    @Test func aDelayEndsWithTheServer() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("late").delayed(by: .seconds(600)))
        let client = try RawClient(port: server.port)
        try client.request("GET", "/")
        try await eventually("it has arrived") { server.requests.count == 1 }
        server.stop()
        #expect(try client.rest() == "")
    }

    @Test func aDelayedAnswerComesLater() throws {
        let delay = Duration.milliseconds(50)
        let server = try LoopbackServer().on(.get, "/", .text("late").delayed(by: delay))
        let client = try RawClient(port: server.port)
        let took = try ContinuousClock().measure { _ = try client.exchange("GET", "/") }
        #expect(took >= delay)
        #expect(try client.exchange("GET", "/").body == "late")
    }

    @Test func twoHundredClientsAtOnce() async throws {
        let server = try LoopbackServer().on(.get, "/{n}") { .text($0.pathParameters["n"] ?? "") }
        let clients = try (0..<200).map { _ in try RawClient(port: server.port) }
        for (n, client) in clients.enumerated() { try client.request("GET", "/\(n)") }
        for (n, client) in clients.enumerated() { #expect(try client.answer().body == "\(n)") }
        #expect(server.openConnectionCount == 200)
        #expect(Set(server.requests.map(\.connection)) == Set(0..<200))
    }

    @Test func aServerThatIsGoneLeavesNoDescriptors() async throws {
        #if os(Linux)
            // Other tests of this process open descriptors, too, so only a leak of one per round can be noticed.
            let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            for _ in 0..<1000 {
                let server = try LoopbackServer().on(.get, "/", .text("hello"))
                let client = try RawClient(port: server.port)
                _ = try client.exchange("GET", "/")
            }
            try await eventually("the descriptors are closed") {
                let now = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
                return (now ?? .max) < before + 450
            }
        #endif
    }
}
