import Foundation
import HalyardTesting
@testable import HalyardWebSocket
import TestSupport
import Testing

/// The handshake as a request through the pipeline.
@Suite(.timeLimit(.minutes(3)))
struct OpeningTests {
    private let route = Route(path: "/feed")

    /// A server that answers each connection with the next response, and the last one with 101.
    private func server(_ responses: String..., heads: Log<String> = Log()) throws -> ScriptedServer {
        try ScriptedServer { connection in
            guard connection.number < responses.count else {
                guard let peer = Peer(connection) else { return }
                heads.add(peer.head)
                return peer.echo()
            }
            guard let head = connection.readHead() else { return }
            heads.add(head)
            connection.write(responses[connection.number])
        }
    }

    @Test func `the request has the provider's headers, parameters and cookies, and ws maps to http`() async throws {
        let heads = Log<String>()
        let server = try server(heads: heads)
        let jar = CookieJar()
        try jar.set(Cookie("id", "7", domain: "127.0.0.1"))
        let base = try #require(URL(string: "ws" + server.baseURL.absoluteString.dropFirst(4) + "/v1"))
        let api = API(baseURL: base, client: .test(configuration: .init(cookies: jar)))
        let socket = try await api.webSocket(
            Route(path: "/feed", params: ["q": "a b"], headers: ["Origin": "https://a"]))
        try await socket.close()
        let url = try #require(socket.url.absoluteString.split(separator: "/v1").first)
        let other = try await api.webSocket(Route(url: #require(URL(string: "\(url)/x"))))
        try await other.close()
        let head = try #require(heads.entries.first)
        #expect(head.hasPrefix("GET /v1/feed?q=a%20b HTTP/1.1\r\nHost: 127.0.0.1:"))
        for line in ["Accept: */*", "User-Agent: Halyard", "Origin: https://a", "Cookie: id=7", "Connection: Upgrade"] {
            #expect(head.contains("\r\n\(line)\r\n"))
        }
        #expect(heads.entries.last?.hasPrefix("GET /x HTTP/1.1\r\n") == true)
    }

    @Test func `a token is renewed after a 401, and each attempt has its own key`() async throws {
        let heads = Log<String>()
        let server = try server("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", heads: heads)
        let api = API(
            baseURL: server.baseURL, authentication: .bearer(TokenSource("old") { _ in "new" }, allowsHTTP: true))
        let socket = try await api.webSocket(route)
        try await socket.close()
        #expect(heads.entries.map { Peer.value("Authorization", in: $0) } == ["Bearer old", "Bearer new"])
        #expect(Set(heads.entries.map { Peer.value("Sec-WebSocket-Key", in: $0) }).count == 2)
        #expect(socket.response.sendCount == 2)
    }

    @Test func `a host that wants https gets no handshake over http`() async throws {
        let store = HSTSStore()
        let client = HTTPClient.test(configuration: .init(policies: [.hsts(store)]))
        let web = StubTransport().on(.get, "/", .text("", headers: ["Strict-Transport-Security": "max-age=100"]))
        _ = try await HTTPClient(transport: web, configuration: .init(policies: [.hsts(store)]))
            .send(HTTPRequest(.get, #require(URL(string: "https://localhost/"))))
        let firsts = Log<UInt8>()
        let server = try ScriptedServer { connection in connection.read(atMost: 1)?.first.map(firsts.add) }
        let base = try #require(URL(string: "ws://localhost:\(server.baseURL.port ?? 0)"))
        let error = await #expect(throws: HTTPError.self) {
            try await API(baseURL: base, client: client).webSocket(route)
        }
        // A libcurl without root certificates does not begin the handshake of TLS.
        #expect(error?.request?.url.scheme == "https" && !firsts.entries.contains(UInt8(ascii: "G")))
    }

    @Test func `redirects follow the route's policy`() async throws {
        let heads = Log<String>()
        let target = try server(heads: heads)
        let server = try server("HTTP/1.1 307 There\r\nLocation: \(target.baseURL)/new\r\n\r\n")
        let api = API(baseURL: server.baseURL, authentication: .bearer("secret", allowsHTTP: true))
        let socket = try await api.webSocket(route)
        #expect(socket.url.path == "/new" && socket.response.redirects.count == 1)
        // The server's thread may note the head after its response has arrived.
        try await eventually("the head is noted") { !heads.entries.isEmpty }
        #expect(heads.entries.first?.contains("secret") == false)
        try await socket.close()
        let other = try self.server("HTTP/1.1 307 There\r\nLocation: /new\r\n\r\n")
        let error = await failure {
            _ = try await API(baseURL: other.baseURL).webSocket(route.redirects(.never))
        }
        #expect(error?.kind == .status(307))
    }

    @Test func `connections that end during the handshake are retried by the route's policy`() async throws {
        let server = try server("", "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
        let api = API(baseURL: server.baseURL, client: .test(ImpatientClock()))
        let socket = try await api.webSocket(route.retry(.upTo(attempts: 3)))
        #expect(socket.response.sendCount == 3)
        try await socket.close()
    }

    @Test func `a refusal fails with the status and the body`() async throws {
        let server = try server("HTTP/1.1 403 No\r\nContent-Type: text/plain\r\n\r\nnot for you")
        let error = await failure { _ = try await API(baseURL: server.baseURL).webSocket(route) }
        #expect(error?.kind == .status(403) && error?.response?.text == "not for you")
        #expect(error?.request?.url.path == "/feed" && error?.sendCount == 1)
    }

    @Test func `a refusal throws the API's own error type`() async throws {
        struct Problem: Error, Decodable { var title: String }
        let server = try server("HTTP/1.1 403 No\r\nContent-Type: application/json\r\n\r\n{\"title\":\"full\"}")
        await #expect {
            _ = try await API(baseURL: server.baseURL).webSocket(route.failures(.json(Problem.self)))
        } throws: {
            ($0 as? Problem)?.title == "full"
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n", "garbage\r\n\r\n",
        "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
    ])
    func `a response that is not a handshake is invalid`(answer: String) async throws {
        let server = try server(answer)
        let error = await failure { _ = try await API(baseURL: server.baseURL).webSocket(route) }
        #expect(error?.kind == .invalidResponse && error?.reason != nil && error?.request != nil)
        try await eventually("the connection is closed") { server.connectionCount == 0 }
    }

    @Test func `the server chooses the subprotocol`() async throws {
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection, fields: "Sec-WebSocket-Protocol: v2\r\n") else { return }
            peer.send(.text(Peer.value("Sec-WebSocket-Protocol", in: peer.head) ?? ""))
            peer.echo()
        }
        let socket = try await API(baseURL: server.baseURL).webSocket(route, subprotocols: ["v3", "v2"])
        #expect(socket.subprotocol == "v2")
        #expect(try await socket.receive() == .text("v3, v2"))
        try await socket.close()
        let error = await failure { _ = try await API(baseURL: server.baseURL).webSocket(route) }
        #expect(error?.kind == .invalidResponse && error?.reason?.contains("v2") == true)
    }

    @Test func `a silent server and a closed port fail in time`() async throws {
        let server = try ScriptedServer { $0.drain() }
        let api = API(baseURL: server.baseURL)
        let idle = await failure { _ = try await api.webSocket(route.idleTimeout(.milliseconds(30))) }
        #expect(idle?.kind == .timedOut && idle?.reason?.contains("handshake") == true)
        let whole = await failure { _ = try await api.webSocket(route.timeout(.milliseconds(30))) }
        #expect(whole?.kind == .timedOut && whole?.reason?.contains("longer than") == true)
        try await eventually("the connections are closed") { server.connectionCount == 0 }
        let closed = try #require(URL(string: "http://127.0.0.1:1"))
        let refused = await failure { _ = try await API(baseURL: closed).webSocket(route) }
        #expect(refused?.kind == .cannotConnect("http://127.0.0.1:1"))
    }

    @Test func `the handshake uses the engine's limits on the client's clock`() async throws {
        let server = try ScriptedServer { $0.drain() }
        let clock = ManualClock()
        let client = HTTPClient.test(clock, engine: EngineConfiguration(idleTimeout: .seconds(20), proxy: .direct))
        let api = API(baseURL: server.baseURL, client: client)
        for (limited, word) in [
            (route, "handshake"), (route.timeout(.seconds(20)).idleTimeout(.seconds(90)), "longer"),
        ] {
            let task = Task { await failure { _ = try await api.webSocket(limited) } }
            try await eventually("it waits") { clock.sleeperCount >= (word == "longer" ? 2 : 1) }
            clock.advance(by: .seconds(20))
            let thrown = await task.value
            #expect(thrown?.kind == .timedOut && thrown?.reason?.contains(word) == true)
        }
        try await eventually("the connections are closed") { server.connectionCount == 0 }
    }

    @Test func `the engine's limit ends heads that never end`() async throws {
        let flood = try server(String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", count: 1000))
        let client = HTTPClient.test(engine: EngineConfiguration(proxy: .direct, headerLimit: 8192))
        let error = await failure { _ = try await API(baseURL: flood.baseURL, client: client).webSocket(route) }
        #expect(error?.kind == .headersTooLarge(limit: 8192))
    }

    @Test func `the error names a transport that cannot hand over connections`() async throws {
        let base = try #require(URL(string: "https://a.example"))
        for client in [HTTPClient(transport: StubTransport()), HTTPClient.test().dry()] {
            let error = await failure { _ = try await API(baseURL: base, client: client).webSocket(route) }
            #expect(error?.kind == .configuration("transport"))
            #expect(error?.reason?.contains("WebSocket is not supported by") == true)
        }
    }

    @Test func `a route with a body or another method is refused before a connection is opened`() async throws {
        let server = try ScriptedServer { $0.drain() }
        let api = API(baseURL: server.baseURL)
        let error = await failure { _ = try await api.webSocket(Route(path: "/feed", method: .post)) }
        #expect(error?.kind == .invalidMethod("POST"))
        #expect(server.connectionCount == 0)
    }

    @Test func `an error shows neither the query nor a secret repeated by the server`() async throws {
        let server = try ScriptedServer { connection in
            guard let peer = Peer(connection) else { return }
            peer.send(.close(1008, "bad token: \(Peer.value("Authorization", in: peer.head)?.dropFirst(7) ?? "")"))
            connection.drain()
        }
        let api = API(baseURL: server.baseURL, authentication: .bearer("secret-1234", allowsHTTP: true))
        let socket = try await api.webSocket(Route(path: "/feed", params: ["key": "hidden"]))
        let error = await webSocketFailure { _ = try await socket.receive() }
        #expect(error?.kind == .closed(.policyViolation) && error?.reason?.contains("bad token") == true)
        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(error as Any)", dumped, error?.localizedDescription ?? "", error?.reason ?? ""] {
            #expect(!text.contains("secret-1234") && !text.contains("hidden"))
        }
    }

    @Test func `the handshake is logged like a request`() async throws {
        let lines = Log<String>()
        let server = try server()
        let client = HTTPClient(
            engine: EngineConfiguration(proxy: .direct), log: EventLog.custom { lines.add("\($0)") })
        let socket = try await API(baseURL: server.baseURL, client: client).webSocket(route)
        try await socket.close()
        #expect(lines.entries.count == 2 && lines.entries.last?.contains("101") == true)
    }
}
