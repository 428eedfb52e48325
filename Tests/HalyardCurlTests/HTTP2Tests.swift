import Foundation
import HalyardHTTP
import TestSupport
import Testing

@testable import HalyardCurl

/// How servers of HTTP/2 refuse requests, reset streams and close connections.
@Suite(.timeLimit(.minutes(3)))
struct HTTP2Tests {
    private let folder: TemporaryFolder
    /// The bodies of the requests that the server has processed.
    private let processed = Lock<[String: Int]>([:])

    init() throws { folder = try TemporaryFolder() }

    private func client(of server: HTTP2Server) throws -> CurlTransport {
        let root = try folder.write(Data(server.root.utf8), to: "root.pem")
        return CurlTransport(configuration: EngineConfiguration(tls: .init(roots: .file(root))))
    }

    private func send(
        _ method: HTTPMethod, _ body: HTTPBody? = nil, to server: HTTP2Server, by transport: CurlTransport
    ) async throws -> HTTPResponse {
        try await transport.send(HTTPRequest(method, server.baseURL, body: body), context: TransferContext())
    }

    /// Sends a POST, and sends it again as the pipeline does.
    private func post(_ text: String, to server: HTTP2Server, by transport: CurlTransport) async throws -> HTTPResponse
    {
        for _ in 0..<8 {
            do { return try await send(.post, HTTPBody(Data(text.utf8)), to: server, by: transport) } catch let error
                as HTTPError where !error.mayHaveBeenProcessed
            {}
        }
        return try await send(.post, HTTPBody(Data(text.utf8)), to: server, by: transport)
    }

    private func count(_ request: HTTP2Server.Request) -> Int {
        processed.withLock { counts in
            counts[request.body, default: 0] += 1
            return counts[request.body, default: 0]
        }
    }

