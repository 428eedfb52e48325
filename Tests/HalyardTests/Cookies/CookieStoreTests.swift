import Foundation
import Testing

@testable import Halyard

/// Which fields become cookies, and which requests contain them: tables, with a separate clock.
struct CookieStoreTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)
    private static let suffixes = PublicSuffixes { ["com", "uk", "co.uk", "localhost", "github.io"].contains($0) }

    private var store = CookieStore()

    private func scope(_ url: String) throws -> CookieScope {
        let url = try #require(URL(string: url))
        return try #require(CookieScope(ofURL: url.absoluteString))
    }

    private mutating func set(_ field: String, from url: String, at now: Date = now) throws {
        guard let field = SetCookie(field) else { return }
        try store.store(field, from: scope(url), Self.suffixes, now)
    }

    private func sent(to url: String, at now: Date = now) throws -> String {
        try store.cookies(for: scope(url), now).map(\.pair).joined(separator: "; ")
    }

    @Test(
        "a cookie is sent to its own host, or to its domain and subdomains, and to no other host",
        arguments: [
            ("a=b", "http://www.x.com/", "http://www.x.com/", true),
            ("a=b", "http://www.x.com/", "http://x.com/", false),
            ("a=b", "http://x.com/", "http://www.x.com/", false), ("a=b", "http://X.com:81/", "http://x.COM:82/", true),
            ("a=b;domain=x.com", "http://www.x.com/", "http://x.com/", true),
            ("a=b;domain=.x.com", "http://www.x.com/", "http://a.b.x.com/", true),
            ("a=b;domain=x.com", "http://x.com/", "http://yx.com/", false),
            ("a=b;domain=x.com", "http://yx.com/", "http://x.com/", false),
            ("a=b;domain=www.x.com", "http://x.com/", "http://www.x.com/", false),
            ("a=b;domain=y.com", "http://x.com/", "http://x.com/", false),
            ("a=b;domain=com", "http://x.com/", "http://x.com/", false),
            ("a=b;domain=co.uk", "http://x.co.uk/", "http://x.co.uk/", false),
            ("a=b;domain=github.io", "http://x.github.io/", "http://y.github.io/", false),
            ("a=b;domain=github.io", "http://github.io/", "http://github.io/", true),
            ("a=b;domain=github.io", "http://github.io/", "http://x.github.io/", false),
            ("a=b;domain=co.uk.", "http://x.co.uk./", "http://x.co.uk./", false),
            ("a=b", "http://localhost:1/", "http://localhost:2/", true),
            ("a=b;domain=localhost", "http://localhost/", "http://localhost/", true),
            ("a=b;domain=localhost", "http://a.localhost/", "http://a.localhost/", false),
            ("a=b;domain=127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", true),
            ("a=b;domain=0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", false),
            ("a=b;domain=.1", "http://127.0.0.1/", "http://127.0.0.1/", false),
            ("a=b;domain=[::1]", "http://[::1]:8/", "http://[::1]/", true),
            ("a=b;domain=é.com", "http://x.com/", "http://x.com/", false),
            ("a=b;domain=.", "http://x.com/", "http://x.com/", true),
            ("a=b;domain=x.com;domain=", "http://x.com/", "http://x.com/", true),
        ])
    mutating func domains(field: String, from: String, to: String, goes: Bool) throws {
        try set(field, from: from)
        #expect(try sent(to: to) == (goes ? "a=b" : ""))
    }

    @Test(
        "a cookie is sent to its path, or to the folder of the URL that set it, and below",
        arguments: [
            ("a=b", "/x/y", "/x", true), ("a=b", "/x/y", "/x/z", true), ("a=b", "/x/y", "/xy", false),
            ("a=b", "/x/y", "/", false), ("a=b", "/x", "/y", true), ("a=b", "", "/y", true),
            ("a=b", "/x/?/y", "/x/z", true),
            ("a=b;path=/x", "/", "/x", true), ("a=b;path=/x", "/", "/x/y?q", true), ("a=b;path=/x", "/", "/xy", false),
            ("a=b;path=/x/", "/", "/x/y", true), ("a=b;path=/x/", "/", "/x", false), ("a=b;path=x", "/y/z", "/y", true),
            ("a=b;path=/x", "/", "/X", false), ("a=b;path=/%78", "/", "/x", false),
            ("a=b;path=/é", "/", "/%C3%A9", false),
        ])
    mutating func paths(field: String, from: String, to: String, goes: Bool) throws {
        try set(field, from: "http://x.com\(from)")
        #expect(try sent(to: "http://x.com\(to)") == (goes ? "a=b" : ""))
    }

    @Test(
        "Secure, SameSite=None and name prefixes are enforced",
        arguments: [
            ("a=b; Secure", "http://x.com/", ""), ("a=b; Secure", "https://x.com/", "a=b"),
            ("a=b; Secure", "http://localhost/", ""), ("a=b", "https://x.com/", "a=b"),
            ("a=b; SameSite=None", "https://x.com/", ""), ("a=b; SameSite=None; Secure", "https://x.com/", "a=b"),
            ("a=b; SameSite=Strict", "http://x.com/", "a=b"), ("a=b; SameSite=odd", "http://x.com/", "a=b"),
            ("__Secure-a=b", "https://x.com/", ""), ("__secure-a=b; secure", "https://x.com/", "__secure-a=b"),
            ("__Host-a=b; Secure; Path=/", "https://x.com/", "__Host-a=b"),
            ("__Host-a=b; Secure", "https://x.com/", ""),
            ("__HOST-a=b; Secure; Path=/x", "https://x.com/x", ""), ("__Host-a=b; Path=/", "https://x.com/", ""),
            ("__Host-a=b; Secure; Path=/; Domain=x.com", "https://x.com/", ""), ("__Host-a=b", "http://x.com/", ""),
            ("=__Host-a=b; Secure; Path=/", "https://x.com/", ""), ("__secure-x", "https://x.com/", ""),
            ("__SECURE-\u{11D34}x", "https://x.com/", ""), ("__Host-\u{301}=b", "https://x.com/", ""),
            ("b", "http://x.com/", "b"),
        ])
    mutating func promises(field: String, url: String, header: String) throws {
        try set(field, from: url)
        #expect(try sent(to: url) == header)
    }

    @Test mutating func `a Secure cookie is sent only over https, and a cookie over http cannot replace it`() throws {
        try set("a=safe; Secure; Path=/p", from: "https://www.x.com/")
        #expect(try sent(to: "http://www.x.com/p") == "")
        for field in ["a=bad; Path=/p", "a=bad; Path=/p/q", "a=bad; Path=/p; Domain=x.com", "a=; Path=/p; Max-Age=0"] {
            try set(field, from: "http://www.x.com/")
        }
        #expect(store.all.map(\.value) == ["safe"])
        try set("a=other; Path=/", from: "http://www.x.com/")
        try set("b=other; Path=/p", from: "http://www.x.com/")
        #expect(try sent(to: "https://www.x.com/p") == "a=safe; b=other; a=other")
        let later = Self.now.addingTimeInterval(100)
        try set("c=1; Secure; Max-Age=50", from: "https://x.com/")
        try set("c=2", from: "http://x.com/", at: later)
        #expect(try sent(to: "http://x.com/", at: later) == "c=2")
    }

    @Test(
        "Max-Age takes precedence over Expires, and both are capped at 400 days",
        arguments: [
            ("", nil), ("; Max-Age=60", 60), ("; Max-Age=0", 0), ("; Max-Age=-5", 0),
            ("; Max-Age=99999999999", 34_560_000),
            ("; Max-Age=60; Expires=Sun, 06 Nov 1994 08:49:37 GMT", 60), ("; Expires=Sun, 06 Nov 1994 08:49:37 GMT", 0),
            ("; Expires=Tue, 14 Nov 2023 22:14:20 GMT", 60), ("; Expires=1 Jan 2060 00:00:00", 34_560_000),
            ("; Expires=x", nil),
        ] as [(String, Double?)])
    mutating func times(attributes: String, seconds: Double?) throws {
        try set("a=b\(attributes)", from: "http://x.com/")
        guard seconds != 0 else { return #expect(store.all.isEmpty) }
        #expect(store.all.first?.expires?.timeIntervalSince(Self.now) == seconds)
        let end = Self.now.addingTimeInterval(seconds ?? 1e12)
        #expect(try sent(to: "http://x.com/", at: end.addingTimeInterval(-1)) == "a=b")
        if seconds != nil { #expect(try sent(to: "http://x.com/", at: end) == "") }
    }

    @Test mutating func `cookies are sent by longest path, then by age; a replaced cookie keeps its age`() throws {
        for field in [
            "a=1; Path=/", "b=1; Path=/x", "c=1; Path=/", "d=1; Path=/x/y", "a=2; Path=/", "a=3; Domain=x.com",
        ] {
            try set(field, from: "http://x.com/")
        }
        #expect(try sent(to: "http://x.com/x/y") == "d=1; b=1; a=2; c=1; a=3")
        try set("a=; Max-Age=0; Path=/", from: "http://x.com/")
        #expect(try sent(to: "http://x.com/x/y") == "d=1; b=1; c=1; a=3")
    }

    @Test
    mutating func `a domain keeps 50 cookies: insecure ones are removed first, then the least recently sent`()
        throws
    {
        try set("safe=1; Secure", from: "https://x.com/")
        for number in 0..<49 { try set("c\(number)=1; Path=/\(number)", from: "https://x.com/") }
        _ = try store.use(for: scope("https://x.com/0"), Self.now)
        try set("more=1", from: "https://x.com/")
        #expect(store.all.count == 50)
        let names = Set(store.all.map(\.name))
        #expect(names.isSuperset(of: ["safe", "c0", "more"]) && !names.contains("c1"))
        for number in 0..<60 { try set("s\(number)=1; Secure", from: "https://x.com/") }
        #expect(store.all.map(\.name) == (10..<60).map { "s\($0)" })
    }

    @Test mutating func `expired cookies are removed first`() throws {
        for number in 0..<50 { try set("c\(number)=1; Max-Age=\(number < 10 ? 1 : 100)", from: "https://x.com/") }
        try set("more=1", from: "https://x.com/", at: Self.now.addingTimeInterval(10))
        #expect(store.all.count == 41)
    }

    @Test mutating func `the store keeps at most 3000 cookies`() throws {
        for number in 0..<3010 { try set("a=1", from: "https://h\(number).com/") }
        #expect(store.all.count == 3000 && store.all.first?.domain == "h10.com")
    }

    /// Returns the time of storing 600 new cookies in a full store, and removing as many: the shortest of some rounds.
    private static func time(in limit: Int, from url: String) throws -> Duration {
        let scope = try #require(CookieScope(ofURL: url))
        var limits = CookieStore.Limits()
        limits.total = limit
        var store = CookieStore(limits)
        var number = 0
        func add(_ count: Int) {
            for _ in 0..<count {
                number += 1
                let end = number.isMultiple(of: 2) ? now.addingTimeInterval(Double(1000 + number)) : nil
                let cookie = Cookie(
                    name: "a", value: "b", domain: "h\(number).com", isHostOnly: true, path: "/", expires: end,
                    isSecure: false, isHTTPOnly: false, sameSite: nil)
                store.store(cookie, from: scope, now)
            }
        }
        add(limit)
        return (0..<5).map { _ in ContinuousClock().measure { add(600) } }.min() ?? .zero
    }

    @Test(
        "adding a cookie to a full jar takes as long in a large jar as in a small one",
        arguments: ["https://x.com/", "http://x.com/"])
    func fullJar(url: String) throws {
        #expect(try Self.time(in: 6000, from: url) < Self.time(in: 300, from: url) * 6)
    }

    @Test mutating func `a full jar removes the least recently sent cookie, whatever its age`() throws {
        for number in 0..<3000 { try set("a=1", from: "https://h\(number).com/") }
        for _ in 0..<5 {
            for number in 0..<1500 { _ = try store.use(for: scope("https://h\(number).com/"), Self.now) }
        }
        for number in 3000..<3010 { try set("a=1", from: "https://h\(number).com/") }
        let domains = Set(store.all.map(\.domain))
        #expect(domains.count == 3000 && !domains.contains("h1509.com") && domains.contains("h1510.com"))
        try set("a=1; Max-Age=1", from: "https://h2.com/")
        try set("a=1", from: "https://last.com/", at: Self.now.addingTimeInterval(10))
        #expect(store.all.count == 3000 && !store.all.contains { $0.domain == "h2.com" })
        #expect(store.all.contains { $0.domain == "h1510.com" })
        for number in 0..<1000 { try set("a=; Max-Age=0", from: "https://h\(number).com/") }
        for number in 0..<1000 { try set("a=1", from: "https://n\(number).com/") }
        #expect(store.all.count == 3000 && store.all.contains { $0.domain == "h1511.com" })
    }

    @Test(
        "without a list, a public suffix is one label, or the second-level label of a country",
        arguments: [
            ("com", true), ("co.uk", true), ("com.au", true), ("CO.UK.", true), ("localhost", true), ("", true),
            ("example.com", false), ("x.co.uk", false), ("co.com", false), ("example.de", false), ("github.io", false),
        ])
    func rules(name: String, isPublic: Bool) { #expect(PublicSuffixes.rules.contains(name) == isPublic) }

    @Test("cookies created by the program are checked")
    func checked() throws {
        for (name, value, domain, path) in [
            ("a=", "b", "x.com", "/"), ("a", "b;c", "x.com", "/"), ("a;", "b", "x.com", "/"),
            ("a", "b\r\n", "x.com", "/"),
            ("", "", "x.com", "/"), (" a", "b", "x.com", "/"), ("a", "b ", "x.com", "/"), ("a", "b", "", "/"),
            ("a", "b", "x.com/", "/"), ("a", "b", "x.com:80", "/"), ("a", "b", "u@x.com", "/"),
            ("a", "b", "x.com", "x"),
            ("a", "b", "x.com", "/;y"), ("a", "b", "x.com#", "/"),
            ("a", String(repeating: "b", count: 4096), "x.com", "/"),
        ] {
            #expect(throws: HTTPError(.invalidHeader("Cookie")), "\(name) \(value.prefix(9)) \(domain) \(path)") {
                try Cookie(name, value, domain: domain, path: path)
            }
        }
        #expect(try Cookie("a", "b", domain: "WWW.x.com").domain == "www.x.com")
        #expect(try Cookie("a", "b", domain: "[::1]").domain == "[::1]")
    }
}
