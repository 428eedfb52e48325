import Foundation
import HalyardAsync
import HalyardCache
import HalyardHAR
import HalyardTesting
import TestSupport
import Testing

/// Folders and files that cannot be made or read: the error names the path and the system's word.
@Suite(.timeLimit(.minutes(3)))
struct FolderFaultTests {
    private let folder: TemporaryFolder
    /// A path through a file that is no folder.
    private let blocked: URL

    init() throws {
        folder = try TemporaryFolder()
        blocked = try folder.write("x", to: "file").appending(path: "a/b/target")
    }

    private func check(_ error: HTTPError?, _ kind: HTTPError.Kind, _ location: SourceLocation = #_sourceLocation) {
        #expect(error?.kind == kind, sourceLocation: location)
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("Not a directory") && text.contains("file/a"), "\(text)", sourceLocation: location)
    }

    @Test(
        "the error for a folder that cannot be created names it and gives the system's reason",
        arguments: [false, true])
    func download(isResuming: Bool) async throws {
        let server = try LoopbackServer().on(.get, "/api/f", .text("body"))
        let error = await failure {
            _ = try await TestAPI(server).request(Route(path: "/f")).download(to: blocked, resuming: isResuming)
        }
        check(error, .unwritableFile(blocked.path))
    }

    @Test("the error names the missing folder, not the file in it")
    func brokenLink() async throws {
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.file("nowhere"))
        let target = link.appending(path: "f")
        let server = try LoopbackServer().on(.get, "/api/f", .text("body"))
        for isResuming in [false, true] {
            let error = await failure {
                _ = try await TestAPI(server).request(Route(path: "/f")).download(to: target, resuming: isResuming)
            }
            #expect(error == HTTPError(.unwritableFile(target.path)))
            #expect(
                error?.reason?.hasPrefix("the folder \(link.path) cannot be made: ") == true,
                "\(String(describing: error))")
        }
    }

    @Test func `the error names the folder of an archive, a cache or a jar that cannot be created`() async throws {
        check(await failure { _ = try EventLog.har(to: blocked) }, .unwritableFile(blocked.path))
        check(await failure { _ = try HTTPCache.disk(at: blocked) }, .unwritableFile(blocked.path))
        // A missing folder is made when the jar is written. One that can never be is an error at once.
        check(await failure { _ = try CookieJar(file: blocked) }, .unreadableFile(blocked.path))
    }

    @Test func `a jar that cannot be read fails instead of starting empty`() throws {
        let loop = folder.file("loop")
        try FileManager.default.createSymbolicLink(at: loop, withDestinationURL: loop)
        for (file, word) in [
            (loop, "symbolic link"), (folder.url, "folder"), (URL(filePath: "/dev/null/x"), "Not a directory"),
        ] {
            let error = #expect(throws: HTTPError(.unreadableFile(file.path(percentEncoded: false)))) {
                try CookieJar(file: file)
            }
            #expect(error?.reason?.contains(word) == true, "\(String(describing: error))")
        }
        #expect(try CookieJar(file: folder.url.appending(path: "new/folder/jar.json")).cookies.isEmpty)
    }

    @Test func `a named pipe in place of a jar fails immediately instead of waiting for a writer`() throws {
        let pipe = folder.file("pipe")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        #expect(throws: HTTPError(.unreadableFile(pipe.path))) { try CookieJar(file: pipe) }
    }
}
