import Foundation
import HalyardHTTP
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

    @Test("method and body by status", .faults(50), arguments: rows)
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
        "responses that are not redirects", arguments: [(200, "/x"), (300, "/x"), (304, "/x"), (305, "/x"), (302, nil)])
    func none(status: Int, location: String?) throws { #expect(try next(status, location) == nil) }

    @Test("with the policy .never no redirect is followed or rejected")
    func never() throws { #expect(try next(302, "file:///etc/passwd", policy: .never) == nil) }

    @Test(
        "another scheme, host or port: credentials and secrets stay behind", .faults(51),
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

    @Test("https to http is refused, unless the policy allows it; http to https is not", .faults(52))
    func downgrade() throws {
        #expect(throws: HTTPError.insecureRedirect("http://h")) { try next(301, "http://h/") }
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
        guard case .invalidURL = error?.kind.code else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(error?.reason?.hasPrefix("the response's Location") == true)
        #expect(error?.response?.status == 302)
    }

    @Test("a redirect beyond the limit is an error", .faults(54))
    func limit() throws {
        #expect(try next(302, count: 19) != nil)
        #expect(throws: HTTPError.tooManyRedirects(limit: 20)) { try next(302, count: 20) }
    }

    @Test("redirecting a body that can be read only once is an error, unless the redirect drops the body", .faults(22))
    func readOnce() throws {
        let stream = HTTPBody(stream: AsyncStream<Data> { $0.finish() })
        #expect(throws: HTTPError.bodyConsumed) { try next(307, "/x", .post, body: stream) }
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

    @Test("RFC 3986's references", arguments: references)
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

    @Test("a base without a path")
    func emptyPath() {
        #expect(Location.resolve("g", against: "http://a") == "http://a/g")
        #expect(Location.resolve("?y", against: "http://a") == "http://a?y")
    }
}
