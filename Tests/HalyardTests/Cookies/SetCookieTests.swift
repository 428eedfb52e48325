import Foundation
import Testing

@testable import Halyard

/// The parsing of `Set-Cookie` fields.
struct SetCookieTests {
    @Test(
        "name and value are split at the first =, trimmed, and keep their quotes",
        arguments: [
            ("a=b", "a", "b"), (" a\t=  b c ; Secure", "a", "b c"), ("a=b=c", "a", "b=c"), ("a=", "a", ""),
            ("=b", "", "b"), ("b", "", "b"), ("==b", "", "=b"), (#"a="b;c""#, "a", #""b"#), ("é=漢", "é", "漢"),
            ("a\"=b,c=d", "a\"", "b,c=d"), ("a=b;", "a", "b"), ("a\t=b\tc", "a", "b\tc"), ("__Host-=x", "__Host-", "x"),
            ("a=e\u{301};path=/", "a", "e\u{301}"), ("a=b\u{301}=\u{301}", "a", "b\u{301}=\u{301}"),
        ])
    func pairs(field: String, name: String, value: String) throws {
        let cookie = try #require(SetCookie(field))
        #expect(Array(cookie.name.utf8) == Array(name.utf8) && Array(cookie.value.utf8) == Array(value.utf8))
    }

    @Test(
        "an invalid cookie is ignored",
        arguments: ["", "=", ";", " = ;Secure", "a=b\u{1}", "a=b;x=\u{0}", "a\r\nb=c", "a=\u{7F}", "\t"])
    func ignored(field: String) { #expect(SetCookie(field) == nil) }

    @Test func `name and value take up to 4096 bytes together, and an attribute's value up to 1024`() throws {
        let long = String(repeating: "é", count: 2047)
        #expect(SetCookie("a=\(long)b; path=/")?.value.utf8.count == 4095)
        #expect(SetCookie("ab=\(long)b") == nil)
        let path = "/" + String(repeating: "p", count: 1023)
        #expect(SetCookie("a=b; path=\(path)")?.path == path)
        #expect(SetCookie("a=b; path=/x; path=\(path)p")?.path == "/x")
    }

    @Test func `attributes match in any case, the last one counts, and invalid ones are ignored`() throws {
        let cookie = try #require(
            SetCookie(
                "a=b; DOMAIN = .Example.COM ;path=/x;Path= /y ;SECURE=no;httponly;sameSITE=lax;max-age=5;max-age=x;Odd")
        )
        #expect(cookie.domain == "example.com" && cookie.path == "/y" && cookie.isSecure && cookie.isHTTPOnly)
        #expect(cookie.sameSite == .lax && cookie.maxAge == 5 && cookie.expires == nil)
        #expect(SetCookie("a=b; path=/x; path=y")?.path == nil)
        #expect(SetCookie("a=b; domain=x; domain=")?.domain == "")
        #expect(SetCookie("a=b; domain=..x")?.domain == ".x")
        #expect(SetCookie("a=b; samesite=strict; samesite=odd")?.sameSite == nil)
        #expect(SetCookie("a=b; samesite=NONE")?.sameSite == Cookie.SameSite.none)
        #expect(SetCookie("a=b; expires=x; expires=Sun, 06 Nov 1994 08:49:37 GMT; expires=y")?.expires != nil)
    }

    @Test(
        "Max-Age consists of digits with an optional minus sign",
        arguments: [
            ("0", 0), ("-1", -1), ("60", 60), ("99999999999999999999", Int.max), ("-99999999999999999999", Int.min),
            ("", nil), ("-", nil), ("+1", nil), ("1.5", nil), ("1 2", nil), ("٣", nil),
        ])
    func ages(text: String, seconds: Int?) { #expect(SetCookie("a=b; max-age=\(text)")?.maxAge == seconds) }

    @Test(
        "dates are parsed in any order and notation",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("1994 nov 6 8:49:37", 784_111_777),
            ("08:49:37 06 novEMBER 94", 784_111_777), ("6/Nov/1994;08:49:37.5 +0200", 784_111_777),
            ("06x Nov 1994x 08:49:37x", 784_111_777), ("1 Jan 69 0:0:0", 3_124_224_000), ("1 Jan 70 0:0:0", 0),
            ("29 Feb 2000 00:00:00", 951_782_400), ("29 Feb 2001 00:00:00", nil), ("31 Nov 2000 00:00:00", nil),
            ("32 Jan 2000 00:00:00", nil), ("1 Jan 1600 00:00:00", nil), ("1 Jan 1601 00:00:00", -11_644_473_600),
            ("1 Jan 2000 24:00:00", nil), ("1 Jan 2000 00:60:00", nil), ("1 Jan 2000 00:00:60", nil),
            ("1 Jan 2000", nil), ("00:00:00 1 2000", nil), ("", nil), ("Jan Jan Jan", nil),
            ("1 Jan 20000 00:00:00", nil),
            ("1 Jan 2000 000:00:00", nil), ("１ Jan 2000 00:00:00", nil), ("0 Jan 2000 00:00:00", nil),
        ] as [(String, Double?)])
    func dates(text: String, seconds: Double?) {
        #expect(CookieDate.date(text)?.timeIntervalSince1970 == seconds)
    }
}
