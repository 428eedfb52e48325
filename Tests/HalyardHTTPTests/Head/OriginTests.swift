import Foundation
import HalyardHTTP
import Testing

/// The origin of a URL, for URLs that all parsers read in the same way.
struct OriginTests {
    @Test(arguments: [
        ("http://example.com", "http://example.com"), ("https://example.com/", "https://example.com"),
        ("HTTP://EXAMPLE.Com/PATH", "http://example.com"), ("https://a.com:443/", "https://a.com"),
        ("http://a.com:80", "http://a.com"), ("http://a.com:443/", "http://a.com:443"),
        ("https://a.com:80/", "https://a.com:80"), ("http://a.com:/x", "http://a.com"),
        ("http://a.com:1", "http://a.com:1"),
        ("http://a.com:65535/", "http://a.com:65535"), ("http://a.com:0080/", "http://a.com"),
        ("http://a.com?x=1", "http://a.com"), ("http://a.com#f", "http://a.com"),
        ("http://a.com/@b.com", "http://a.com"),
        ("http://a.com?@b.com", "http://a.com"), ("http://a.com#@b.com", "http://a.com"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"), ("http://[::1]/", "http://[::1]"),
        ("http://[2001:DB8::1]:8080/x", "http://[2001:db8::1]:8080"),
        ("http://[::ffff:1.2.3.4]", "http://[::ffff:1.2.3.4]"),
        ("http://my_host-1.local", "http://my_host-1.local"),
        ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example"),
        ("http://[1:2:3:4:5:6:7:8]", "http://[1:2:3:4:5:6:7:8]"), ("http://[::]", "http://[::]"),
        ("http://[1:2::]", "http://[1:2::]"), ("http://[1:2:3:4:5:6:1.2.3.4]", "http://[1:2:3:4:5:6:1.2.3.4]"),
        ("http://a.com./", "http://a.com."), ("http://a.com/://b.com/", "http://a.com"),
        ("http://1.2.3.4.com/", "http://1.2.3.4.com"), ("http://0x7f.example/", "http://0x7f.example"),
    ])
    func `an absolute URL has an origin`(_ url: String, _ origin: String) throws {
        #expect(try "\(Origin(ofURL: url))" == origin)
    }

    @Test func `a URL has the same origin as a request to it`() throws {
        let url = try #require(URL(string: "https://API.example.com/v1?x=1"))
        let other = try #require(URL(string: "https://api.example.com:8443/v1"))
        let file = try #require(URL(string: "file:///x"))
        #expect(try Origin(url) == HTTPRequest(.get, url).origin)
        #expect(try Origin(url) != Origin(other))
        #expect(throws: HTTPError(.invalidURL("file:///x"))) { try Origin(file) }
    }

    @Test func `the parts of an origin are lowercase, and its port is a number`() throws {
        let origin = try Origin(ofURL: "HTTPS://[FE80::1]")
        #expect(origin.scheme == "https" && origin.host == "[fe80::1]" && origin.port == 443)
        #expect(try origin == Origin(ofURL: "https://[fe80::1]:443/x?y#z"))
        #expect(try origin != Origin(ofURL: "http://[fe80::1]:443/"))
        #expect(try origin != Origin(ofURL: "https://[fe80::1]:444/"))
        #expect(try origin != Origin(ofURL: "https://[fe80::2]/"))
    }

    @Test(arguments: [
        ("", "it is empty"), ("/user/1", "it is not absolute"), ("example.com", "it is not absolute"),
        ("//example.com/", "it is not absolute"), ("http:example.com", "it is not absolute"),
        ("http:/example.com", "it is not absolute"), ("://example.com", "its scheme is not http or https"),
        ("ftp://h/", "its scheme is not http or https"), ("file:///etc/passwd", "its scheme is not http or https"),
        ("javascript://h/", "its scheme is not http or https"), ("httpx://h/", "its scheme is not http or https"),
        ("/http://h/", "its scheme is not http or https"), ("http:x://h/", "its scheme is not http or https"),
        ("http://", "it has no host"), ("http:///evil.com", "it has no host"), ("http://:80/", "it has no host"),
        ("http://?x", "it has no host"), ("http:////evil.com", "it has no host"),
    ])
    func `text that is not an absolute http URL is rejected with the reason`(_ url: String, _ reason: String) {
        let error = #expect(throws: HTTPError.self) { try Origin(ofURL: url) }
        #expect(error == HTTPError(.invalidURL(url)))
        #expect(error?.reason == reason)
        #expect(error?.recoverySuggestion != nil)
    }

    @Test(arguments: [
        "http://a.com\\@evil.com/", "http://a.com\\.evil.com/", "http:\\\\a.com/", "http://a.com /", " http://a.com/",
        "http://a.com/ ", "http://a\t.com/", "http://a.com\n.evil.com/", "http://a.com\r\nX: y",
        "http://a.com\0.evil.com/",
        "http://ex\u{E4}mple.com/", "http://a.com\u{FF0F}evil.com/", "http://a.com\u{3002}evil.com", "http://a.com/\"",
        "http://<a>.com/", "http://a^b/", "http://a|b/", "http://{a}/", "http://a`b/", "http://a.com/é",
    ])
    func `a character that parsers interpret differently is refused`(_ url: String) {
        let error = #expect(throws: HTTPError.self) { try Origin(ofURL: url) }
        #expect(error?.reason == "it has a character that must be percent-encoded")
        #expect(error?.suggestion?.hasPrefix("Encode the \"") == true)
    }

    @Test func `the error names a missing or wrong part of a URL and makes a suggestion`() {
        func suggestion(_ url: String) -> String? {
            #expect(throws: HTTPError.self) { try Origin(ofURL: url) }?.suggestion
        }
        #expect(suggestion("localhost:8080/api")?.hasPrefix("Start it with https:// or http://") == true)
        #expect(suggestion("http://a.com/a b") == "Encode the \" \", or leave it out")
        #expect(suggestion("http://u:p@a.com")?.contains("authentication") == true)
    }

    @Test(arguments: [
        "http://user@a.com/", "http://user:secret@a.com/", "http://@a.com/", "http://a.com:80@evil.com/",
        "http://a@b@c/",
        "http://a.com%40@evil.com/", "http://:@[::1]/",
    ])
    func `user names and passwords are refused`(_ url: String) {
        let error = #expect(throws: HTTPError.self) { try Origin(ofURL: url) }
        #expect(error?.reason?.hasPrefix("it has a user name or password") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: [
        "http://a.com%00.evil.com/", "http://a%2Ecom/", "http://a.com;b/", "http://a,b/", "http://[::1/",
        "http://::1]/",
        "http://[]/", "http://[::1]a/", "http://[::1%25eth0]/", "http://[g::]/", "http://a[::1]/", "http://[::1]]/",
        "http://::1/", "http://[:::1]/", "http://[1]/", "http://[1:2:3:4:5:6:7:8:9]/", "http://[::1::]/",
        "http://[12345::]/", "http://[::1.2.3]/", "http://[1.2.3.4::]/", "http://[:1::]/", "http://[1:2:3:4:5:6:7::8]/",
        "http://!/", "http://*.com/", "http://[v1.x]/",
    ])
    func `an invalid host is rejected`(_ url: String) {
        let error = #expect(throws: HTTPError.self) { try Origin(ofURL: url) }
        #expect(["its host is not valid", "it has no host"].contains(error?.reason))
    }

