import Foundation
import HalyardTesting
import Testing

@Suite("Messages read and written by the server", .timeLimit(.minutes(3)))
struct MessageTests {
    private func exchange(
        _ response: StubResponse, _ method: HTTPMethod = .get
    ) throws -> RawClient.Answer {
        let server = try LoopbackServer().on(method, "/", response)
        return try RawClient(port: server.port).exchange(method.rawValue, "/")
    }

    @Test func aRequestIsRecordedAsItCame() throws {
        let server = try LoopbackServer().on(.put, "/user/{id}/*", .status(204))
        let client = try RawClient(port: server.port)
        let target = "/user/a%2Fb%20c/x/y?q=a%26b&flag&q=%C3%A9+1"
        #expect(try client.exchange("PUT", target, headers: ["X-Tag: 1", "x-tag: 2"], body: "h\u{e9}").status == 204)
        let request = try #require(server.requests.first)
        #expect(request.method == .put)
        #expect(request.target == target)
        #expect(request.path == "/user/a%2Fb%20c/x/y")
        #expect(request.query == "q=a%26b&flag&q=%C3%A9+1")
        #expect(request.queryItems.map(\.name) == ["q", "flag", "q"])
        #expect(request.queryItems.map(\.value) == ["a&b", "", "\u{e9}+1"])
        #expect(request.pathParameters == ["id": "a/b c"])
        #expect(request.headers.values(for: "X-Tag") == ["1", "2"])
        #expect(request.text == "h\u{e9}")
        #expect(request.body == Data("h\u{e9}".utf8))
    }

    @Test func aRequestIsRecordedBeforeItIsAnswered() throws {
        let (server, seen) = (try LoopbackServer(), Lock(0))
        server.on(.get, "/") { [weak server] _ in
            seen.withLock { $0 = server?.requests.count ?? -1 }
            return .text("")
        }
        _ = try RawClient(port: server.port).exchange("GET", "/")
        #expect(seen.withLock { $0 } == 1)
    }

    @Test func aProxyRequestHasItsPath() throws {
        let server = try LoopbackServer().on(.get, "/a", .text("a"))
        let client = try RawClient(port: server.port)
        #expect(try client.exchange("GET", "http://example.com/a?b=1").body == "a")
        #expect(server.requests.first?.path == "/a")
        #expect(server.requests.first?.query == "b=1")
    }

    @Test(arguments: ["5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-Trailer: 1\r\n\r\n", "B\r\nhello world\r\n0\r\n\r\n"])
    func aChunkedRequestIsJoined(body: String) throws {
        let server = try LoopbackServer().on(.post, "/") { .text($0.text) }
        let client = try RawClient(port: server.port)
        let message = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + body
        try client.send(message)
        #expect(try client.answer().body == "hello world")
        // Byte by byte, and the connection stays open.
        for character in message.unicodeScalars { try client.send(String(character)) }
        #expect(try client.answer().body == "hello world")
        #expect(server.connectionCount == 1)
    }

    @Test func aLargeBodyGoesBothWays() throws {
        let server = try LoopbackServer().on(.post, "/") { .data($0.body) }
        let body = String(repeating: "0123456789", count: 300_000)
        let client = try RawClient(port: server.port)
        #expect(try client.exchange("POST", "/", body: body).body == body)
        #expect(try client.exchange("POST", "/", body: "small").body == "small")
    }

    @Test func chunksAreWrittenOneByOne() throws {
        let server = try LoopbackServer().on(.get, "/", .chunked([Data("hello".utf8), Data(), Data(" world".utf8)]))
        let client = try RawClient(port: server.port)
        try client.request("GET", "/", headers: ["Connection: close"])
        let text = try client.rest()
        #expect(text.contains("\r\nTransfer-Encoding: chunked\r\n"))
        #expect(!text.contains("Content-Length"))
        #expect(text.hasSuffix("\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"))
    }

    @Test func oldClientsGetNoChunks() throws {
        let server = try LoopbackServer().on(.get, "/", .chunked([Data("hello".utf8), Data(" world".utf8)]))
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.0\r\n\r\n")
        let answer = try client.answer()
        #expect(answer.headers["Content-Length"] == "11")
        #expect(answer.body == "hello world")
    }

    @Test func aHeadAnswerHasNoBody() throws {
        let server = try LoopbackServer().on(.head, "/a", .text("hello")).on(.head, "/b", .chunked([Data("x".utf8)]))
        let client = try RawClient(port: server.port)
        try client.request("HEAD", "/a")
        try client.request("HEAD", "/b", headers: ["Connection: close"])
        #expect(try client.answer(toHead: true).headers["Content-Length"] == "5")
        #expect(try client.answer(toHead: true).headers["Transfer-Encoding"] == "chunked")
        #expect(try client.rest() == "")
    }

