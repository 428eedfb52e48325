import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

// The examples of the article on swift-openapi-generator, word for word. The types of other packages are in
// OpenAPIRuntimeStandIns.swift.

struct HalyardTransport: ClientTransport {
    typealias Body = OpenAPIRuntime.HTTPBody

    var client: HTTPClient = .shared

    func send(
        _ request: HTTPTypes.HTTPRequest, body: Body?, baseURL: URL,
        operationID: String
    ) async throws -> (HTTPTypes.HTTPResponse, Body?) {
        // The path begins with a slash, and the base may end with one.
        let base = baseURL.absoluteString.prefix { $0 != "?" && $0 != "#" }
        let start = base.hasSuffix("/") ? base.dropLast() : base
        let address = String(start + (request.path ?? ""))
        guard let url = URL(string: address) else {
            throw HTTPError(.invalidURL(address))
        }
        var sent = try Halyard.HTTPRequest(
            HTTPMethod(request.method.rawValue), url,
            headers: headers(request.headerFields), destination: .stream)
        if let body { sent.body = try await content(of: body) }
        let response = try await client.send(sent)
        var head = HTTPTypes.HTTPResponse(status: .init(code: response.status))
        for field in response.headers {
            if let name = HTTPField.Name(field.name.rawValue) {
                head.headerFields.append(.init(name: name, value: field.value))
            }
        }
        let isEmpty =
            request.method == .head || [204, 205, 304].contains(response.status)
        return (head, isEmpty ? nil : self.body(of: response))
    }

    private func headers(_ fields: HTTPFields) throws -> HTTPHeaders {
        var headers = HTTPHeaders()
        for field in fields {
            switch field.name {
            case .contentLength, .transferEncoding: break  // The engine's.
            case .cookie: headers["Cookie"] = fields[.cookie]  // Joins them.
            default: try headers.append(field.value, for: field.name.rawName)
            }
        }
        let defaults = client.configuration.headers
            .filter { !headers.contains($0.name.rawValue) }
        return HTTPHeaders(defaults + headers)
    }

    private func content(of body: Body) async throws -> Halyard.HTTPBody {
        let chunks = body.map { Data($0) }
        switch (body.length, body.iterationBehavior) {
        case (.known(...(1 << 20)), .multiple):
            // A redirect or a retry can send bytes again, but not a stream.
            return Halyard.HTTPBody(
                try await Data(collecting: body, upTo: 1 << 20))
        case (.known(let length), _):
            return Halyard.HTTPBody(stream: chunks, length: length)
        case (.unknown, _): return Halyard.HTTPBody(stream: chunks)
        }
    }

    private func body(of response: Halyard.HTTPResponse) -> Body {
        // Only the body of a 2xx is a stream.
        guard let stream = response.stream else { return Body(response.data) }
        // The Content-Length of a compressed body is not that of its content.
        let length =
            response.headers.contains("Content-Encoding")
            ? nil : response.headers["Content-Length"].flatMap { Int64($0) }
        return Body(
            stream, length: length.map { .known($0) } ?? .unknown,
            iterationBehavior: .single)
    }
}

/// A part of what the generator writes of a document.
private struct Client {
    let serverURL: URL
    let transport: any ClientTransport
}

private enum Servers {
    enum Server1 {
        static func url() throws -> URL { try #require(URL(string: "https://api.example.com/v1")) }
    }
}

private func making() throws -> Client {
    let http = HTTPClient(
        configuration: .init(timeout: .seconds(30), retry: .upTo(attempts: 3)))
    let client = Client(
        serverURL: try Servers.Server1.url(),
        transport: HalyardTransport(client: http))
    return client
}

@Suite(.timeLimit(.minutes(3)))
struct OpenAPIRuntimeArticleTests {
    private typealias Body = OpenAPIRuntime.HTTPBody

    private let transport = HalyardTransport(client: TestAPI.patientClient)

    private func send(
        _ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ body: Body? = nil, headers: HTTPFields = [:],
        to baseURL: URL
    ) async throws -> (HTTPTypes.HTTPResponse, Body?) {
        let client = Client(serverURL: baseURL, transport: transport)
        let request = HTTPTypes.HTTPRequest(
            method: method, scheme: nil, authority: nil, path: path, headerFields: headers)
        return try await client.transport.send(request, body: body, baseURL: client.serverURL, operationID: "test")
    }

