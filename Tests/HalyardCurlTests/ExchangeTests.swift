import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import Testing

/// Requests and responses over a real socket.
@Suite(.timeLimit(.minutes(3)))
struct ExchangeTests {
    let transport = CurlTransport()

    @Test func `sends headers in order, duplicates and empty values included`() async throws {
        let server = try LoopbackServer().on(.get, "/", .status(200))
        var headers: HTTPHeaders = ["X-A": "1", "X-Empty": "", "x-case": "Kept", "X-Text": "é"]
        try headers.append("2", for: "X-A")
        _ = try await transport.send(to: server, headers: headers)
        let got = server.requests[0].headers
        #expect(got.values(for: "X-A") == ["1", "2"])
        #expect(got.values(for: "X-Empty") == [""])
        #expect(got.contains { $0.name.rawValue == "x-case" && $0.value == "Kept" })
        #expect(got["X-Text"] == "é")
        #expect(!got.contains("User-Agent") && !got.contains("Expect"))
    }

    @Test func `refuses a header that was rejected when it was set or that frames the message`() async throws {
        let server = try LoopbackServer().on(.get, "/", .status(200))
        for headers: HTTPHeaders in [["X-A": "a\r\nX-Evil: 1"], ["X A": "1"], ["Content-Length": "5"]] {
            await #expect(throws: HTTPError.self) { try await transport.send(to: server, headers: headers) }
        }
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: [0, 1, 14, 15, 1000, 65_536, 5_000_000])
    func `sends and receives bodies of any size`(count: Int) async throws {
        let server = try LoopbackServer().on(.put, "/") { .data($0.body) }
        let body = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let response = try await transport.send(.put, to: server, body: HTTPBody(body))
        #expect(response.data == body)
        #expect(server.requests[0].headers["Content-Length"] == "\(count)")
        #expect(!server.requests[0].headers.contains("Transfer-Encoding"))
    }

    @Test func `sends a slice of data that does not start at zero`() async throws {
        let server = try LoopbackServer().on(.post, "/") { .data($0.body) }
        let slice = Data("0123456789".utf8)[4..<8]
        #expect(try await transport.send(.post, to: server, body: HTTPBody(slice)).data == Data("4567".utf8))
    }

    @Test func `any method may send a body`() async throws {
        let server = try LoopbackServer()
        let methods: [HTTPMethod] = [.get, .delete, .options, .patch, .trace]
        for method in methods { server.on(method, "/") { .text("\($0.method) \($0.text)") } }
        for method in methods {
            let response = try await transport.send(method, to: server, body: HTTPBody(Data("body".utf8)))
            #expect(response.text == "\(method) body")
        }
    }

    @Test func `a HEAD request, with or without a body, does not wait for a response body`() async throws {
        let server = try LoopbackServer().on(.head, "/", .text("twelve bytes")).on(.get, "/", .text("next"))
        let plain = try await transport.send(.head, to: server)
        #expect(plain.headers["Content-Length"] == "12" && plain.data.isEmpty)
        let full = try await transport.send(.head, to: server, body: HTTPBody(Data("body".utf8)))
        #expect(full.status == 200 && full.data.isEmpty)
        #expect(server.requests[1].text == "body")
        #expect(try await transport.send(to: server).text == "next")
    }

    @Test(arguments: [204, 304])
    func `a status without a body leaves the connection usable`(status: Int) async throws {
        let server = try LoopbackServer().on(.get, "/", .status(status)).on(.get, "/next", .text("next"))
        #expect(try await transport.send(to: server).data.isEmpty)
        #expect(try await transport.send(to: server, "/next").text == "next")
        #expect(server.connectionCount == 1)
    }

    @Test func `a POST without a body sends a Content-Length of 0`() async throws {
        let server = try LoopbackServer().on(.post, "/", .status(200)).on(.delete, "/", .status(200))
        _ = try await transport.send(.post, to: server)
        _ = try await transport.send(.delete, to: server)
        #expect(server.requests[0].headers["Content-Length"] == "0")
        #expect(!server.requests[1].headers.contains("Content-Length"))
    }

    @Test func `chunks are joined, and trailers do not count as headers`() async throws {
        let trailers = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Trailer: late\r\n\r\n"
        let server = try LoopbackServer().on(.get, "/chunks", .chunked([Data("ab".utf8), Data("cd".utf8)]))
            .on(.get, "/trailers", .raw(trailers))
        #expect(try await transport.send(to: server, "/chunks").text == "abcd")
        let response = try await transport.send(to: server, "/trailers")
        #expect(response.text == "abc" && !response.headers.contains("X-Trailer"))
    }

    @Test func `fifty interim responses may precede the response`() async throws {
        let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 50)
        let server = try LoopbackServer()
            .on(.get, "/", .raw(interim + "HTTP/1.1 200 OK\r\nX-Final: 1\r\nContent-Length: 2\r\n\r\nok"))
        let response = try await transport.send(to: server)
        #expect(response.status == 200 && response.text == "ok")
        #expect(response.headers["X-Final"] == "1" && !response.headers.contains("Link"))
    }

    @Test func `headers are read in any valid form`() async throws {
        let head = "HTTP/1.1 200\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\nX-Folded: one\r\n  two\r\nX-Empty:\r\n"
        let latin =
            Data(head.utf8) + Data("X-Latin: caf".utf8) + Data([0xE9]) + Data("\r\nContent-Length: 0\r\n\r\n".utf8)
        let server = try LoopbackServer().on(.get, "/", .raw(latin))
        let headers = try await transport.send(to: server).headers
        #expect(headers.values(for: "Set-Cookie") == ["a=1", "b=2"])
        #expect(headers.first?.name.rawValue == "set-cookie")
        #expect(headers["X-Folded"] == "one two")
        #expect(headers["X-Empty"] == "")
        #expect(headers["X-Latin"] == "café")
    }
}
