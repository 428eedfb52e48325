import ContractEngines
import Foundation
import HalyardEndpoints
import HalyardTesting
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

    @Test("a download into a folder stays in it, and does not replace a file", .faults(59, 60), arguments: Engine.wire)
    func download(engine: Engine) async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer().on(
            .get, "/api/x",
            .text("new", headers: ["Content-Disposition": #"attachment; filename="../../a.txt""#]))
        let old = try folder.write("old", to: "a.txt")
        let request = Route(path: "x")
        let second = try await TestAPI(server, over: engine).request(request).download(into: folder.url)
        let third = try await TestAPI(server, over: engine).request(request).download(into: folder.url)
        #expect([second, third].map(\.lastPathComponent) == ["a 2.txt", "a 3.txt"])
        #expect(try String(contentsOf: old, encoding: .utf8) == "old")
        #expect(try String(contentsOf: third, encoding: .utf8) == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 3)
        server.on(.get, "/api/x", .status(404))
        #expect(
            await failure { _ = try await TestAPI(server, over: engine).request(request).download(into: folder.url) }
                == .status(404))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 3)
    }
}