    private func text(_ body: Body?) async throws -> String {
        String(decoding: try await Data(collecting: #require(body), upTo: 1 << 20), as: UTF8.self)
    }

    private func chunks(_ texts: String...) -> AsyncStream<Data> { texts.map { Data($0.utf8) }.async }

    @Test func `the article's client is configured`() throws {
        let transport = try #require(try making().transport as? HalyardTransport)
        #expect(transport.client.configuration.retry.attempts == 3)
        #expect(HalyardTransport().client === HTTPClient.shared)
    }

    @Test func `URL and headers are sent as the generated code writes them`() async throws {
        let fields: HTTPHeaders = ["Set-Cookie": "a=1", "X-Id": "7", "Set-Cookie": "b=2"]
        let server = try LoopbackServer().on(.get, "/v1/books/*", .json(text: #"{"id":7}"#, headers: fields))
        let tag = try #require(HTTPField.Name("X-Tag"))
        var headers: HTTPFields = [tag: "1", tag: "2"]
        headers[.cookie] = "c=3; d=4"
        // The base's own query is not part of the API's paths.
        let base = try #require(URL(string: "\(server.baseURL)/v1/?old=1"))
        let (response, body) = try await send(.get, "/books/a%2Fb?q=dune%20II&q=%2B+", headers: headers, to: base)
        #expect(try server.request.target == "/v1/books/a%2Fb?q=dune%20II&q=%2B+")
        let sent = try server.request.headers
        #expect(sent.values(for: "X-Tag") == ["1", "2"])
        #expect(sent.values(for: "Cookie") == ["c=3; d=4"])
        #expect(sent["User-Agent"] == "Halyard")
        #expect(response.status.code == 200)
        let received = response.headerFields.map { "\($0.name.rawName): \($0.value)" }
        #expect(received.filter { !$0.hasPrefix("Content") } == ["Set-Cookie: a=1", "X-Id: 7", "Set-Cookie: b=2"])
        #expect(body?.length == .known(8))
        #expect(try await text(body) == #"{"id":7}"#)
    }

    @Test(arguments: [nil, 9] as [Int64?])
    func `a streamed body is sent with its length or chunked`(length: Int64?) async throws {
        let server = try LoopbackServer().on(.put, "/file", .status(201))
        let body = Body(
            chunks("one", "two", "six"), length: length.map { .known($0) } ?? .unknown, iterationBehavior: .single)
        let (response, _) = try await send(.put, "/file", body, headers: [.contentLength: "5"], to: server.baseURL)
        #expect(response.status.code == 201)
        let request = try server.request
        #expect(request.text == "onetwosix")
        #expect(request.headers["Content-Length"] == length.map { "\($0)" })
        #expect(request.headers["Transfer-Encoding"] == (length == nil ? "chunked" : nil))
    }

    @Test func `a chunk is sent before the next one exists`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        let server = try ScriptedServer { connection in
            connection.readHead()
            connection.skip(3)
            continuation.yield(Data("two".utf8))
            continuation.finish()
            connection.skip(3)
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        continuation.yield(Data("one".utf8))
        let body = Body(stream, length: .known(6), iterationBehavior: .single)
        let (response, _) = try await send(.post, "/", body, to: server.baseURL)
        #expect(response.status.code == 200)
    }

    @Test func `a response is read while the server still sends`() async throws {
        let gate = Gate()
        let server = try ScriptedServer.pausing(at: gate)
        let (_, body) = try await send(.get, "/", to: server.baseURL)
        let stream = try #require(body)
        #expect(stream.length == .known(300_000))
        var count = 0
        for try await chunk in stream {
            count += chunk.count
            if count == 100_000 { gate.open() }
        }
        #expect(count == 300_000)
        await #expect(throws: OpenAPIRuntime.HTTPBody.TooManyIterations.self) { for try await _ in stream {} }
    }

    @Test func `a 404 is a response with its body`() async throws {
        let server = try LoopbackServer().on(.get, "/books/8", .text("no such book", status: 404))
        let (response, body) = try await send(.get, "/books/8", to: server.baseURL)
        #expect(response.status.code == 404)
        #expect(try await text(body) == "no such book")
    }

    @Test func `a response without content has no body`() async throws {
        let server = try LoopbackServer().on(.put, "/", .status(204)).on(.head, "/", .text("hello"))
        for (method, status) in [(.put, 204), (.head, 200)] as [(HTTPTypes.HTTPRequest.Method, Int)] {
            let (response, body) = try await send(method, "/", to: server.baseURL)
            #expect(response.status.code == status)
            #expect(body == nil)
        }
    }

    @Test func `the length of a compressed body is unknown`() async throws {
        // "hello" a thousand times.
        let packed = "H4sIAAAAAAACA+3EoQ0AAAgDsGtJJpbwv+MKXCuaaTeSJEmSJEmSPjvWqsWSiBMAAA=="
        let content = try #require(Data(base64Encoded: packed))
        let server = try LoopbackServer().on(.get, "/", .data(content, headers: ["Content-Encoding": "gzip"]))
        let (_, body) = try await send(.get, "/", to: server.baseURL)
        #expect(body?.length == .unknown)
        #expect(try await text(body) == String(repeating: "hello", count: 1000))
    }

    @Test func `a body that is cut off throws`() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("hello").failing(after: 3))
        let (_, body) = try await send(.get, "/", to: server.baseURL)
        await #expect(throws: HTTPError.connectionLost) { try await text(body) }
    }

    @Test(arguments: [nil, 9] as [Int64?])
    func `an error of a body is the error of the call`(length: Int64?) async throws {
        struct Broken: Error {}
        let server = try LoopbackServer().on(.post, "/", .status(200))
        let chunks = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("one".utf8))
            continuation.finish(throwing: Broken())
        }
        let body = Body(chunks, length: length.map { .known($0) } ?? .unknown, iterationBehavior: .single)
        await #expect(throws: Broken.self) { _ = try await send(.post, "/", body, to: server.baseURL) }
        #expect(server.requests.isEmpty)
    }

