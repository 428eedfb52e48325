import Foundation
import HalyardHTTP
import Testing

/// The checks of a request before it is sent.
struct HTTPRequestTests {
    private func request(_ headers: HTTPHeaders = [:], _ url: String = "https://a.com/x?y=1") throws -> HTTPRequest {
        try HTTPRequest(.get, try #require(URL(string: url)), headers: headers)
    }

    @Test func `a new request takes the URL's origin and delivers to memory`() throws {
        let request = try request([:], "https://A.com:8443/x")
        #expect(request.origin.description == "https://a.com:8443")
        #expect(request.destination == .memory(limit: 64 << 20))
        #expect(request.body == nil)
    }

    @Test(arguments: ["/relative", "ftp://a.com/", "https://user:secret@a.com/", "mailto:a@b.c"])
    func `a URL that cannot be requested is refused and named without its secrets`(_ url: String) throws {
        let error = #expect(throws: HTTPError.self) { try request([:], url) }
        guard case .invalidURL(let shown) = error?.kind else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(!shown.contains("secret"))
    }

    @Test func `a relative URL with a base becomes absolute`() throws {
        let url = try #require(URL(string: "b", relativeTo: URL(string: "http://a.com/x/")))
        #expect(try HTTPRequest(.get, url).origin.host == "a.com")
    }

    @Test func `setting a URL changes the origin, and an invalid URL changes nothing`() throws {
        var request = try request()
        try request.setURL(try #require(URL(string: "http://b.com:81/")))
        #expect(request.origin.description == "http://b.com:81")
        #expect(throws: HTTPError(.invalidURL("ftp://c.com/"))) { try request.setURL(URL(string: "ftp://c.com/")!) }
        #expect(request.url.absoluteString == "http://b.com:81/")
        #expect(request.origin.description == "http://b.com:81")
    }

    @Test(arguments: [
        "Connection", "content-length", "EXPECT", "Keep-Alive", "Proxy-Connection", "TE", "trailer",
        "Transfer-Encoding",
        "Upgrade",
    ])
    func `a header that frames the message is refused in any case`(_ name: String) throws {
        let error = #expect(throws: HTTPError.self) { try request(["A": "1", name: "0"]).checkHeaders() }
        #expect(error?.kind == .invalidHeader(name))
        #expect(error?.reason == "the engine sets it")
        #expect(error?.request?.url.host() == "a.com")
        var empty = try request()
        empty.headers[name] = ""
        #expect(throws: HTTPError(.invalidHeader(name))) { try empty.checkHeaders() }
    }

    @Test func `a header that was rejected when set fails the request with its reason`() throws {
        var request = try request(["A": "1"])
        try request.checkHeaders()
        request.headers["X-Evil"] = "1\r\nHost: evil.com"
        let error = #expect(throws: HTTPError.self) { try request.checkHeaders() }
        #expect(error?.kind == .invalidHeader("X-Evil"))
        #expect(error?.reason == "its value contains a carriage return")
        #expect(error?.request?.headers == request.headers)
    }

    @Test(arguments: ["Content-Type", "Content-Encoding", "Host", "Accept-Encoding", "TE-X", "X-Connection", "Range"])
    func `the caller can set all other headers`(_ name: String) throws {
        try request([name: "x"]).checkHeaders()
    }

    @Test func `two Host headers are rejected because servers disagree about which one counts`() throws {
        let error = #expect(throws: HTTPError.self) {
            try request(["Host": "a.com", "host": "evil.com"]).checkHeaders()
        }
        #expect(error?.kind == .invalidHeader("Host"))
        #expect(error?.reason == "there is more than one")
    }

    @Test func `a body knows its length`() {
        #expect(HTTPBody(Data()).length == 0)
        #expect(HTTPBody(Data([1, 2, 3]).dropFirst()).length == 2)
    }
}
