import Foundation
import HalyardHTTP
import TestSupport
import Testing

/// Names of files that a server suggests.
struct FilenameTests {
    private func name(_ disposition: String?, _ path: String = "/x/report.csv") throws -> String? {
        let headers: HTTPHeaders = disposition.map { ["Content-Disposition": $0] } ?? [:]
        let url = try #require(URL(string: "https://h\(path)"))
        return HTTPResponse(status: 200, headers: headers, url: url).suggestedFilename
    }

    @Test(
        "file names come from Content-Disposition (RFC 6266), or else from the URL",
        arguments: [
            (#"attachment; filename="a b.txt""#, "a b.txt"), ("attachment; filename=a.txt", "a.txt"),
            ("attachment", "report.csv"), (#"attachment; FileName = "x.y" ; size=3"#, "x.y"),
            (#"attachment; filename="e.txt"; filename*=UTF-8''%e2%82%ac%20rates.txt"#, "€ rates.txt"),
            ("attachment; filename*=iso-8859-1'en'%A3.txt", "£.txt"), (#"attachment; filename="a\"b.txt""#, "ab.txt"),
            (#"attachment; filename*=koi8-r''%A3; filename="plain.txt""#, "plain.txt"), ("inline;filename=x;;", "x"),
            (#"attachment; filename="""#, "report.csv"), (#"attachment; filename="unended"#, "unended"),
        ])
    func names(field: String, name: String) throws { #expect(try self.name(field) == name) }

    @Test(
        "a file name never contains a path", .faults(59),
        arguments: [
            (#"attachment; filename="../../etc/passwd""#, "passwd"),
            (#"attachment; filename="..\\..\\x.exe""#, "x.exe"),
            (#"attachment; filename="/etc/shadow""#, "shadow"), (#"attachment; filename=".bashrc""#, "bashrc"),
            (#"attachment; filename="..""#, "report.csv"), (#"attachment; filename="C:\x.txt""#, "Cx.txt"),
            ("attachment; filename*=UTF-8''..%2F..%2Fx", "x"), ("attachment; filename*=UTF-8''a%00b%0Ac", "abc"),
            ("attachment; filename*=UTF-8''txt.%E2%80%AEexe", "txt.exe"),
            (#"attachment; filename=". . ""#, "report.csv"),
        ])
    func traversal(field: String, name: String) throws { #expect(try self.name(field) == name) }

    @Test(
        "a name is never empty or hidden, and characters stay whole",
        arguments: [
            ("\u{200D}.bashrc", "bashrc"), ("\u{FE0F}.profile", "profile"), (". .\u{AD}.x", "x"), ("\u{FEFF}..x", "x"),
            ("a.txt. .\u{200D} ", "a.txt"), ("\u{301}.x", "x"), (".\u{301}x", "x"), (".\u{FE0F}x", "x"),
            ("a .\u{301}", "a"), ("👩‍👩‍👧.txt", "👩‍👩‍👧.txt"), ("❤️‍🔥.txt", "❤️‍🔥.txt"), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿.txt", "🏴󠁧󠁢󠁥󠁮󠁧󠁿.txt"),
            ("नमस्ते.txt", "नमस्ते.txt"), ("می‌خواهم.txt", "می‌خواهم.txt"), ("x\u{202E}txt.exe", "xtxt.exe"),
            ("\u{2066}a\u{2069}", "a"), ("\u{200D}", "report.csv"), ("\u{FE0F}", "report.csv"),
            ("\u{301}", "report.csv"),
            ("...", "report.csv"), ("a/\u{200D}", "report.csv"),
            ("../\u{200D}..\u{200D}/\u{301}etc/\u{200D}passwd", "passwd"),
            ("x\\\u{FE0F}y", "y"), ("a\u{200D}\u{200D}b", "a\u{200D}b"), ("a\u{E0041}b", "ab"), ("~", "~"),
            ("\u{2024}a", "\u{2024}a"),
        ])
    func whole(name: String, suggested: String) throws {
        let found = try self.name("attachment; filename*=UTF-8''\(hex(name))")
        #expect(found.map { Array($0.unicodeScalars) } == Array(suggested.unicodeScalars))
    }

    private func hex(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("a long name is truncated between characters", arguments: ["👩‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "e\u{301}", "नि", "\u{1F1E9}\u{1F1EA}"])
    func cut(character: String) throws {
        for start in ["", "a", "ab", "abc"] {
            let long = start + String(repeating: character, count: 100) + ".txt"
            let name = try #require(try name("attachment; filename*=UTF-8''\(hex(long))"))
            #expect(name.utf8.count <= 200 && name.hasSuffix(".txt") && long.hasPrefix(name.dropLast(4)))
        }
        // One character alone may be longer than a name.
        let tall = "a" + String(repeating: "\u{301}", count: 300)
        #expect(try name("attachment; filename*=UTF-8''\(hex(tall)).txt").map { !$0.isEmpty && $0 != ".txt" } == true)
    }

    @Test("a long name keeps its extension; a URL without a name gives none")
    func long() throws {
        let long = try #require(try name("attachment; filename=\(String(repeating: "é", count: 300)).tar"))
        #expect(long.utf8.count <= 200 && long.hasSuffix("é.tar"))
        #expect(try name(nil, "/") == nil)
        #expect(try name(nil, "/a/..%2Fb") == "b")
    }
}
