@testable import Halyard
import Testing

/// The text of a path on the wire: literals unchanged, values as segments.
struct RoutePathTests {
    @Test(
        arguments: [
            ("", "", nil), ("/", "/", nil), ("/me", "/me", nil), ("me/friends/", "me/friends/", nil),
            ("//evil.com", "//evil.com", nil),
            ("https://evil/", "https://evil/", nil), ("/a b", "/a%20b", nil), ("/é", "/%C3%A9", nil),
            ("/a%20b", "/a%20b", nil),
            ("/%", "/%25", nil), ("/%4", "/%254", nil), ("/%4g", "/%254g", nil), ("/%é", "/%25%C3%A9", nil),
            ("/%C3%a9", "/%C3%a9", nil),
            ("/a#f", "/a%23f", nil), ("\\evil.com", "%5Cevil.com", nil), ("/\r\nHost: x\0", "/%0D%0AHost:%20x%00", nil),
            ("/[x]{y}|^`\"<>", "/%5Bx%5D%7By%7D%7C%5E%60%22%3C%3E", nil),
            ("/-._~!$&'()*+,;=:@", "/-._~!$&'()*+,;=:@", nil),
            ("/a?x=1", "/a", "x=1"), ("?x", "", "x"), ("/a?", "/a", ""), ("/a?b?c/d", "/a", "b?c/d"),
            ("/a?x=a b#&é", "/a", "x=a%20b%23&%C3%A9"),
            ("/a?x[y]=%41%", "/a", "x%5By%5D=%41%25"), ("/a/\u{301}b?\u{301}", "/a/%CC%81b", "%CC%81"),
        ] as [(String, String, String?)])
    func `a literal is kept and percent-encoded where necessary`(_ text: String, _ path: String, _ query: String?) {
        for route in [RoutePath(verbatim: text), RoutePath(stringLiteral: text), "\(verbatim: text)"] {
            #expect(route.path == path)
            #expect(route.query == query)
            #expect(route.problem == nil)
        }
    }

    @Test(arguments: [
        ("a/b?c", "a%2Fb%3Fc"), ("%2F", "%252F"), ("%2e%2e", "%252e%252e"), ("x=1#f&y;z", "x%3D1%23f%26y%3Bz"),
        ("é", "%C3%A9"),
        ("a+b c", "a%2Bb%20c"), ("\r\n\0", "%0D%0A%00"), ("\\", "%5C"), ("@evil.com:80", "%40evil.com%3A80"),
        ("...", "..."), ("..a", "..a"),
        ("-._~Az09", "-._~Az09"), ("../x", "..%2Fx"), ("🏴", "%F0%9F%8F%B4"), ("\u{301}", "%CC%81"),
    ])
    func `a value is one segment, whatever its content`(_ value: String, _ segment: String) {
        #expect(("/user/\(value)/x" as RoutePath).path == "/user/\(segment)/x")
        #expect(("/a?b=\(value)&c" as RoutePath).query == "b=\(segment)&c")
        #expect(("\(value)" as RoutePath).problem == nil)
    }

    @Test func `values of every simple type can be interpolated in a path`() {
        enum Sort: String, PathConvertible { case newest }
        let path: RoutePath =
            "/\(1)/\(UInt64.max)/\(true)/\(1.5)/\(Sort.newest)/\("ab".dropFirst())"
        #expect(path.path == "/1/18446744073709551615/true/1.5/newest/b")
    }

    @Test(arguments: ["", ".", ".."])
    func `a value that would be another path is refused by name`(_ value: String) {
        for path in ["/user/\(value)", "/user/\(value)/x?y", "\(value)", "/x-\(value)"] as [RoutePath] {
            #expect(path.problem == "the value \"\(value)\" is not a path segment")
        }
        #expect(("/user?x=\(value)" as RoutePath).problem == nil)
    }

    @Test func `a value that cannot be text is refused with the reason`() {
        #expect(("/\(Double.nan)" as RoutePath).problem == "nan is not a number that can be sent")
        #expect(("/\("")/\(Double.nan)" as RoutePath).problem == "the value \"\" is not a path segment")
    }

    @Test(arguments: [
        "..", ".", "/..", "/../x", "/a/..", "/a/./b", "/a/../b", "/a/..?x", "../..", "/%2e%2e/x", "/%2E.", ".%2e",
        "/a/%2e?x", "/..\u{2F}",
    ])
    func `a segment of dots is rejected because servers remove it`(_ path: String) {
        #expect(RoutePath(verbatim: path).problem?.hasPrefix("it contains the segment \"") == true)
    }

    @Test(arguments: [
        "/...", "/.a", "/a.", "/..a", "/a..", "/.hidden/x", "/?a/../b", "/%2e%2ea", "/%252e", "/%2ex", "/.%2e.",
    ])
    func `dots beside other characters are not a dot segment`(_ path: String) {
        #expect(RoutePath(verbatim: path).problem == nil)
    }

    @Test func `text and values that form a dot segment together are rejected`() {
        let dot = "."
        #expect(("/.\(dot)/x" as RoutePath).problem != nil)
        #expect(("/%2\("e")/x" as RoutePath).path == "/%252e/x")
    }

    @Test(arguments: [
        ("", ""), ("/", "/"), ("a/b", "a/b"), ("/a b/?c#d%41", "/a%20b/%3Fc%23d%2541"), ("/a//b/", "/a//b/"),
        ("/x=1&y;z@:", "/x%3D1%26y%3Bz%40%3A"),
        ("é/\u{301}x", "%C3%A9/%CC%81x"),
    ])
    func `a path made from data is escaped between its slashes`(_ text: String, _ path: String) {
        let route = RoutePath(escaping: text)
        #expect(route.path == path && route.query == nil && route.problem == nil)
    }

    @Test(arguments: ["..", "/a/../b", "a/.", "/."])
    func `a path made from data cannot contain a dot segment either`(_ text: String) {
        #expect(RoutePath(escaping: text).problem != nil)
        #expect(RoutePath(escaping: "/%2e%2e/").path == "/%252e%252e/")
    }

    @Test func `paths can be compared and hashed`() {
        let id = "1"
        #expect(("/user/\(id)" as RoutePath) == RoutePath(verbatim: "/user/1"))
        #expect(("/user/\(id)" as RoutePath) != "/user/2")
        #expect(Set<RoutePath>(["/a", "/a", "/a?"]).count == 2)
    }
}

extension RoutePath.Interpolation {
    /// Appends text verbatim, as if it were part of the literal.
    fileprivate mutating func appendInterpolation(verbatim text: String) { appendLiteral(text) }
}