    @Test(arguments: [
        "127.1", "2130706433", "0x7f.0.0.1", "0x7f000001", "0177.0.0.1", "127.0.0.256", "1.2.3", "1.2.3.4.5",
        "127.0.0.1.",
        "a.0x1", "a.1", "a.0x", "01.2.3.4", "1..2.3", "999999999999", "0x", "09",
    ])
    func `a number that could be read as another address is refused`(_ host: String) {
        let error = #expect(throws: HTTPError.self) { try Origin(ofURL: "http://\(host)/") }
        #expect(error?.reason == "its host is not valid")
    }

    @Test(arguments: [
        "0", "00", "65536", "99999", "-1", "+80", "8a", "99999999999999999999999", "80:80", "0x50", "%38",
    ])
    func `an invalid port is rejected`(_ port: String) {
        let error = #expect(throws: HTTPError.self) { try Origin(ofURL: "http://a.com:\(port)/") }
        #expect(["its port is not within 1...65535", "its host is not valid"].contains(error?.reason))
    }

    @Test(arguments: [
        ("localhost", true), ("api.localhost", true), ("LOCALHOST", true), ("127.0.0.1", true), ("127.255.0.9", true),
        ("[::1]", true), ("localhost.com", false), ("notlocalhost", false), ("127.evil.com", false),
        ("128.0.0.1", false),
        ("[::2]", false), ("a.127.0.0.1.com", false),
    ])
    func `only this machine's addresses count as loopback, not similar names`(_ host: String, _ isLoopback: Bool) throws
    {
        #expect(try Origin(ofURL: "https://\(host)/").isLoopback == isLoopback)
    }
}
