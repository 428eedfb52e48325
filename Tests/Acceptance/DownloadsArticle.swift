import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

// The examples of the article on downloads, word for word.

// swift-format-ignore
private enum DownloadsArticle {
static func download(_ api: TestAPI, _ place: URL, _ print: (Any) -> Void) async throws -> URL {
let file = try await api.request(.dump).download(to: place)
for try await line in api.request(.events).lines { print(line) }
return file
}

static func check(_ api: TestAPI, _ place: URL, _ digest: String) async throws -> URL {
let file = try await api.request(.dump)
    .download(to: place, sha256: digest)
return file
}

static func resume(_ api: TestAPI, _ place: URL) async throws -> URL {
let file = try await api.request(.dump)
    .download(to: place, resuming: true)
return file
}

static func connect(
    _ api: TestAPI, _ place: URL, _ digest: String, show: @escaping @Sendable (Double) -> Void
) async throws -> URL {
let file = try await api.download(
    .dump, to: place, connections: 4, sha256: digest
) { progress in
    show(progress.fraction ?? 0)
}
return file
}

static func pause(
    _ api: TestAPI, _ place: URL, _ task: Task<Void, any Error>, _ print: (Int64, Int64) -> Void
) async throws {
task.cancel()
// Later, or in another process:
if let paused = PausedDownload(of: place) {
    print(paused.completed, paused.total ?? 0)
    _ = try await api.download(.dump, to: paused.file, connections: 4)
}
}
}

struct DownloadsArticleTests {
    private let folder: TemporaryFolder
    private let place: URL
    private let content = Data.noise(400_000)

    init() throws {
        folder = try TemporaryFolder()
        place = folder.file("dump")
    }

    private func expectDone() throws {
        #expect(try Data(contentsOf: place) == content && folder.names == ["dump"])
        try FileManager.default.removeItem(at: place)
    }

    @Test func `the article's examples work`() async throws {
        let server = try LoopbackServer.giving(RangedContent(content)).on(.get, "/api/events", .text("a\nb"))
        let (api, lines, fractions) = (TestAPI(server), Log<String>(), Log<Double>())
        let digest = SHA256Digest.hash(content).hexadecimal
        #expect(try await DownloadsArticle.download(api, place) { lines.add("\($0)") } == place)
        #expect(lines.entries == ["a", "b"])
        try expectDone()
        #expect(try await DownloadsArticle.check(api, place, digest) == place)
        try expectDone()
        #expect(try await DownloadsArticle.resume(api, place) == place)
        try expectDone()
        #expect(try await DownloadsArticle.connect(api, place, digest) { fractions.add($0) } == place)
        #expect(fractions.entries.last == 1)
        try expectDone()
    }

    @Test func `a paused download goes on`() async throws {
        let server = try LoopbackServer.giving(RangedContent(content, breaks: 300_000))
        let (api, sizes, place) = (TestAPI(server), Log<[Int64]>(), place)
        let task = Task { _ = try await api.download(.dump, to: place, connections: 4) }
        #expect(await failure { try await task.value } == .connectionLost)
        try await DownloadsArticle.pause(api, place, task) { sizes.add([$0, $1]) }
        #expect(sizes.entries == [[262_144, 400_000]])
        try expectDone()
    }
}
