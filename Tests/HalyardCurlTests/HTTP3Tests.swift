import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

@testable import HalyardCurl

/// The folder of the servers. `nil` without them.
private let folder = ProcessInfo.processInfo.environment["HALYARD_HTTP3"].map { URL(filePath: $0) }

/// HTTP/3 with a server of another project, and the fallback where there is no QUIC. The contract tests run over HTTP/3
/// as well.
///
/// The servers run in another program (`.ci/http3-servers.py`), which passes their folder in `HALYARD_HTTP3`. Without
/// it, these tests are skipped.
@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: folder != nil))
struct HTTP3Tests {
    private func url(_ name: String, _ path: String) throws -> URL {
        let data = try Data(contentsOf: #require(folder).appending(path: "servers.json"))
        let port = try #require(JSONDecoder().decode([String: Int].self, from: data)[name])
        return try #require(URL(string: "https://localhost:\(port)\(path)"))
    }

    private func engine(_ version: EngineConfiguration.HTTPVersion = .http3) throws -> CurlTransport {
        let root = try #require(folder).appending(path: "root.pem")
        return CurlTransport(configuration: EngineConfiguration(httpVersion: version, tls: .init(roots: .file(root))))
    }

    private func send(
        _ method: HTTPMethod = .get, to name: String, _ path: String = "/", body: HTTPBody? = nil,
        by transport: CurlTransport, context: TransferContext = TransferContext()
    ) async throws -> HTTPResponse {
        try await transport.send(HTTPRequest(method, url(name, path), body: body), context: context)
    }

    private func failure(_ operation: () async throws -> HTTPResponse) async throws -> HTTPError {
        try #require(await #expect(throws: HTTPError.self) { try await operation() })
    }

    @Test func `the engine says that it has HTTP/3`() throws {
        let capabilities = try CurlTransport.capabilities
        #expect(capabilities.hasHTTP3 && "\(capabilities)".contains("HTTP/3"))
    }

    @Test func `requests use one QUIC connection`() async throws {
        let transport = try engine()
        let first = try await send(to: "all", "/first", by: transport)
        #expect(first.text == "3 /first 0" && first.metrics?.httpVersion == "HTTP/3")
        let second = try await send(to: "all", by: transport)
        #expect(second.metrics?.isConnectionReused == true && second.metrics?.resends == 0)
    }

    @Test func `a stream that nobody reads does not hold up the connection`() async throws {
        let bytes = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0) })
        let transport = try engine()
        let request = try HTTPRequest(.get, url("all", "/bytes/\(bytes.count)"), destination: .stream)
        let stream = try #require(try await transport.send(request, context: TransferContext()).stream)
        // Another response arrives while nobody reads the stream, which is paused.
        #expect(try await send(to: "all", by: transport).metrics?.httpVersion == "HTTP/3")
        var received = Data()
        for try await chunk in stream { received += chunk }
        #expect(received == bytes)
    }

    @Test func `redirects are followed`() async throws {
        let client = HTTPClient(transport: try engine())
        let response = try await client.send(HTTPRequest(.get, url("all", "/redirect/there")))
        #expect(response.text == "3 /there 0" && response.redirects.count == 1)
    }

    @Test func `a thousand requests at once are answered`() async throws {
        let transport = try engine()
        let outcomes = await inFlight(1000, of: 1000) { number in
            (number, await Result { try await send(to: "all", "/\(number)", by: transport) })
        }
        // Beyond the streams of a connection, further ones are made, which TCP wins while the server is busy.
        let overHTTP3 = try outcomes.count { try $0.1.get().text == "3 /\($0.0) 0" }
        let overTCP = try outcomes.count { try $0.1.get().text == "2 /\($0.0) 0" }
        #expect(overHTTP3 + overTCP == 1000 && overHTTP3 > 0, "\(overTCP) over TCP")
    }

    @Test func `a thousand requests at once use HTTP/3 where there is nothing else`() async throws {
        let transport = try engine()
        let outcomes = await inFlight(1000, of: 1000) { _ in
            await Result { try await send(to: "resetting", "/plain", by: transport) }
        }
        #expect(try outcomes.allSatisfy { try $0.get().text == "ok" && $0.get().metrics?.httpVersion == "HTTP/3" })
    }

    @Test func `a network without UDP costs less than 300 ms`() async throws {
        // A busy machine may be late, but not each time.
        for attempt in 1... {
            let transport = try engine()
            var version: String?
            let duration = try await ContinuousClock().measure {
                version = try await send(to: "silent", by: transport).metrics?.httpVersion
            }
            #expect(version == "HTTP/2")
            if duration < .milliseconds(300) { break }
            try #require(attempt < 20, "\(duration)")
        }
    }

    @Test func `a server that is not that of the origin ends the offer`() async throws {
        let transport = try engine(.automatic)
        var versions: [String?] = []
        for path in ["/", "/misdirected", "/"] {
            let response = try await send(to: "all", path, by: transport)
            #expect((response.status == 421) == (path == "/misdirected"))
            versions.append(response.metrics?.httpVersion)
        }
        #expect(versions == ["HTTP/2", "HTTP/3", "HTTP/2"])
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func `a request after the end of an idle connection is sent over a new one, without early data`(
        method: HTTPMethod
    ) async throws {
        let log = try #require(folder).appending(path: "resetting.log")
        let lines = { try String(contentsOf: log, encoding: .utf8).split(separator: "\n") }
        let (transport, earlier) = (try engine(), try lines().count)
        // With a name, the session would be used up by the attempt over IPv6, where the server does not listen.
        let port = try url("resetting", "/").port ?? 0
        let send = { @Sendable (path: String) async throws -> HTTPResponse in
            let url = try #require(URL(string: "https://127.0.0.1:\(port)\(path)"))
            let request = try HTTPRequest(method, url, body: method == .get ? nil : HTTPBody(Data("a".utf8)))
            return try await transport.send(request, context: TransferContext())
        }
        for count in 1...3 {
            let response = try await send("/close")
            #expect(response.text == "ok" && response.metrics?.httpVersion == "HTTP/3")
            try await eventually("the connection is closed") { (try? lines().count) == earlier + 2 * count }
        }
        let handshakes = try lines().dropFirst(earlier).filter { $0 != "closed" }.joined(separator: "; ")
        let resumed = "resumed True, early data False"
        #expect(handshakes == "resumed False, early data False; \(resumed); \(resumed)")
        let many = await inFlight(20, of: 20) { _ in await Result { try await send("/plain") } }
        #expect(try many.allSatisfy { try $0.get().text == "ok" })
    }

    @Test(arguments: ["tcp", "liar", "silent"])
    func `a request uses TCP where there is no QUIC, and so does the next one`(name: String) async throws {
        let transport = try engine()
        #expect(try await send(.post, to: name, body: HTTPBody(Data("a".utf8)), by: transport).text == "2 / 1")
        let next = try await send(to: name, by: transport)
        #expect(next.metrics?.httpVersion == "HTTP/2" && next.metrics?.isConnectionReused == true)
    }

    @Test func `an automatic engine uses HTTP/3 after it was offered, and remembers it`() async throws {
        let transport = try engine(.automatic)
        var versions: [String?] = []
        for name in ["all", "all", "tcp", "all"] {
            versions.append(try await send(to: name, by: transport).metrics?.httpVersion)
        }
        #expect(versions == ["HTTP/2", "HTTP/3", "HTTP/2", "HTTP/3"])
    }

    @Test func `with a file of offers, the first request of the next engine uses HTTP/3`() async throws {
        let temporary = try TemporaryFolder()
        for version in ["HTTP/2", "HTTP/3"] {
            var configuration = try engine(.automatic).configuration
            configuration.alternativeServices = try AlternativeServiceStore(file: temporary.file("alt-svc.json"))
            let transport = CurlTransport(configuration: configuration)
            #expect(try await send(to: "all", by: transport).metrics?.httpVersion == version)
        }
    }

    @Test func `a false offer costs one connection`() async throws {
        let transport = try engine(.automatic)
        var reused: [Bool?] = []
        for _ in 0..<4 {
            let metrics = try await send(.post, to: "liar", body: HTTPBody(Data("a".utf8)), by: transport).metrics
            #expect(metrics?.httpVersion == "HTTP/2")
            reused.append(metrics?.isConnectionReused)
        }
        #expect(reused == [false, false, true, true])
    }

    @Test func `a server that ends in the middle of a response is an error`() async throws {
        let transport = try engine()
        #expect(try await send(to: "mortal-get", by: transport).metrics?.httpVersion == "HTTP/3")
        let context = TransferContext(idleTimeout: .seconds(5))
        let error = try await failure { try await send(to: "mortal-get", "/die", by: transport, context: context) }
        #expect([.connectionLost, .timedOut].contains(error.kind), "\(error)")
    }

    @Test func `a POST to a server that ends is sent once`() async throws {
        let transport = try engine()
        #expect(try await send(to: "mortal-post", by: transport).metrics?.httpVersion == "HTTP/3")
        let context = TransferContext(idleTimeout: .seconds(5))
        let error = try await failure {
            try await send(
                .post, to: "mortal-post", "/die", body: HTTPBody(Data("a".utf8)), by: transport, context: context)
        }
        #expect([.connectionLost, .timedOut].contains(error.kind) && error.mayHaveBeenProcessed, "\(error)")
        let log = try String(
            contentsOf: #require(folder).appending(path: "mortal-post.log"), encoding: .utf8)
        #expect(log.split(separator: "\n") == ["3 GET /", "3 POST /die"])
        let next = try await failure { try await send(to: "mortal-post", by: transport, context: context) }
        #expect(next.kind.isConnectionFailure, "\(next)")
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func `a refused stream is sent again, whatever its method`(method: HTTPMethod) async throws {
        let body = method == .get ? nil : HTTPBody(Data("a".utf8))
        let response = try await send(method, to: "resetting", "/refused", body: body, by: engine())
        #expect(response.text == "ok" && response.metrics?.httpVersion == "HTTP/3")
        #expect(response.metrics?.resends == 1)
    }

    /// H3_INTERNAL_ERROR and H3_MESSAGE_ERROR (RFC 9114 section 8.1).
    @Test(arguments: [(0x102, HTTPError.Kind.connectionLost), (0x10E, .invalidResponse)])
    func `a stream that the server resets is an error`(
        code: Int, kind: HTTPError.Kind
    ) async throws {
        let transport = try engine()
        let error = try await failure {
            try await send(.post, to: "resetting", "/\(code)", body: HTTPBody(Data("a".utf8)), by: transport)
        }
        #expect(error.kind == kind && error.mayHaveBeenProcessed, "\(error)")
        // The server has no TCP: the connection is used again.
        let next = try await send(to: "resetting", "/plain", by: transport)
        #expect(next.text == "ok" && next.metrics?.isConnectionReused == true)
    }

    @Test func `certificates and pins are verified`() async throws {
        let transport = CurlTransport(configuration: EngineConfiguration(httpVersion: .http3))
        #expect(try await failure { try await send(to: "all", by: transport) }.kind == .tls(.unknownRoot))
        var configuration = try engine().configuration
        configuration.tls.pins = ["localhost": ["sha256/r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="]]
        let pinned = CurlTransport(configuration: configuration)
        #expect(try await failure { try await send(to: "all", by: pinned) }.kind == .tls(.wrongPin))
    }
}