    @Test func `a redirect sends a body in memory again, and a stream never`() async throws {
        let server = try LoopbackServer().on(.post, "/old", .status(307, headers: ["Location": "/new"]))
            .on(.post, "/new", .text("thanks"))
        let (_, body) = try await send(.post, "/old", Body(Data("book".utf8)), to: server.baseURL)
        #expect(try await text(body) == "thanks")
        #expect(server.requests.map(\.text) == ["book", "book"])
        let once = Body(chunks("book"), length: .known(4), iterationBehavior: .single)
        await #expect(throws: HTTPError(.bodyConsumed)) { _ = try await send(.post, "/old", once, to: server.baseURL) }
        #expect(server.requests.map(\.path) == ["/old", "/new", "/old"])
    }

    @Test func `a stub answers`() async throws {
        let stub = StubTransport().on(.get, "/v1/books/7", .text("Dune"))
        let transport = HalyardTransport(client: HTTPClient(transport: stub))
        let client = Client(serverURL: try Servers.Server1.url(), transport: transport)
        let request = HTTPTypes.HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/books/7")
        let (_, body) = try await client.transport.send(
            request, body: nil, baseURL: client.serverURL, operationID: "test")
        #expect(try await text(body) == "Dune")
    }

    @Test func `canceling ends the call, its body and its connection`() async throws {
        let (arrived, ended) = (Counter(), Counter())
        let server = try ScriptedServer { connection in
            connection.readHead()
            arrived.increment()
            connection.drain()
            ended.increment()
        }
        let endless = AsyncStream<Data> { continuation in
            continuation.onTermination = { _ in ended.increment() }
            continuation.yield(Data("one".utf8))
        }
        let task = Task {
            let body = Body(endless, length: .unknown, iterationBehavior: .single)
            _ = try await send(.post, "/", body, to: server.baseURL)
        }
        try await eventually("the request has arrived") { arrived.count == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await eventually("the connection and the sequence have ended") { ended.count == 2 }
    }

    @Test(arguments: [true, false])
    func `canceling the reader ends the connection, and so does dropping the body`(reads: Bool) async throws {
        let (began, ended) = (Counter(), Counter())
        let server = try ScriptedServer.unended("Content-Type: text/plain", "first", ended)
        let task = Task {
            let (_, body) = try await send(.get, "/", to: server.baseURL)
            guard reads, let body else { return }
            for try await _ in body { began.increment() }
        }
        if reads {
            try await eventually("the first chunk has arrived") { began.count == 1 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        try await eventually("the connection has ended") { ended.count == 1 }
    }
}
