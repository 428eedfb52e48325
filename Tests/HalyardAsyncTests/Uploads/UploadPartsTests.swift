import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Files that are uploaded in parts, with a request each.
@Suite(.timeLimit(.minutes(3)))
struct UploadPartsTests {
    private static let route = { @Sendable (part: UploadPart) in
        Route(path: "/parts/\(part.number)", method: .put).retry(.upTo(attempts: 3))
    }

    private let server: LoopbackServer
    private let api: TestAPI
    private let folder: TemporaryFolder
    private let file: URL
    private let content = Data.pattern(300_000)

    init() throws {
        server = try LoopbackServer()
        let transport = PlatformTransport.make(EngineConfiguration(idleTimeout: nil))
        api = TestAPI(
            baseURL: server.baseURL,
            client: HTTPClient(transport: transport, clock: ImpatientClock()))
        folder = try TemporaryFolder()
        file = try folder.write(content, to: "big.iso")
    }

    @Test("as many parts are sent at once as the caller says")
    func parallel() async throws {
        let (waiting, all) = (Lock(0), DispatchSemaphore(value: 0))
        // Each of the first three requests is answered when all three are there.
        server.on(.put, "/parts/{number}", times: .any) { _ in
            let count = waiting.withLock { count in
                count += 1
                return count
            }
            if count < 3 { all.wait() } else if count == 3 { (1...2).forEach { _ in all.signal() } }
            return .status(200)
        }
        let client = HTTPClient(
            engine: EngineConfiguration(idleTimeout: nil), configuration: .init(compression: .gzip))
        let parts = try await api.with(\.client, client).upload(
            file, inPartsOf: 70_000, atOnce: 3, route: Self.route)
        #expect(parts.count == 5)
        #expect(server.requests.allSatisfy { $0.headers["Content-Encoding"] == nil })
    }

    @Test("the parts are the file, and their responses are in its order", arguments: [1, 3, 100])
    func parts(limit: Int) async throws {
        let (running, most) = (Lock(0), Lock(0))
        server.on(.put, "/parts/{number}", times: .any) { request in
            let now = running.withLock {
                $0 += 1; return $0
            }
            most.withLock { $0 = max($0, now) }
            defer { running.withLock { $0 -= 1 } }
            return .status(200, headers: ["ETag": "\"\(request.pathParameters["number"] ?? "")\""])
        }
        let progress = Log<TransferProgress>()
        let parts = try await api.upload(
            file, inPartsOf: 70_000, atOnce: limit, onProgress: { progress.add($0) }, route: Self.route)
        #expect(parts.map(\.part.number) == [1, 2, 3, 4, 5] && parts.allSatisfy { $0.part.count == 5 })
        #expect(parts.map { $0.response.headers["ETag"] } == (1...5).map { "\"\($0)\"" })
        let bodies = server.requests.sorted { $0.path < $1.path }.map(\.body)
        #expect(bodies.map(\.count) == [70_000, 70_000, 70_000, 70_000, 20_000] && Data(bodies.joined()) == content)
        #expect(most.withLock { $0 } <= limit)
        let counts = progress.entries.map(\.completed)
        #expect(counts == counts.sorted() && Set(counts).count == counts.count)
        #expect(progress.entries.last == TransferProgress(completed: 300_000, total: 300_000))
    }

    @Test("a part that fails is sent again, and its bytes count once")
    func retried() async throws {
        let failures = Lock(3)
        server.on(.put, "/parts/{number}", times: .any) { _ in
            .status(
                failures.withLock {
                    $0 -= 1; return $0
                } >= 0 ? 503 : 200)
        }
        let progress = Log<Int64>()
        let parts = try await api.upload(
            file, inPartsOf: 100_000, atOnce: 2, onProgress: { progress.add($0.completed) }, route: Self.route)
        #expect(parts.count == 3 && server.requests.count == 6)
        #expect(progress.entries == progress.entries.sorted() && progress.entries.last == 300_000)
    }

    @Test("parts that the server has are not sent")
    func skipped() async throws {
        server.on(.put, "/parts/{number}", times: .any, .status(200))
        let progress = Log<Int64>()
        let parts = try await api.upload(file, inPartsOf: 100_000, onProgress: { progress.add($0.completed) }) {
            $0.number == 2 ? Self.route($0) : nil
        }
        #expect(parts.map(\.part.bytes) == [100_000..<200_000] && progress.entries.last == 300_000)
        #expect(try server.request.body == content[100_000..<200_000])
        #expect(try await api.upload(file, inPartsOf: 100_000, route: { _ in nil }).isEmpty)
    }

    @Test("an error ends the call, and no other part is begun")
    func failed() async throws {
        server.on(.put, "/parts/{number}", times: .any) { $0.path.hasSuffix("2") ? .status(403) : .status(200) }
        let error = await failure {
            try await api.upload(file, inPartsOf: 1000, atOnce: 1, route: Self.route)
        }
        #expect(error?.kind == .status(403) && server.requests.count == 2)
    }

    @Test("a file that changes meanwhile is an error")
    func changed() async throws {
        server.on(.put, "/parts/{number}", times: .any, .status(200))
        let error = await failure {
            try await api.upload(file, inPartsOf: 100_000, atOnce: 1) { part in
                if part.number == 2 { try Data(repeating: 7, count: 300_000).write(to: file) }
                return Self.route(part)
            }
        }
        #expect(error?.kind == .unreadableFile(file.path(percentEncoded: false)) && server.requests.count <= 1)
    }

    @Test("an empty file has one part, and sizes without bytes are errors")
    func edges() async throws {
        server.on(.put, "/parts/{number}", times: .any, .status(200))
        try Data().write(to: file)
        let parts = try await api.upload(file, inPartsOf: .max, route: Self.route)
        #expect(parts.map(\.part) == [try #require(parts.first).part] && parts.first?.part.bytes == 0..<0)
        for (size, limit) in [(Int64(0), 1), (-1, 1), (1, 0)] {
            let error = await failure {
                try await api.upload(file, inPartsOf: size, atOnce: limit, route: Self.route)
            }
            #expect(error?.kind == .configuration(size > 0 ? "atOnce" : "inPartsOf"))
        }
        let error = await failure {
            try await api.upload(folder.file("missing"), inPartsOf: 1, route: Self.route)
        }
        #expect(error?.kind == .unreadableFile(folder.file("missing").path(percentEncoded: false)))
    }
}
