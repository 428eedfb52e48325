import CHalyardCurl
import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import Testing

/// One handle sends requests of all kinds in sequence, and no request inherits settings from an earlier one.
@Suite(.timeLimit(.minutes(3)))
struct ReuseTests {
    private struct Kind: Sendable, CustomStringConvertible {
        let method: HTTPMethod
        var body: Data?
        /// The value of Content-Length.
        var length: String?

        var description: String { "\(method) of \(length ?? "nothing")" }
    }

    private let kinds = [
        Kind(method: .get),
        Kind(method: .get, body: Data("query".utf8), length: "5"),
        Kind(method: .head),
        Kind(method: .delete),
        Kind(method: .post, length: "0"),
        Kind(method: .post, body: Data("some".utf8), length: "4"),
        Kind(method: .delete, body: Data("all".utf8), length: "3"),
        Kind(method: .put, body: Data("whole".utf8), length: "5"),
        Kind(method: .put, body: Data(repeating: 7, count: 2 << 20), length: "2097152"),
        Kind(method: .patch, body: Data("part".utf8), length: "4"),
    ]

    @Test func `each request is sent correctly after any other on the same handle`() async throws {
        let server = try LoopbackServer()
        for method in Set(kinds.map(\.method)) { server.on(method, "/", .text("done")) }
        let transport = CurlTransport(configuration: EngineConfiguration(connectionsPerHost: 1))
        for (first, second) in kinds.flatMap({ first in kinds.map { (first, $0) } }) {
            for kind in [first, second] {
                let response = try await transport.send(kind.method, to: server, body: kind.body.map(HTTPBody.init))
                #expect(response.status == 200 && response.text == (kind.method == .head ? "" : "done"))
                let seen = try #require(server.requests.last)
                let length = Int(kind.length ?? "") ?? 0
                #expect(seen.method == kind.method, "\(second) after \(first)")
                #expect(seen.headers["Content-Length"] == kind.length, "\(second) after \(first)")
                #expect(seen.body.count == length && seen.headers["Expect"] == nil, "\(second) after \(first)")
            }
        }
        #expect(server.requests.count == 2 * kinds.count * kinds.count)
    }

    @Test func `a handle is reused for consecutive requests, except after a failure`() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
                .on(.get, "/", .text("done"))
                .on(.get, "/folded", .raw("HTTP/1.1 200 OK\r\nA: 1\r\n 2\r\nContent-Length: 0\r\n\r\n"))
                .on(.get, "/short", .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort").closingConnection())
            let transport = CurlTransport()
            for _ in 0..<5 {
                _ = try await transport.send(to: server)
                _ = try await transport.send(to: server, "/folded")
                _ = try await transport.send(.head, to: server, "/")
            }
            #expect(halyard_easy_created_count() == 1)
            await #expect(throws: HTTPError.self) { try await transport.send(to: server, "/short") }
            _ = try await transport.send(to: server)
            #expect(halyard_easy_created_count() == 2)
            _ = try await transport.send(to: server)
            #expect(halyard_easy_created_count() == 2)
        }
    }

    @Test func `dead kept connections are counted per request, not per handle`() async throws {
        let transport = CurlTransport()
        for _ in 0..<7 {
            // The server reads the second request on a connection, and closes the connection without a response.
            let server = try LoopbackServer()
                .on(.get, "/first", .status(200))
                .on(.get, "/", .raw("").closingConnection(), .status(200))
            _ = try await transport.send(to: server, "/first")
            #expect(try await transport.send(to: server).status == 200)
        }
    }

    @Test func `a proxy's refusal of a tunnel does not affect the previous request`() async {
        await #expect(processExitsWith: .success) {
            let trailer = "HTTP/1.1 407 No\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n folded: 1\r\n\r\n"
            let proxy = try LoopbackServer()
                .on(.get, "/{any}", .text("proxy")).on(.connect, "/{any}", .raw(trailer).closingConnection())
            let transport = CurlTransport(
                configuration: EngineConfiguration(proxy: .http("127.0.0.1", port: proxy.port)))
            let plain = try HTTPRequest(.get, try #require(URL(string: "http://example.test/a")))
            let secure = try HTTPRequest(.get, try #require(URL(string: "https://example.test/a")))
            for _ in 0..<20 {
                #expect(try await transport.send(plain, context: TransferContext()).text == "proxy")
                await #expect(throws: HTTPError.self) { try await transport.send(secure, context: TransferContext()) }
            }
        }
    }

    @Test func `large streamed bodies and small ones alternate over reused and new connections`() async throws {
        let large = Data(repeating: 1, count: 3 << 20)
        let server = try LoopbackServer().on(.get, "/large", .data(large)).on(.get, "/small", .text("small"))
        let transport = CurlTransport(configuration: EngineConfiguration(connectionsPerHost: 1))
        for _ in 0..<3 {
            var count = 0
            let response = try await transport.send(to: server, "/large", destination: .stream)
            for try await chunk in try #require(response.stream) { count += chunk.count }
            #expect(count == large.count)
            #expect(try await transport.send(to: server, "/small").text == "small")
        }
    }

    @Test func `a request that bypasses the system's proxy does not affect requests that use it`() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer().on(.get, "/{any}", .text("proxy"))
            let server = try LoopbackServer().on(.get, "/", .text("server"))
            setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
            let transport = CurlTransport()
            let distant = try HTTPRequest(.get, try #require(URL(string: "http://example.test/a")))
            for _ in 0..<3 {
                #expect(try await transport.send(to: server).text == "server")
                #expect(try await transport.send(distant, context: TransferContext()).text == "proxy")
            }
            #expect(server.requests.count == 3 && proxy.requests.count == 3)
        }
    }
}
