import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Attacks with cookies by a server or on a connection, through redirects and the whole pipeline.
@Suite(.timeLimit(.minutes(3)))
struct CookieAttackTests {
    /// Responds for all hosts. The first URL sets cookies and redirects; every other URL responds with 200.
    private struct Web: Transport {
        let start: String
        let fields: [String]
        let target: String
        let seen = Log<String>()

        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            try request.checkHeaders()
            let url = request.url.absoluteString
            seen.add("\(url) \(request.headers["Cookie"] ?? "")")
            guard url == start, request.headers["X-Again"] == nil else {
                return HTTPResponse(status: 200, url: request.url)
            }
            var headers: HTTPHeaders = ["Location": target]
            for field in fields { try headers.append(field, for: "Set-Cookie") }
            return HTTPResponse(status: 302, headers: headers, url: request.url)
        }
    }

    private static let suffixes = PublicSuffixes {
        ["com", "uk", "co.uk", "io", "github.io", "localhost", "example"].contains($0)
    }

    /// The cookies of the request to the target, after the first response has set cookies and redirected there.
    private func carried(
        _ fields: [String], from start: String, to target: String, jar: CookieJar = CookieJar(suffixes: suffixes),
        headers: HTTPHeaders = [:]
    ) async throws -> String {
        let web = Web(start: start, fields: fields, target: target)
        let client = HTTPClient(
            transport: web,
            configuration: .init(redirects: .follow(allowsDowngrade: true), cookies: jar))
        let request = try HTTPRequest(.get, try #require(URL(string: start)), headers: headers)
        _ = try await client.send(request)
        let last = try #require(web.seen.entries.last)
        #expect(web.seen.entries.count == 2 && last.hasPrefix("\(target) "))
        return String(last.dropFirst(target.utf8.count + 1))
    }

    @Test(
        "a host sets cookies for itself and its parent domains, and for no other",
        arguments: [
            ("http://evil.com/", "a=b; Domain=shop.com", "http://shop.com/", ""),
            ("http://evil-shop.com/", "a=b; Domain=shop.com", "http://shop.com/", ""),
            ("http://shop.com.evil.com/", "a=b; Domain=shop.com", "http://shop.com/", ""),
            ("http://a.shop.com/", "a=b; Domain=b.shop.com", "http://b.shop.com/", ""),
            ("http://shop.com/", "a=b; Domain=a.shop.com", "http://a.shop.com/", ""),
            ("http://a.shop.com/", "a=b; Domain=hop.com", "http://hop.com/", ""),
            ("http://a.shop.com/", "a=b; Domain=..shop.com", "http://shop.com/", ""),
            ("http://a.shop.com/", "a=b; Domain=shop.com.", "http://shop.com/", ""),
            ("http://a.shop.com/", "a=b; Domain=*.shop.com", "http://shop.com/", ""),
            ("http://a.shop.com/", "a=b; Domain=http://shop.com", "http://shop.com/", ""),
            ("http://a.shop.com/", "a=b; Domain=shop.com:80", "http://shop.com/", ""),
            ("http://127.0.0.1/", "a=b; Domain=0.0.1", "http://9.0.0.1/", ""),
            ("http://127.0.0.1/", "a=b; Domain=127.0.0.1", "http://127.0.0.1/x", "a=b"),
            ("http://a.shop.com/", "a=b; Domain=SHOP.com", "http://Shop.COM/", "a=b"),
            ("http://shop.com/", "a=b", "http://shop.com:8080/", "a=b"),
            ("http://shop.com/", "a=b", "http://a.shop.com/", ""),
            ("http://shop.com./", "a=b", "http://shop.com/", ""),
        ])
    func domains(start: String, field: String, target: String, cookie: String) async throws {
        #expect(try await carried([field], from: start, to: target) == cookie)
    }

    @Test(
        "a cookie for a public suffix is rejected unless the host has exactly that name",
        arguments: [
            ("http://evil.com/", "a=b; Domain=com", "http://shop.com/", ""),
            ("http://evil.com/", "a=b; Domain=.com", "http://shop.com/", ""),
            ("http://evil.co.uk/", "a=b; Domain=co.uk", "http://shop.co.uk/", ""),
            ("http://evil.co.uk/", "a=b; Domain=CO.UK", "http://shop.co.uk/", ""),
            ("http://evil.co.uk./", "a=b; Domain=co.uk.", "http://shop.co.uk./", ""),
            ("http://evil.github.io/", "a=b; Domain=github.io", "http://shop.github.io/", ""),
            ("http://a.evil.github.io/", "a=b; Domain=evil.github.io", "http://evil.github.io/", "a=b"),
            ("http://github.io/", "a=b; Domain=github.io", "http://evil.github.io/", ""),
            ("http://github.io/", "a=b; Domain=github.io", "http://github.io/x", "a=b"),
            ("http://localhost/", "a=b; Domain=localhost", "http://localhost/x", "a=b"),
            ("http://localhost/", "a=b; Domain=localhost", "http://a.localhost/", ""),
        ])
    func suffixes(start: String, field: String, target: String, cookie: String) async throws {
        #expect(try await carried([field], from: start, to: target) == cookie)
    }

    @Test(
        "a cookie is sent to its path and the paths below it, without normalization",
        arguments: [
            ("/evil/x", "a=b", "/evil/y", "a=b"), ("/evil/x", "a=b", "/evil-not", ""), ("/evil/x", "a=b", "/", ""),
            ("/x", "a=b; Path=/account", "/account/1", "a=b"), ("/x", "a=b; Path=/account", "/accounts", ""),
            ("/x", "a=b; Path=/account", "/Account", ""), ("/x", "a=b; Path=/a%63count", "/account", ""),
            ("/x/y", "a=b; Path=\"/\"", "/x/z", "a=b"), ("/x/y", "a=b; Path=\"/\"", "/", ""),
            ("/x/y", "a=b; Path=account", "/account", ""), ("/x?/account/", "a=b", "/account/", "a=b"),
            ("/x/y?/account/z", "a=b", "/account/z", ""),
        ])
    func paths(start: String, field: String, target: String, cookie: String) async throws {
        #expect(
            try await carried([field], from: "http://shop.com\(start)", to: "http://shop.com\(target)") == cookie)
    }

    @Test(
        "the prefixes __Secure- and __Host- are enforced case-insensitively",
        arguments: [
            ("http://shop.com/", "__Secure-a=b", "https://shop.com/", ""),
            ("http://shop.com/", "__Secure-a=b; Secure", "https://shop.com/", ""),
            ("https://shop.com/", "__secure-a=b", "https://shop.com/x", ""),
            ("https://shop.com/", "__sEcUrE-a=b; Secure", "https://shop.com/x", "__sEcUrE-a=b"),
            ("https://shop.com/", "__Secure-a=b; Secure", "http://shop.com/", ""),
            ("https://a.shop.com/", "__Host-a=b; Secure; Path=/; Domain=shop.com", "https://shop.com/", ""),
            ("https://a.shop.com/", "__HOST-a=b; Secure; Path=/; Domain=a.shop.com", "https://a.shop.com/x", ""),
            ("https://shop.com/", "__Host-a=b; Secure", "https://shop.com/x", ""),
            ("https://shop.com/", "__Host-a=b; Secure; Path=/x", "https://shop.com/x", ""),
            ("https://shop.com/", "=__Host-a=b; Secure; Path=/", "https://shop.com/x", ""),
            ("https://shop.com/", "__Host-a; Secure; Path=/", "https://shop.com/x", ""),
            ("https://shop.com/", "__Host-a=b; Secure; Path=/", "https://shop.com/x", "__Host-a=b"),
        ])
    func prefixes(start: String, field: String, target: String, cookie: String) async throws {
        #expect(try await carried([field], from: start, to: target) == cookie)
    }

    @Test(
        "a Secure cookie is neither set nor sent nor replaced over http, even on localhost",
        arguments: [
            ("http://localhost/", "a=b; Path=/; Secure", "http://localhost/x", ""),
            ("http://shop.com/", "a=b; Secure", "https://shop.com/", ""),
            ("https://shop.com/", "a=b; Secure", "http://shop.com/", ""),
            ("http://www.shop.com/", "id=bad", "https://www.shop.com/", "id=real"),
            ("http://evil.shop.com/", "id=bad; Domain=shop.com", "https://www.shop.com/", "id=real"),
            ("http://www.shop.com/", "id=bad; Path=/account", "https://www.shop.com/account", "id=real"),
            ("http://www.shop.com/", "id=; Max-Age=0", "https://www.shop.com/", "id=real"),
            ("http://www.shop.com/", "id=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://www.shop.com/", "id=real"),
        ])
    func secure(start: String, field: String, target: String, cookie: String) async throws {
        let jar = CookieJar(suffixes: Self.suffixes)
        try jar.set(Cookie("id", "real", domain: "www.shop.com", isSecure: true))
        #expect(try await carried([field], from: start, to: target, jar: jar) == cookie)
    }

    @Test("name and value take up to 4096 bytes, a domain 50 cookies, and all of them are sent")
    func limits() async throws {
        func carried(_ fields: String...) async throws -> String {
            try await self.carried(fields, from: "http://shop.com/", to: "http://shop.com/x")
        }
        let long = String(repeating: "v", count: 4095)
        #expect(try await carried("a=\(long)", "bc=\(long)", "d=1") == "a=\(long); d=1")
        // Several long cookies are all sent: no standard limits the Cookie field, and a server responds with 431 to a
        // field that is too long.
        let three = ["x", "y", "z"].map { "\($0)=\(long.prefix(3200))" }
        #expect(try await carried(three[0], three[1], three[2]) == three.joined(separator: "; "))
        let many = (1...151).map { "name\($0)=large-\($0)" }
        let sent = try await self.carried(many, from: "http://shop.com/", to: "http://shop.com/x")
        #expect(sent == many.suffix(50).joined(separator: "; "))
    }

    @Test(
        "a cookie with a Max-Age of 0 or less removes only the cookie with its domain and path", arguments: ["0", "-1"])
    func removal(age: String) async throws {
        let jar = CookieJar(suffixes: Self.suffixes)
        try jar.set(
            Cookie("test", "no", domain: "shop.com", isHostOnly: false, path: "/we/want/", expires: .distantFuture))
        try jar.set(Cookie("tester", "yes", domain: "shop.com", isHostOnly: false, path: "/we/want/"))
        let fields = [
            "test=yes; path=/we/want/; domain=.shop.com; Max-Age=\(age);", "tester=; path=/we/; Max-Age=\(age)",
        ]
        let cookie = try await carried(
            fields, from: "http://a.shop.com/we/want/1", to: "http://a.shop.com/we/want/2", jar: jar)
        #expect(cookie == "tester=yes")
    }

    @Test("cookies are selected and stored by the URL, not by the request's Host header")
    func host() async throws {
        let jar = CookieJar(suffixes: Self.suffixes)
        try jar.set(Cookie("id", "real", domain: "shop.com", isHostOnly: false))
        let fields = ["a=b; Domain=shop.com", "mine=1"]
        let cookie = try await carried(
            fields, from: "http://127.0.0.1/", to: "http://127.0.0.1/x", jar: jar, headers: ["Host": "shop.com"])
        #expect(cookie == "mine=1" && jar.cookies.map(\.domain) == ["shop.com", "127.0.0.1"])
        #expect(
            try await carried(
                [], from: "http://shop.com/", to: "http://shop.com/x", jar: jar, headers: ["Host": "evil.com"])
                == "id=real")
    }

    @Test("a cookie set by the program is rejected by the same rules as a server's")
    func own() async throws {
        let jar = CookieJar(suffixes: Self.suffixes)
        for (name, domain) in [("bad", "co.uk"), ("bad", "CO.UK"), ("bad", "com"), ("bad", "0.0.1")] {
            let error = #expect(throws: HTTPError.self, "\(domain)") {
                try jar.set(Cookie(name, "x", domain: domain, isHostOnly: false))
            }
            #expect(error?.kind == .invalidHeader("Cookie"))
        }
        for name in ["__Secure-y", "__secure-y", "__Host-y", "__HOST-y"] {
            let error = #expect(throws: HTTPError.self, "\(name)") {
                try jar.set(Cookie(name, "no", domain: "shop.com"))
            }
            #expect(error?.kind == .invalidHeader("Cookie"))
        }
        #expect(throws: HTTPError.self) {
            try jar.set(Cookie("__Host-y", "no", domain: "shop.com", isHostOnly: false, isSecure: true))
        }
        #expect(throws: HTTPError.self) {
            try jar.set(Cookie("__Host-y", "no", domain: "shop.com", path: "/x", isSecure: true))
        }
        #expect(throws: HTTPError.self) { try jar.set(Cookie("", "__Host-y", domain: "shop.com", isSecure: true)) }
        #expect(jar.cookies.isEmpty)
        try jar.set(Cookie("good", "allowed", domain: "foo.co.uk", isHostOnly: false))
        try jar.set(Cookie("__Host-y", "yes", domain: "foo.co.uk", isSecure: true))
        try jar.set(Cookie("self", "1", domain: "co.uk"))
        #expect(try await carried([], from: "http://foo.co.uk/", to: "http://a.foo.co.uk/", jar: jar) == "good=allowed")
        #expect(jar.cookies.count == 3)
    }

    @Test("cookies in a file are checked when they are read, and invalid ones are omitted")
    func file() async throws {
        let folder = try TemporaryFolder()
        let records = [
            ("bad", ".co.uk", false, false), ("bad", "co.uk", false, false), ("__Secure-y", "foo.co.uk", false, false),
            ("__Host-y", "foo.co.uk", false, true), ("good", "foo.co.uk", false, false), ("self", "co.uk", true, false),
        ].map { name, domain, isHostOnly, isSecure in
            #"{"name":"\#(name)","value":"1","domain":"\#(domain)","path":"/","isHostOnly":\#(isHostOnly),"#
                + #""isSecure":\#(isSecure),"isHTTPOnly":false,"expires":99999999999}"#
        }
        let text = #"{"format":"halyard-cookies","version":1,"cookies":[\#(records.joined(separator: ","))]}"#
        try Data(text.utf8).write(to: folder.file("jar"))
        let jar = try CookieJar(file: folder.file("jar"), suffixes: Self.suffixes)
        #expect(jar.cookies.map(\.name) == ["good", "self"])
        #expect(try await carried([], from: "https://foo.co.uk/", to: "https://a.foo.co.uk/", jar: jar) == "good=1")
    }
}
