import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

@testable import Halyard

/// Which request a redirect leads to: the Fetch standard's table, without a network.
struct RedirectTests {
    private func next(
        _ status: Int, _ location: String? = "/next", _ method: HTTPMethod = .get, from url: String = "https://h/a/b?q",
        body: HTTPBody? = nil, headers: HTTPHeaders = [:], secrets: Set<String> = [], count: Int = 0,
        policy: RedirectPolicy = .follow
    ) throws -> HTTPRequest? {
        var request = try HTTPRequest(method, #require(URL(string: url)), headers: headers, body: body)
        request.secretNames = secrets
        let fields: HTTPHeaders = location.map { ["Location": $0] } ?? [:]
        let response = HTTPResponse(status: status, headers: fields, url: request.url)
        return try Redirect.next(after: response, to: request, count: count, policy)
    }

    struct Row: Sendable, CustomStringConvertible {
        let status: Int
        let method, sent: HTTPMethod
        let keepsBody: Bool
        var description: String { "\(status) \(method)" }
    }

    private static let rows: [Row] = [301, 302, 303, 307, 308].flatMap { status in
        [HTTPMethod.get, .head, .post, .put, .delete].map { method in
            let becomesGet = (status < 303 && method == .post) || (status == 303 && method != .get && method != .head)
            return Row(status: status, method: method, sent: becomesGet ? .get : method, keepsBody: !becomesGet)
        }
    }

    @Test("the status decides the method and whether the body is kept", .faults(50), arguments: rows)
    func table(row: Row) throws {
        let fields: HTTPHeaders = ["Content-Type": "a/b", "Content-Language": "en", "X-Other": "1"]
        let request = try #require(
            try next(row.status, "/next", row.method, body: HTTPBody(Data("body".utf8)), headers: fields))
        #expect(request.method == row.sent)
        #expect((request.body != nil) == row.keepsBody)
        #expect((request.headers["Content-Type"] != nil) == row.keepsBody)
        #expect((request.headers["Content-Language"] != nil) == row.keepsBody)
        #expect(request.headers["X-Other"] == "1")
        #expect(request.url.absoluteString == "https://h/next")
    }

