import Foundation
import HalyardHTTP
@testable import HalyardWebSocket
import Testing

@Suite struct HandshakeTests {
    private let handshake = Handshake(subprotocols: ["chat", "v2.chat"], key: "dGhlIHNhbXBsZSBub25jZQ==")

    private func response(_ fields: HTTPHeaders) throws -> HTTPResponse {
        var headers: HTTPHeaders = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        ]
        headers.merge(fields)
        return HTTPResponse(status: 101, headers: headers, url: try #require(URL(string: "http://a.example")))
    }

    @Test func `SHA-1 produces the hashes of FIPS 180`() {
        func hex(_ text: String) -> String {
            SHA1Digest.hash(Array(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        #expect(hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
        #expect(hex(String(repeating: "a", count: 200)) == "e61cfffe0d9195a525fc6cf06ca2d77119c24a40")
    }

    @Test func `the key is answered as in RFC 6455 section 1.3`() throws {
        #expect(Handshake.accept(for: handshake.key) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(try handshake.subprotocol(in: response([:])) == nil)
        #expect(try handshake.subprotocol(in: response(["Sec-WebSocket-Protocol": "chat"])) == "chat")
        #expect(try handshake.subprotocol(in: response(["Connection": "keep-alive, upgrade"])) == nil)
        #expect(try handshake.subprotocol(in: response(["Upgrade": "WebSocket"])) == nil)
    }

    @Test func `each connection has a key of 16 random bytes`() {
        let keys = (0..<10).map { _ in Handshake(subprotocols: []).key }
        #expect(Set(keys).count == 10)
        #expect(keys.allSatisfy { Data(base64Encoded: $0)?.count == 16 })
    }

    @Test(arguments: [
        ["Upgrade": "h2c"], ["Connection": "close"], ["Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo"],
        ["Sec-WebSocket-Accept": ""], ["Sec-WebSocket-Extensions": "permessage-deflate"],
        ["Sec-WebSocket-Protocol": "other"], ["Sec-WebSocket-Protocol": "chat, v2.chat"],
        ["Sec-WebSocket-Protocol": "CHAT"],
    ])
    func `a response that does not match the handshake is refused`(fields: [String: String]) {
        #expect(throws: HTTPError(.invalidResponse)) { try handshake.subprotocol(in: response(HTTPHeaders(fields))) }
    }

    @Test(arguments: [
        ("http://a.example", "/", "a.example"), ("http://a.example?q=1", "/?q=1", "a.example"),
        ("https://a.example:8443/x%20y?q=1#part", "/x%20y?q=1", "a.example:8443"),
        ("http://[::1]:81/feed", "/feed", "[::1]:81"), ("https://a.example:443/", "/", "a.example"),
    ])
    func `the request has the target, the host and the handshake headers`(url: String, target: String, host: String)
        throws
    {
        var request = try HTTPRequest(.get, #require(URL(string: url)))
        request.headers["User-Agent"] = "Test"
        let head = String(decoding: handshake.head(of: request), as: UTF8.self)
        #expect(
            head == """
                GET \(target) HTTP/1.1\r
                Host: \(host)\r
                User-Agent: Test\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Protocol: chat, v2.chat\r
                \r

                """)
    }

    @Test func `a request with another method, a body or handshake headers is refused`() throws {
        let url = try #require(URL(string: "http://a.example/"))
        func check(_ change: (inout HTTPRequest) -> Void, _ handshake: Handshake? = nil) throws(HTTPError) {
            var request = try HTTPRequest(.get, url)
            change(&request)
            try (handshake ?? self.handshake).check(request)
        }
        #expect(throws: HTTPError(.invalidMethod("POST"))) { try check { $0.method = .post } }
        #expect(throws: HTTPError(.encoding("the body"))) { try check { $0.body = HTTPBody(Data([1])) } }
        #expect(throws: HTTPError(.invalidHeader("sec-websocket-key"))) {
            try check { $0.headers["sec-websocket-key"] = "x" }
        }
        for subprotocols in [["a b"], [""], ["a\r\nb"], ["a", "a"]] {
            #expect(throws: HTTPError(.invalidHeader("Sec-WebSocket-Protocol"))) {
                try check({ _ in }, Handshake(subprotocols: subprotocols))
            }
        }
    }
}