    @Test(arguments: [204, 304])
    func someStatusesHaveNoBody(status: Int) throws {
        let server = try LoopbackServer().on(.get, "/", .text("hello", status: status))
        let client = try RawClient(port: server.port)
        try client.request("GET", "/", headers: ["Connection: close"])
        let text = try client.rest()
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        #expect(text.hasSuffix("\r\n\r\n"))
        #expect(!text.contains("Content-Length"))
    }

    @Test func aClientMayAskBeforeItSends() throws {
        let server = try LoopbackServer().on(.post, "/") { .text($0.text) }
        let client = try RawClient(port: server.port)
        try client.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
        #expect(try client.answer().statusLine == "HTTP/1.1 100 Continue")
        try client.send("body")
        #expect(try client.answer().body == "body")
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "", "nonsense"])
    func rawBytesAreWrittenAsTheyAre(bytes: String) throws {
        let server = try LoopbackServer().on(.get, "/", .raw(bytes))
        let client = try RawClient(port: server.port)
        try client.request("GET", "/")
        #expect(try client.rest() == bytes)
    }

    @Test func jsonHasItsTypeAndDatesInMilliseconds() throws {
        let answer = try exchange(.json(["at": Date(timeIntervalSince1970: 1.5)], status: 201, headers: ["ETag": "1"]))
        #expect(answer.statusLine == "HTTP/1.1 201 Created")
        #expect(answer.headers["Content-Type"] == "application/json")
        #expect(answer.headers["ETag"] == "1")
        #expect(answer.body == #"{"at":1500}"#)
        #expect(try exchange(.json(text: "{")).body == "{")
    }

    @Test func whatCannotBeEncodedIsA500ThatSaysSo() throws {
        let answer = try exchange(.json(["x": Double.nan]))
        #expect(answer.status == 500)
        #expect(answer.body.contains("cannot encode a Dictionary<String, Double>"))
    }

    @Test func statusesMayAskToComeBack() throws {
        let answer = try exchange(.status(503, retryAfter: 2))
        #expect(answer.statusLine == "HTTP/1.1 503 Service Unavailable")
        #expect(answer.headers["Retry-After"] == "2")
        #expect(answer.headers["Content-Length"] == "0")
        #expect(try exchange(.status(799)).statusLine == "HTTP/1.1 799 Unknown")
    }

    @Test func anAnswersOwnHeadersWin() throws {
        let answer = try exchange(.text("<p>", headers: ["content-type": "text/html", "Content-Length": "2"]))
        #expect(answer.headers.values(for: "Content-Type") == ["text/html"])
        #expect(answer.headers["Content-Length"] == "2")
    }

    @Test func aHeaderThatCannotBeSentIsA500ThatNamesIt() throws {
        let answer = try exchange(.text("", headers: ["X-Bad": "a\r\nb"]))
        #expect(answer.status == 500)
        #expect(answer.body.contains("X-Bad"))
    }

    @Test func anAnswerThatThrowsIsA500WithItsText() throws {
        struct Trouble: Error {}
        let server = try LoopbackServer().on(.get, "/") { _ in throw Trouble() }
        let client = try RawClient(port: server.port)
        let answer = try client.exchange("GET", "/")
        #expect(answer.status == 500)
        #expect(answer.body == "Trouble()\n")
        #expect(try client.exchange("GET", "/").status == 500)
    }

    @Test(arguments: [
        ("garbage\r\n\r\n", 400), ("\u{16}\u{3}\u{1}", 400), ("GET /\r\nHost: h\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: h\n\n", 400), ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 505),
        ("GET /\u{e9} HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET / FTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", 400), ("G[]T / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: a\u{0}b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 400),
    ])
    func whatIsNoRequestIsRefused(bytes: String, status: Int) throws {
        try expectRefusal(of: bytes, status)
    }

    @Test func aHeadBeyondTheLimitIsRefused() throws {
        try expectRefusal(of: "GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "x", count: 1 << 20))\r\n\r\n", 431)
    }

    @Test func trailersBeyondTheLimitAreRefused() throws {
        let lines = (0..<1000).map { "X-\($0): \(String(repeating: "x", count: 20))\r\n" }.joined()
        try expectRefusal(of: "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\(lines)\r\n", 431)
    }

    private func expectRefusal(of bytes: String, _ status: Int) throws {
        let server = try LoopbackServer().on(.get, "/", .text("hello"))
        let client = try RawClient(port: server.port)
        try client.send(bytes)
        let answer = try client.answer()
        #expect(answer.status == status)
        #expect(answer.headers["Connection"] == "close")
        #expect(answer.body.hasPrefix("Bad request: "))
        #expect(try client.rest() == "")
        #expect(server.requests.isEmpty)
    }

    @Test func aLongHeadIsRead() throws {
        let server = try LoopbackServer().on(.get, "/") { .text("\($0.headers["X"]?.count ?? 0)") }
        let client = try RawClient(port: server.port)
        let long = String(repeating: "x", count: 900_000)
        #expect(try client.exchange("GET", "/", headers: ["X: \(long)"]).body == "900000")
        #expect(try client.exchange("GET", "/", headers: ["X: y"]).body == "1")
    }
}
