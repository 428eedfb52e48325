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
        "a file name has no path", .faults(59),
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

    @Test("a long name keeps its extension; a URL without a name has none")
    func long() throws {
        let long = try #require(try name("attachment; filename=\(String(repeating: "é", count: 300)).tar"))
        #expect(long.utf8.count <= 200 && long.hasSuffix("é.tar"))
        #expect(try name(nil, "/") == nil)
        #expect(try name(nil, "/a/..%2Fb") == "b")
    }
}
