import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Metrics, trailers and interim responses, and invalid header fields.
@Suite(.timeLimit(.minutes(3)))
struct TruthTests {
    @Test(arguments: ["HTTP/2 200 OK", "HTTP/2 200 ", "HTTP/2 200", "HTTP/2.0 200 OK"])
    func `an HTTP/2 status line over HTTP/1 fails`(line: String) async throws {
        let server = try LoopbackServer().on(.get, "/", .raw("\(line)\r\nContent-Length: 2\r\n\r\nok"))
        await #expect(throws: HTTPError(.invalidResponse)) { try await CurlTransport().send(to: server) }
    }

    let transport = CurlTransport()

    @Test func `metrics contain times, bytes, version, connection and address`() async throws {
        let server = try LoopbackServer().on(.put, "/", .text("hello"))
        for isReused in [false, true] {
            let response = try await transport.send(.put, to: server, body: HTTPBody(Data(count: 1000)))
            let metrics = try #require(response.metrics)
            #expect(metrics.isConnectionReused == isReused)
            #expect(metrics.bytesSent == 1000 && metrics.bytesReceived == 5)
            #expect(metrics.httpVersion == "HTTP/1.1")
            #expect(metrics.remoteAddress == "127.0.0.1:\(server.port)")
            #expect(metrics.tls == .zero)
            #expect(metrics.nameLookup <= metrics.connect && metrics.connect <= metrics.firstByte)
            #expect(.zero < metrics.firstByte && metrics.firstByte <= metrics.total)
        }
    }

    @Test(.faults(33)) func `trailers are separate from the headers, and a stream provides them at its end`()
        async throws
    {
        let wire = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
        let server = try LoopbackServer().on(
            .get, "/", .raw(wire + "5\r\nhello\r\n0\r\nX-Sum: 7\r\nX-Two: a\r\n\r\n"))
        let response = try await transport.send(to: server)
        #expect(response.text == "hello")
        #expect(response.trailers.map { "\($0.name): \($0.value)" } == ["X-Sum: 7", "X-Two: a"])
        #expect(response.headers["X-Sum"] == nil)

        let stream = try #require(try await transport.send(to: server, destination: .stream).stream)
        for try await _ in stream {}
        #expect(stream.trailers["X-Sum"] == "7")
        #expect(stream.metrics?.bytesReceived == 5)
    }

    @Test func `a folded trailer is one header, or fails where libcurl rejects it`() async throws {
        let wire = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
        let server = try LoopbackServer().on(.get, "/", .raw(wire + "X-Two: a\r\n b\r\n\r\n"))
        do {
            let response = try await transport.send(to: server)
            #expect(response.trailers["X-Two"] == "a b")
        } catch let error as HTTPError { #expect(error.kind == .invalidResponse) }
    }

    @Test(.faults(27)) func `interim responses are separate from the final response, and limited in number`()
        async throws
    {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
        let final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        let server = try LoopbackServer()
            .on(.get, "/", .raw(hints + final))
            .on(.get, "/fifty", .raw(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 50) + final))
            .on(.get, "/flood", .raw(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1_000_000) + final))
        let response = try await transport.send(to: server)
        #expect(response.status == 200 && response.headers["Link"] == nil)
        #expect(response.informational.map(\.status) == [103])
        #expect(response.informational.first?.headers["Link"] == "</a.css>")
        let fifty = try await transport.send(to: server, "/fifty")
        #expect(fifty.text == "ok" && fifty.informational.count == 16)
        await #expect(throws: HTTPError(.headersTooLarge(limit: 256 << 10))) {
            try await transport.send(to: server, "/flood")
        }
    }

    @Test(
        "different or invalid lengths fail; a repeated length is accepted", .faults(25),
        arguments: [
            ("Content-Length: 2\r\nContent-Length: 3\r\n", false), ("Content-Length: -5\r\n", false),
            ("Content-Length: 2, 3\r\n", false), ("Content-Length: two\r\n", false), ("Content-Length: \r\n", false),
            ("Content-Length: 9223372036854775296\r\n", false), ("Content-Length: 2,\r\n", false),
            ("Content-Length: 2\r\nContent-Length: 2\r\n", true), ("Content-Length: 2, 2\r\n", true),
        ])
    func lengths(fields: String, isFine: Bool) async throws {
        let server = try LoopbackServer().on(.get, "/", .raw("HTTP/1.1 200 OK\r\n\(fields)\r\nok").closingConnection())
        if isFine {
            #expect(try await transport.send(to: server).text == "ok")
        } else {
            let error = await #expect(throws: HTTPError.self) { try await transport.send(to: server) }
            #expect(error == HTTPError(.invalidResponse) || error == HTTPError(.bodyTooLarge(limit: 64 << 20)))
        }
    }

    @Test(.faults(29)) func `a flood of headers is refused`() async throws {
        let flood = (0..<20_000).map { "X-\($0): \($0)\r\n" }.joined()
        let server = try LoopbackServer()
            .on(.get, "/", .raw("HTTP/1.1 200 OK\r\n\(flood)Content-Length: 2\r\n\r\nok"))
            .on(.get, "/long", .raw("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 1 << 20))\r\n\r\n"))
        await #expect(throws: HTTPError(.headersTooLarge(limit: 256 << 10))) { try await transport.send(to: server) }
        let error = await #expect(throws: HTTPError.self) { try await transport.send(to: server, "/long") }
        #expect(
            error == HTTPError(.headersTooLarge(limit: 100 << 10))
                || error == HTTPError(.headersTooLarge(limit: 256 << 10)))
        let tight = CurlTransport(configuration: .init(headerLimit: 20))
        await #expect(throws: HTTPError(.headersTooLarge(limit: 20))) { try await tight.send(to: server) }
    }

    @Test(.faults(36)) func `two cookies stay separate, and header names keep the server's spelling`() async throws {
        let server = try LoopbackServer().on(
            .get, "/", .raw("HTTP/1.1 200\r\nset-cookie: a=1\r\nSet-COOKIE: b=2, c\r\nContent-Length: 0\r\n\r\n"))
        let response = try await transport.send(to: server)
        #expect(response.headers.values(for: "Set-Cookie") == ["a=1", "b=2, c"])
        #expect(response.headers.map(\.name.rawValue) == ["set-cookie", "Set-COOKIE", "Content-Length"])
    }
}
