import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Part A2 of the acceptance table: bodies that a route sets.
@Suite(.timeLimit(.minutes(3)))
struct BodyTests {
    static let methods: [HTTPMethod] = [.post, .put, .patch, .delete]

    @Test("raw bytes and their type arrive unchanged", .behaviors(33), .defects("BK17"), arguments: methods)
    func raw(method: HTTPMethod) async throws {
        let server = try LoopbackServer.accepting()
        let bytes = Data((0...255).map { UInt8($0) })
        let api = TestAPI(server)
        try await api.request(Route(path: "/me", method: method, body: .data(bytes))).void()
        try await api.request(Route(path: "/me", method: method, body: .data(bytes, contentType: "image/x-y"))).void()
        #expect(server.requests.map(\.body) == [bytes, bytes])
        #expect(server.requests[0].headers.values(for: "Content-Type") == ["application/octet-stream"])
        #expect(server.requests[1].headers.values(for: "Content-Type") == ["image/x-y"])
        #expect(server.requests.map { $0.headers["Content-Length"] } == ["256", "256"])
        #expect(server.requests.map(\.method) == [method, method])
    }

    struct Item: Codable, Sendable {
        var price: Double
        var description: String
        var date: Date?
    }

    @Test(
        "an Encodable is sent as JSON with dates in milliseconds, and params stay in the query", .behaviors(34, 39),
        .defects("BK1")
    )
    func encodable() async throws {
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server, "")
        let plain = Item(price: 150, description: "abc")
        let dated = Item(price: 0.1, description: "é/", date: Date(timeIntervalSince1970: 1.005))
        try await api.request(Route(path: "/item", method: .post, params: ["id": 101], body: .json(plain))).void()
        try await api.request(Route(path: "/item", method: .post, body: .json(dated))).void()
        try await api.request(Route(path: "/item", method: .post)).void()
        #expect(server.requests[0].target == "/item?id=101")
        #expect(server.requests[0].text == #"{"description":"abc","price":150}"#)
        #expect(server.requests[1].text == #"{"date":1005,"description":"é/","price":0.1}"#)

