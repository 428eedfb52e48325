import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// A loop on the main actor suspends only if it has to wait.
@Suite(.timeLimit(.minutes(3)))
@MainActor
struct StreamIsolationTests {
    private struct API: HTTPProvider {
        let baseURL = URL(filePath: "/")
        let client: HTTPClient
    }

    private func request(_ response: StubResponse) throws -> Request {
        let url = try #require(URL(string: "https://h/"))
        let client = HTTPClient(transport: StubTransport().on(.get, "/", response))
        return API(client: client).request(Route(url: url))
    }

    /// Whether another task ran on the main actor while `body` did.
    private func givesUp(during body: () async throws -> Void) async rethrows -> Bool {
        let others = Counter()
        let task = Task { @MainActor in others.count += 1 }
        try await body()
        let isInterrupted = others.count > 0
        await task.value
        return isInterrupted
    }

    private final class Counter { var count = 0 }

    @Test func linesThatAreThereNeedNoHop() async throws {
        var lines = try request(.text(String(repeating: "line\r\n", count: 2000) + "last")).lines.makeAsyncIterator()
        var seen = [try await lines.next(isolation: #isolation) ?? ""]
        let isInterrupted = try await givesUp {
            for _ in 1..<2000 { seen.append(try await lines.next(isolation: #isolation) ?? "") }
        }
        #expect(!isInterrupted)
        #expect(seen.count == 2000 && Set(seen) == ["line"])
        let (last, end) = (try await lines.next(isolation: #isolation), try await lines.next(isolation: #isolation))
        #expect(last == "last" && end == nil)
    }

    @Test func aLoopOnTheMainActorAndOneElsewhereSeeTheSame() async throws {
        let text = (0..<1000).map { "line \($0)" }.joined(separator: "\n")
        var (lines, bytes): ([String], Data) = ([], Data())
        for try await line in try request(.text(text)).lines { lines.append(line) }
        for try await chunk in try request(.text(text)).chunks { bytes.append(chunk) }
        #expect(lines == text.split(separator: "\n").map(String.init) && bytes == Data(text.utf8))
        let elsewhere = try request(.text(text)).lines
        let seen = try await Task.detached { try await elsewhere.reduce(into: []) { $0.append($1) } }.value
        #expect(seen == lines)
    }

    @Test func aChunkThatIsThereNeedsNoHopAndOneThatIsNotIsWaitedFor() async throws {
        let pipe = BytePipe(capacity: 100)
        var iterator = HTTPResponse.Stream(pipe).makeAsyncIterator()
        for text in ["a", "b", "c"] {
            #expect(await pipe.write(Data(text.utf8)))
            var chunk: Data?
            let isInterrupted = try await givesUp { chunk = try await iterator.next(isolation: #isolation) }
            #expect(!isInterrupted && chunk == Data(text.utf8))
        }
        Task {
            _ = await pipe.write(Data("d".utf8))
            pipe.finish(throwing: HTTPError.connectionLost)
        }
        let chunk = try await iterator.next(isolation: #isolation)
        #expect(chunk == Data("d".utf8))
        do {
            _ = try await iterator.next(isolation: #isolation)
            Issue.record("the stream ended well")
        } catch { #expect(error == HTTPError.connectionLost) }
    }

    @Test func cancellingEndsAWaitOnTheMainActor() async throws {
        let pipe = BytePipe(capacity: 100)
        let stream = HTTPResponse.Stream(pipe)
        let task = Task { @MainActor in for try await _ in stream {} }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(pipe.isClosed)
    }
}
