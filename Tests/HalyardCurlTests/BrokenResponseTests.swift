import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import Testing

/// A response that breaks the rules is an error: never a success, a hang or a crash.
@Suite(.timeLimit(.minutes(3)))
struct BrokenResponseTests {
    let transport = CurlTransport()

    @Test(arguments: [
        ("", HTTPError.Kind.connectionLost),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", .connectionLost),
        ("HTTP/1.1 200 OK\r\nContent-Le", .connectionLost),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", .connectionLost),
        ("HTTP/1.1 100 Continue\r\n\r\n", .connectionLost),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", .connectionLost),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nabc\r\n0\r\n\r\n", .invalidResponse),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcXX0\r\n\r\n", .invalidResponse),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n",
            .invalidResponse
        ),
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", .invalidResponse),
        (
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            .invalidResponse
        ),
        ("HTTP/x 200 OK\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
        ("HTTP/3 200 OK\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
        ("HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
        ("HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
        ("HTTP/1.1 1000 High\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
        ("HTTP/1.1 2e2 OK\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
        ("SSH-2.0-OpenSSH_9.2\r\n", .invalidResponse),
        ("HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5 6\r\n\r\nhello", .invalidResponse),
        ("HTTP/1.1 200 OK\r\nX-A: a\u{0}b\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
    ])
    func `a broken response fails`(response: String, kind: HTTPError.Kind) async throws {
        let server = try LoopbackServer().on(.get, "/", .raw(response))
        let error = await #expect(throws: HTTPError.self) { try await transport.send(to: server) }
        #expect(error?.kind == kind, "\(error.map { "\($0)" } ?? "")")
        #expect(error?.request?.url.host() == "127.0.0.1")
    }

    @Test func `a folded first header line is rejected, and the next response is read correctly`() async throws {
        let server = try LoopbackServer()
            .on(.get, "/folded", .raw("HTTP/1.1 200 OK\r\n\tA: 1\r\nContent-Length: 0\r\n\r\n"))
            .on(.get, "/sound", .raw("HTTP/1.1 200 OK\r\nA: 1\r\n  2\r\nContent-Length: 0\r\n\r\n"))
        for _ in 0..<3 {
            let error = await #expect(throws: HTTPError.self) { try await transport.send(to: server, "/folded") }
            #expect(error?.kind == .invalidResponse)  // libcurl 8.1.2 rejects it itself, with another message
            #expect(try await transport.send(to: server, "/sound").headers["A"] == "1 2")
        }
    }

    @Test func `a body beyond the limit ends the transfer, with or without a declared length`() async throws {
        let body = Data(repeating: 7, count: 100_000)
        let server = try LoopbackServer().on(.get, "/announced", .data(body)).on(.get, "/chunked", .chunked([body]))
        for path in ["/announced", "/chunked"] {
            await #expect(throws: HTTPError(.bodyTooLarge(limit: 99_999))) {
                try await transport.send(to: server, path, destination: .memory(limit: 99_999))
            }
            #expect(
                try await transport.send(to: server, path, destination: .memory(limit: 100_000)).data.count == 100_000)
        }
    }

    @Test func `a kept connection that the server closed is replaced`() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("one").closingConnection(), .text("two"))
        #expect(try await transport.send(to: server).text == "one")
        #expect(try await transport.send(to: server).text == "two")
        #expect(server.connectionCount == 2)
    }

    @Test func `a refused connection and an unknown host name give different errors`() async throws {
        let server = try LoopbackServer()
        server.stop()
        await #expect(throws: HTTPError(.cannotConnect("http://127.0.0.1:\(server.port)"))) {
            try await transport.send(to: server)
        }
        let url = try #require(URL(string: "http://nowhere.invalid/"))
        await #expect(throws: HTTPError(.hostNotFound("nowhere.invalid"))) {
            try await transport.send(HTTPRequest(.get, url), context: TransferContext())
        }
    }
}