        // Compared with a request without a body, only the type and the length are added.
        let (bare, full) = (server.requests[2], server.requests[1])
        #expect(full.method == bare.method && full.target == bare.target)
        var headers = full.headers
        headers.remove("Content-Type")
        headers["Content-Length"] = "0"
        #expect(Set(headers) == Set(bare.headers))
        #expect(full.headers["Content-Type"] == "application/json")
    }

    @Test("a value that cannot be encoded fails the request with its cause", .behaviors(34, 91))
    func unencodable() async throws {
        struct Stubborn: Encodable {
            struct No: Error {}
            func encode(to encoder: any Encoder) throws { throw No() }
        }
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server)
        for value in [Double.nan, .infinity] {
            let item = Item(price: value, description: "x")
            let error = await failure {
                try await api.request(Route(path: "/", method: .post, body: .json(item))).void()
            }
            #expect(error == HTTPError(.encoding("the body")))
            #expect(error?.cause is EncodingError)
        }
        let late = Item(price: 1, description: "x", date: Date(timeIntervalSince1970: 1e300))
        let error = await failure { try await api.request(Route(path: "/", method: .post, body: .json(late))).void() }
        #expect(error == HTTPError(.encoding("the body")))
        let no = await failure {
            try await api.request(Route(path: "/", method: .post, body: .json(Stubborn()))).void()
        }
        #expect(no?.cause is Stubborn.No)
        #expect(server.connectionCount == 0)
    }

    @Test(
        "a file is sent with its length and the type of its extension", .behaviors(35),
        arguments: ["a.json", "b.bin", "c"])
    func file(name: String) async throws {
        let (server, folder) = (try LoopbackServer.accepting(), try TemporaryFolder())
        let content = Data.noise(300_000)
        let file = try folder.write(content, to: name)
        try await TestAPI(server).request(Route(path: "/me", method: .put, params: ["id": 1], body: .file(file))).void()
        let request = try server.request
        #expect(request.body.isSame(as: content))
        #expect(request.target == "/api/me?id=1")
        #expect(request.headers["Content-Length"] == "300000")
        #expect(request.headers["Transfer-Encoding"] == nil)
        #expect(request.headers["Content-Type"] == (name == "a.json" ? "application/json" : "application/octet-stream"))
    }

    @Test(
        "a stream is sent as it produces bytes, chunked or with its announced length", .behaviors(35),
        arguments: [true, false])
    func stream(isMeasured: Bool) async throws {
        let server = try LoopbackServer.accepting()
        let pieces = [Data.noise(100_000), Data(), Data("héllo".utf8), Data.noise(1)]
        let whole = Data(pieces.joined())
        let body = RouteBody.stream(
            pieces.async, length: isMeasured ? Int64(whole.count) : nil, contentType: "audio/aac")
        try await TestAPI(server).request(Route(path: "/me", method: .post, body: body)).void()
        let request = try server.request
        #expect(request.body.isSame(as: whole))
        #expect(request.headers["Content-Type"] == "audio/aac")
        #expect(request.headers["Content-Length"] == (isMeasured ? "\(whole.count)" : nil))
        #expect(request.headers["Transfer-Encoding"] == (isMeasured ? nil : "chunked"))
    }

    @Test(
        "a stream with more or fewer bytes than announced fails and is not padded", .behaviors(35),
        arguments: [9, 11])
    func wrongLength(announced: Int64) async throws {
        let server = try LoopbackServer.accepting()
        let body = RouteBody.stream([Data.noise(10)].async, length: announced)
        let error = await failure {
            try await TestAPI(server).request(Route(path: "/me", method: .post, body: body)).void()
        }
        #expect(error == HTTPError(.encoding("the body")))
        #expect(error?.reason?.contains("\(announced)") == true)
        #expect(server.requests.isEmpty)
    }

    @Test("a stub reads a long stream completely", .behaviors(35))
    func streamToStub() async throws {
        let stub = StubTransport().on(.post, "/me", .status(200))
        let pieces = Array(repeating: Data.noise(50_000), count: 60)
        let api = TestAPI(baseURL: try #require(URL(string: "http://localhost"))).with(
            \.client, HTTPClient(transport: stub))
        try await api.request(Route(path: "/me", method: .post, body: .stream(pieces.async))).void()
        #expect(try #require(stub.requests.first).body.isSame(as: Data(pieces.joined())))
    }

    @Test("a server that does not read pauses the stream", .behaviors(35))
    func uploadBackpressure() async throws {
        let (gate, asked, total) = (Gate(), Counter(), 1000)
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            gate.wait()
        }
        let pieces = AsyncStream<Data>(unfolding: {
            asked.increment()
            return asked.count <= total ? Data(count: 64 << 10) : nil
        })
        let api = TestAPI(baseURL: server.baseURL)
        let task = Task {
            try await api.request(Route(path: "/", method: .post, body: .stream(pieces))).void()
        }
        #expect(try await settled { asked.count } < total)
        gate.open()
        await #expect(throws: HTTPError.connectionLost) { try await task.value }
    }

    @Test("building and reading bodies does not block the caller", .behaviors(104), .defects("BK16"))
    func building() async throws {
        let (server, gate, built) = (try LoopbackServer.accepting(), Gate(), Counter())
        let body = RouteBody(contentType: "text/plain") {
            gate.wait()
            built.increment()
            return HTTPBody(Data("late".utf8))
        }
        let request = TestAPI(server).request(Route(path: "/me", method: .post, body: body)).start()
        #expect(built.count == 0)
        gate.open()
        try await request.void()
        #expect(try server.request.text == "late")
    }

    @Test("a JSON object of variables of different types is written like parameters")
    func members() async throws {
        enum Sort: String, ParameterConvertible { case newest }
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server, "")
        let (name, count, ratio, isNew) = ("Ada", 7, 0.5, true)
        let (date, missing): (Date, String?) = (Date(timeIntervalSince1970: 1), nil)
        let id = try #require(UUID(uuidString: "00000000-0000-0000-0000-00000000000A"))
        let url = try #require(URL(string: "https://example.com/a?b"))
        let tags = ["x", "y"]
        let route = Route(
            path: "/a", method: .post,
            body: .json([
                "name": name, "count": count, "ratio": ratio, "isNew": isNew, "date": date, "id": id, "url": url,
                "missing": missing, "tags": tags, "sort": Sort.newest, "fixed": 1,
                "range": ["min": count, "name": name] as Parameters,
            ]))
        try await api.request(route).void()
        #expect(
            server.requests[0].text == """
                {"name":"Ada","count":7,"ratio":0.5,"isNew":true,"date":1000,\
                "id":"00000000-0000-0000-0000-00000000000A","url":"https://example.com/a?b","tags":["x","y"],\
                "sort":"newest","fixed":1,"range":{"min":7,"name":"Ada"}}
                """)
        #expect(server.requests[0].headers["Content-Type"] == "application/json")
        // A literal without variables stays a JSON, in which nil is null.
        try await api.request(Route(path: "/a", method: .post, body: .json(["a": nil, "b": 1.5]))).void()
        #expect(server.requests[1].text == #"{"a":null,"b":1.5}"#)
    }

    @Test("the error for a JSON object with an invalid value names the value")
    func unwritableMember() async throws {
        let api = TestAPI(try LoopbackServer.accepting(), "")
        let bad = [RouteBody.json(["a": "b", "ratio": Double.nan]), .json(["file": .file(URL(filePath: "/tmp/x"))])]
        var kinds: [HTTPError.Kind?] = []
        for body in bad {
            kinds.append(
                await failure { try await api.request(Route(path: "/", method: .post, body: body)).void() }?.kind)
        }
        #expect(kinds == [.encoding("ratio"), .encoding("the body")])
    }
}