    @Test(
        "these responses are not redirects",
        arguments: [(200, "/x"), (300, "/x"), (304, "/x"), (305, "/x"), (302, nil)])
    func none(status: Int, location: String?) throws { #expect(try next(status, location) == nil) }

    @Test("the policy .never neither follows nor rejects a redirect")
    func never() throws { #expect(try next(302, "file:///etc/passwd", policy: .never) == nil) }

    @Test(
        "a redirect to another scheme, host or port drops credentials and secrets", .faults(51),
        arguments: ["https://other/", "https://h:444/", "//evil.com/x", "https://h.evil.com/"])
    func foreign(location: String) throws {
        let headers: HTTPHeaders = [
            "Authorization": "Bearer s", "Cookie": "a=b", "Proxy-Authorization": "x", "Host": "h", "X-Key": "s",
            "Accept": "*/*",
        ]
        let request = try #require(try next(302, location, headers: headers, secrets: ["x-key"]))
        #expect(request.headers.map(\.name.rawValue) == ["Accept"])
        let home = try #require(try next(302, "https://H:443/else", headers: headers, secrets: ["x-key"]))
        #expect(home.headers.count == 6)
    }

    @Test("https to http is refused unless the policy allows it; http to https is followed", .faults(52))
    func downgrade() throws {
        #expect(throws: HTTPError(.insecureRedirect("http://h"))) { try next(301, "http://h/") }
        #expect(try next(301, "http://h/", policy: .follow(allowsDowngrade: true))?.url.absoluteString == "http://h/")
        #expect(try next(301, "https://h/", from: "http://h/")?.url.absoluteString == "https://h/")
    }

    @Test(
        "redirects to other schemes, with user info, or with ambiguous URLs are rejected", .faults(53),
        arguments: [
            "file:///etc/passwd", "data:text/plain,x", "ftp://h/x", "javascript:alert(1)",
            "https://user:word@evil.com/",
            "https://h:99999/", "http:x/..///evil.com", "http:/.//evil.com", "https:///x", "https://a.com\\@evil.com/",
        ])
    func refused(location: String) throws {
        let error = #expect(throws: HTTPError.self) { try next(302, location) }
        guard case .invalidURL = error?.kind else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(error?.reason?.hasPrefix("the response's Location") == true)
        #expect(error?.response?.status == 302)
    }

    @Test("a redirect beyond the limit fails", .faults(54))
    func limit() throws {
        #expect(try next(302, count: 19) != nil)
        #expect(throws: HTTPError(.tooManyRedirects(limit: 20))) { try next(302, count: 20) }
    }

    @Test("redirecting a one-shot body fails unless the redirect drops the body", .faults(22))
    func readOnce() throws {
        let stream = HTTPBody(stream: AsyncStream<Data> { $0.finish() })
        #expect(throws: HTTPError(.bodyConsumed)) { try next(307, "/x", .post, body: stream) }
        #expect(try next(303, "/x", .post, body: stream)?.body == nil)
    }

    /// RFC 3986 sections 5.4.1 and 5.4.2, against `http://a/b/c/d;p?q`; fragments are never sent.
    private static let references: [(String, String)] = [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/../x", "http://a/b/c/g"), ("http:g", "http:g"),
        // References that servers send although the standard does not allow them.
        (" /a b ", "http://a/a%20b"), ("/é", "http://a/%C3%A9"), ("HTTP://B/x", "http://B/x"), ("//g?a", "http://g?a"),
        ("/a\\b", "http://a/a%5Cb"), ("a//b/../c", "http://a/b/c/a//c"),
    ]

    @Test("references resolve as in RFC 3986", arguments: references)
    func resolve(reference: String, whole: String) {
        #expect(Location.resolve(reference, against: "http://a/b/c/d;p?q") == whole)
    }

    /// If a Location had one invalid character, Foundation escaped the whole text again.
    @Test(
        "escaped characters are not escaped again",
        arguments: [
            ("/a[1]/%C3%A9", "https://h/a%5B1%5D/%C3%A9"), ("/100%/%2F", "https://h/100%25/%2F"),
            ("/é%zz%2", "https://h/%C3%A9%25zz%252"), ("/?f[a]=%20", "https://h/?f%5Ba%5D=%20"),
            ("//[::1]:8/x", "https://[::1]:8/x"),
        ])
    func escapes(location: String, whole: String) throws {
        #expect(try next(302, location)?.url.absoluteString == whole)
    }

    @Test(
        "an internationalized host is read as in browsers (IDNA)",
        arguments: [
            ("http://bücher.example/", "http://xn--bcher-kva.example/"),
            ("//BÜCHER.example:81/x", "https://xn--bcher-kva.example:81/x"),
            ("http://b%C3%BCcher.example", "http://xn--bcher-kva.example"),
            ("http://bu\u{308}cher.example", "http://xn--bcher-kva.example"),
            ("http://faß.de/é", "http://xn--fa-hia.de/%C3%A9"), ("http://例え.テスト/", "http://xn--r8jz45g.xn--zckzah/"),
            ("http://пример.испытание/", "http://xn--e1afmkfd.xn--80akhbyknj4f/"),
            ("http://mañana.com", "http://xn--maana-pta.com"),
            ("http://☃.net/", "http://xn--n3h.net/"), ("http://a。é．b｡c/", "http://a.xn--9ca.b.c/"),
            ("http://βόλος.com", "http://xn--nxasmm1c.com"),
            ("http://Ｅｘａｍｐｌｅ.com/", "http://example.com/"), ("http://🦊.example", "http://xn--9s9h.example"),
            ("http://한국.example/", "http://xn--3e0b707e.example/"),
            ("http://भारत.example/", "http://xn--h2brj9c.example/"),
            ("http://\u{1112}\u{1161}\u{11AB}국.example/", "http://xn--3e0b707e.example/"),
            ("http://ÅÅ.example", "http://xn--5caa.example"),
        ])
    func script(location: String, whole: String) throws {
        #expect(try next(302, location, policy: .follow(allowsDowngrade: true))?.url.absoluteString == whole)
    }

    @Test("a host of any length is read or refused immediately", .timeLimit(.minutes(1)))
    func longName() throws {
        let marks = String(repeating: "\u{301}", count: 100_000) + String(repeating: "\u{316}", count: 100_000)
        #expect(throws: HTTPError.self) {
            try next(302, "http://e\(marks).example/", policy: .follow(allowsDowngrade: true))
        }
    }

    @Test(
        "a host that is not a domain name is refused",
        arguments: [
            "http://é\u{200B}\u{AD}\u{FFFD}.example/", "http://é\u{2028}.example", "http://\u{301}a.example/",
            "http://é%2Fb.example",
            "http://é@evil.com", "http://é..example/", "http://\u{E000}.example/",
            "http://é%00.example/",
            "http://\(String(repeating: "é", count: 64)).example/", "http://a／é.example/", "http://é？.example/",
            "http://xn--é.example/", "http://１.２.３.４５６/",
        ])
    func noName(location: String) throws {
        let error = #expect(throws: HTTPError.self) { try next(302, location, policy: .follow(allowsDowngrade: true)) }
        if case .invalidURL? = error?.kind { return }
        Issue.record("\(String(describing: error))")
    }

    @Test("a raw ISO-8859-1 byte stays a single byte")
    func rawByte() async throws {
        let head =
            Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\nLocation: /caf".utf8) + [0xE9]
            + Array("\r\n\r\n".utf8)
        let server = try LoopbackServer().on(.get, "/", .raw(Data(head)))
            .on(.get, "/caf%E9", .text("the byte")).on(.get, "/caf%C3%A9", .text("the character"))
        let response = try await HTTPClient().send(HTTPRequest(.get, server.baseURL.appending(path: "/")))
        #expect(response.text == "the byte" && response.url.path(percentEncoded: true) == "/caf%E9")
    }

    @Test("a reference resolves against a base without a path")
    func emptyPath() {
        #expect(Location.resolve("g", against: "http://a") == "http://a/g")
        #expect(Location.resolve("?y", against: "http://a") == "http://a?y")
    }
}