    /// Sends a body, and returns the error of the response.
    private func failure(_ method: HTTPMethod, of server: HTTP2Server) async throws -> HTTPError {
        let transport = try client(of: server)
        let error = await #expect(throws: HTTPError.self) {
            try await send(method, method == .get ? nil : HTTPBody(Data("a".utf8)), to: server, by: transport)
        }
        return try #require(error)
    }

    /// Releases before 7.77 do not tell which stream a server has refused.
    private static let tells = (try? CurlLibrary.load()) != nil && CurlLibrary.distinguishesRefusedStreams

    @Test(.enabled(if: tells), arguments: [HTTPMethod.get, .post, .put])
    func `a refused stream is sent again, whatever its method`(method: HTTPMethod) async throws {
        let server = try HTTP2Server { count($0) == 1 ? [.reset(code: 7)] : [.response()] }
        let transport = try client(of: server)
        let response = try await send(
            method, method == .get ? nil : HTTPBody(Data("a".utf8)), to: server, by: transport)
        #expect(response.text == "ok" && response.metrics?.httpVersion == "HTTP/2")
        #expect(response.metrics?.resends == 1)
    }

    @Test(.enabled(if: tells)) func `a stream above the last ID of a GOAWAY is sent again over another connection`()
        async throws
    {
        let server = try HTTP2Server { request in
            request.connection == 0 && request.stream > 1 ? [.goAway(lastStream: 1)] : [.response(body: request.body)]
        }
        let transport = try client(of: server)
        for text in ["a", "b"] { #expect(try await post(text, to: server, by: transport).text == text) }
    }

    @Test func `a server that refuses every stream gets a limited number of attempts`() async throws {
        let server = try HTTP2Server {
            _ = count($0)
            return [.reset(code: 7)]
        }
        let error = try await failure(.post, of: server)
        #expect(error == .connectionLost)
        if Self.tells { #expect(!error.mayHaveBeenProcessed) }
        #expect((1...6).contains(processed.withLock { $0["a"] } ?? 0))
    }

    @Test(.enabled(if: tells), arguments: [HTTPMethod.post, .put], [10, 40_000, 300_000])
    func `the whole body is sent again, even if none of it was sent before`(method: HTTPMethod, count: Int)
        async throws
    {
        let server = try HTTP2Server(refusing: { $0 == 0 && $1 > 1 }) { [.response(body: "\($0.body.utf8.count)")] }
        let transport = try client(of: server)
        _ = try await send(.get, to: server, by: transport)
        try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for _ in 0..<32 {
                group.addTask { try await send(method, HTTPBody(Data(count: count)), to: server, by: transport) }
            }
            for try await response in group { #expect(response.text == "\(count)") }
        }
    }

    @Test(.enabled(if: tells)) func `a partly read stream is not sent again without the part read`() async throws {
        let server = try HTTP2Server(refusing: { $0 == 0 && $1 > 1 }) { [.response(body: "\($0.body.utf8.count)")] }
        let transport = try client(of: server)
        _ = try await send(.get, to: server, by: transport)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    let body = HTTPBody(
                        stream: AsyncStream { continuation in
                            continuation.yield(Data(count: 40_000))
                            continuation.finish()
                        })
                    do throws(any Error) {
                        let response = try await send(.post, body, to: server, by: transport)
                        #expect(response.text == "40000")
                    } catch { #expect((error as? HTTPError)?.mayHaveBeenProcessed == false, "\(error)") }
                }
            }
        }
    }

    @Test(.enabled(if: tells)) func `a one-shot body is not sent again, and the error says why`() async throws {
        let server = try HTTP2Server { _ in [.reset(code: 7)] }
        let transport = try client(of: server)
        let body = HTTPBody(
            stream: AsyncStream { continuation in
                continuation.yield(Data("a".utf8))
                continuation.finish()
            })
        let error = await #expect(throws: HTTPError.self) { try await send(.post, body, to: server, by: transport) }
        #expect(error == .connectionLost && error?.mayHaveBeenProcessed == false)
    }

    @Test(arguments: [(0, nil), (2, "INTERNAL_ERROR"), (5, "STREAM_CLOSED"), (8, "CANCEL"), (11, "ENHANCE_YOUR_CALM")])
    func `any other reset is a lost connection, and the request is not sent again`(code: UInt32, name: String?)
        async throws
    {
        let server = try HTTP2Server {
            _ = count($0)
            return [.reset(code: code)]
        }
        let error = try await failure(.post, of: server)
        #expect(error == .connectionLost && error.isTemporary && error.mayHaveBeenProcessed)
        if let name { #expect(error.reason?.contains(name) == true, "\(error)") }
        #expect(processed.withLock { $0 } == ["a": 1])
    }

    @Test(arguments: [1, 3, 6, 9] as [UInt32])
    func `a reset for a protocol violation is an invalid response`(code: UInt32) async throws {
        let error = try await failure(.get, of: HTTP2Server { _ in [.reset(code: code)] })
        #expect(error == HTTPError(.invalidResponse) && !error.isTemporary)
    }

    @Test func `a server that requires HTTP/1 does not get a POST twice`() async throws {
        let server = try HTTP2Server {
            _ = count($0)
            return [.reset(code: 13)]
        }
        #expect(try await failure(.post, of: server).mayHaveBeenProcessed)
        #expect(processed.withLock { $0 } == ["a": 1])
    }

    @Test func `a GOAWAY with an error code is a lost connection`() async throws {
        let server = try HTTP2Server {
            _ = count($0)
            return [.goAway(lastStream: $0.stream, code: 11), .close]
        }
        let error = try await failure(.post, of: server)
        #expect(error == .connectionLost && error.mayHaveBeenProcessed)
        // libcurl mentions such a frame since 7.88.
        if CurlLibrary.version >= 0x075800 { #expect(error.reason?.contains("ENHANCE_YOUR_CALM (11)") == true) }
        #expect(processed.withLock { $0 } == ["a": 1])
    }

    // libcurl 7.76 takes a response without a length for complete.
    @Test(.enabled(if: tells)) func `a response that is reset is incomplete`() async throws {
        let server = try HTTP2Server { _ in [.partialResponse, .reset(code: 8)] }
        let error = try await failure(.get, of: server)
        #expect(error == .connectionLost && error.status == 200)
    }

    @Test func `frames that are not HTTP/2 are an invalid response or a lost connection`() async throws {
        // A DATA frame for the whole connection (RFC 9113 section 6.1).
        let server = try HTTP2Server {
            _ = count($0)
            return [.raw([0, 0, 1, 0, 0, 0, 0, 0, 0, 7])]
        }
        let error = try await failure(.post, of: server)
        #expect(error == .connectionLost || error == HTTPError(.invalidResponse))
        #expect(error.mayHaveBeenProcessed)
        #expect(processed.withLock { $0 } == ["a": 1])
    }

    @Test(arguments: [1, 33, 65, 100, 120]) func `headers spanning several frames arrive`(kilobytes: Int) async throws {
        let server = try HTTP2Server { _ in [.response(headerKilobytes: kilobytes)] }
        let transport = try client(of: server)
        for _ in 0..<2 {
            let response = try await send(.get, to: server, by: transport)
            #expect(response.headers.values(for: "x").map(\.utf8.count) == Array(repeating: 1000, count: kilobytes))
            #expect(response.text == "ok")
        }
    }

    /// Servers refuse streams when they close a connection, as they do all day.
    @Test(arguments: [16, 32]) func `no request is lost or processed twice while streams are refused`(
        flight: Int
    ) async throws {
        let state = Lock((random: Seeded(7), last: [Int: UInt32](), highest: [Int: UInt32]()))
        let mixes = CurlLibrary.version >= 0x080100
        let server = try HTTP2Server { request in
            let chance = state.withLock { state -> Int? in
                if let last = state.last[request.connection], request.stream > last { return nil }
                return Int.random(in: 0..<100, using: &state.random)
            }
            guard let chance else { return [] }  // It is above the last stream of a GOAWAY.
            // Before 8.1 libcurl does not tell why a stream was reset if a GOAWAY comes with the reset.
            let (resets, closes) = mixes ? (true, true) : (request.connection % 2 == 0, request.connection % 2 == 1)
            if resets, chance < 10 { return [.reset(code: 7)] }
            _ = count(request)
            return state.withLock { state in
                let highest = max(request.stream, state.highest[request.connection] ?? 0)
                state.highest[request.connection] = highest
                guard closes, chance < 15, state.last[request.connection] == nil else { return [.response()] }
                state.last[request.connection] = highest
                return [.response(), .goAway(lastStream: highest)]
            }
        }
        let transport = try client(of: server)
        let outcomes = await inFlight(flight, of: 600) { number in
            await Result { try await post("\(number)", to: server, by: transport).status }
        }
        let errors = outcomes.compactMap { if case .failure(let error) = $0 { error } else { nil } }
        let counts = processed.withLock { $0 }
        #expect(counts.values.allSatisfy { $0 == 1 })
        guard Self.tells else { return }
        #expect(errors.isEmpty, "\(errors)")
        #expect(counts.count == 600)
    }
}
