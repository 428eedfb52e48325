@testable import Halyard
import HalyardFoundation
import Testing

/// How a base URL, a path and queries are combined into one URL.
struct AddressTests {
    private struct Based: HTTPProvider {
        let baseURL: URL
        let client: HTTPClient
    }

    private func joined(_ base: String, _ path: RoutePath) throws(HTTPError) -> String {
        try Address(base: BaseURL(base), path: path).text
    }

    @Test(arguments: [
        ("http://h", "", "http://h"), ("http://h/", "", "http://h/"), ("http://h", "/", "http://h/"),
        ("http://h/", "/", "http://h/"),
        ("http://h/api", "/me", "http://h/api/me"), ("http://h/api/", "/me", "http://h/api/me"),
        ("http://h/api", "me", "http://h/api/me"),
        ("http://h/api/", "me/", "http://h/api/me/"), ("http://h/api//", "me", "http://h/api/me"),
        ("http://h/api/", "", "http://h/api/"),
        ("http://h", "//evil.com", "http://h//evil.com"), ("http://h", "@evil.com", "http://h/@evil.com"),
        ("http://h", ":80@evil.com", "http://h/:80@evil.com"),
        ("http://h", ".evil.com", "http://h/.evil.com"), ("http://h", "https://evil/", "http://h/https://evil/"),
        ("http://h", "\\evil.com", "http://h/%5Cevil.com"),
        ("http://h:80", "80", "http://h:80/80"), ("http://[::1]", "x", "http://[::1]/x"),
    ])
    func `a path is appended to the base and cannot change the host`(_ base: String, _ path: String, _ url: String)
        throws
    {
        #expect(try joined(base, RoutePath(verbatim: path)) == url)
        #expect(try Origin(ofURL: url) == Origin(ofURL: base))
    }

    @Test(arguments: [
        ("http://h/api?k=1", "/me", "http://h/api/me?k=1"), ("http://h?k=1", "/me", "http://h/me?k=1"),
        ("http://h?k=1", "", "http://h?k=1"),
        ("http://h?k=1", "?x", "http://h?k=1&x"), ("http://h/?k=1&", "me?x", "http://h/me?k=1&x"),
        ("http://h/?", "me?x", "http://h/me?x"),
        ("http://h/?", "me", "http://h/me"), ("http://h", "?x", "http://h?x"), ("http://h", "/me?", "http://h/me"),
        ("http://h?a?b", "/c?d?e", "http://h/c?a?b&d?e"),
        ("http://h?k=/", "me", "http://h/me?k=/"),
    ])
    func `the queries of base and path are joined, the base's first`(_ base: String, _ path: String, _ url: String)
        throws
    {
        #expect(try joined(base, RoutePath(verbatim: path)) == url)
    }

    @Test func `queries are appended in order`() throws {
        var address = try Address(base: BaseURL("http://h/a"), path: "")
        for query in ["", "x=1", "", "y&", "z"] { address.append(query: Substring(query)) }
        #expect(address.text == "http://h/a?x=1&y&z")
    }

    @Test func `a base that is unusable or has a fragment is refused`() {
        #expect(throws: HTTPError(.invalidURL("ftp://h"))) { try joined("ftp://h", "/me") }
        #expect(throws: HTTPError(.invalidURL("http://u:p@h/"))) { try joined("http://u:p@h/", "/me") }
        let error = #expect(throws: HTTPError.self) { try joined("http://h/#top", "/me") }
        #expect(error?.kind == .invalidURL("http://h/"))
        #expect(error?.reason == "a base URL must not have a fragment")
    }

    @Test func `providers of one client use their own base URLs, in any order`() throws {
        let client = HTTPClient()
        let bases = ["https://a.example.com/v1", "http://b.example.com", "https://a.example.com/v2?k=1"]
        for base in bases + bases.reversed() + ["https://a.example.com/v1"] {
            let provider = Based(baseURL: try #require(URL(string: base)), client: client)
            #expect(try provider.prepare(Route(path: "/me")).address.text == joined(base, "/me"))
        }
    }

    @Test func `the error for a path without a provider says so`() {
        let error = #expect(throws: HTTPError.self) { try DefaultProvider().prepare(Route(path: "/me")) }
        #expect(error?.kind == .invalidURL("/me") && error?.suggestion?.contains("Route(url:)") == true)
    }

    @Test func `an invalid path is refused with the reason`() {
        let error = #expect(throws: HTTPError.self) { try joined("http://h", "/user/\("..")?x=secret") }
        #expect(error?.kind == .invalidPath("/user/.."))
        #expect(error?.reason == "the value \"..\" is not a path segment")
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: [
        ("http://h/a?b=c#d", "http://h/a?b=c"), ("http://h#d", "http://h"),
        ("http://h/a%20b?c=%41", "http://h/a%20b?c=%41"), ("http://h", "http://h"),
        ("http://h/?page[number]=2&q=a%20b", "http://h/?page%5Bnumber%5D=2&q=a%20b"),
        ("http://h/100%", "http://h/100%25"),
        ("http://[::1]/[x]", "http://[::1]/%5Bx%5D"), ("http://h?[", "http://h?%5B"),
        ("http://h/a/../b", "http://h/a/../b"), ("http://h/?", "http://h/?"),
    ])
    func `an absolute URL is encoded once where necessary and loses its fragment`(_ text: String, _ url: String)
        throws
    {
        #expect(try Address(absolute: text, base: BaseURL("http://other")).text == url)
    }

    @Test(arguments: [
        ("http://h", ""), ("http://h/", ""), ("http://h//", ""), ("http://h/api", "/api"),
        ("http://h:8080/api//", "/api"),
        ("http://h/a/b?c=/d/", "/a/b"), ("http://h?c=/d", ""), ("http://h/?c", ""), ("https://[::1]:80/api/", "/api"),
    ])
    func `an address has its base's path without trailing slashes and knows whether it is at its origin`(
        _ base: String, _ path: String
    ) throws {
        #expect(try Address(base: BaseURL(base), path: "x?y=/z/").basePath == path)
        #expect(try Address(absolute: base, base: BaseURL(base)).basePath == path)
        #expect(try !Address(absolute: "http://other/api", base: BaseURL(base)).isAtProviderOrigin)
    }
}
