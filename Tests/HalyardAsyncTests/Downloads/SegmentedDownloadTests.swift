import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Downloads over several connections.
@Suite(.timeLimit(.minutes(3)))
struct SegmentedDownloadTests {
    private static let route = Route(path: "/dump")
    private static let patient = route.retry(fast(20))
    /// The budget of the client of other tests may be used up.
    private static let client = HTTPClient(
        engine: EngineConfiguration(idleTimeout: nil), configuration: .init(retryBudget: .unlimited))
    private let content = Data.pattern(5_000_000)
    private let folder: TemporaryFolder
    private let place: URL
    private let ranged: RangedContent
    private let server: LoopbackServer
    private let progress = Log<TransferProgress>()

    init() throws {
        folder = try TemporaryFolder()
        place = folder.file("dump")
        ranged = RangedContent(content)
        server = try LoopbackServer.giving(ranged)
    }

    private static func fast(_ attempts: Int) -> RetryPolicy {
        var policy = RetryPolicy.upTo(attempts: attempts)
        policy.delay = .zero
        return policy
    }

    private func download(
        _ route: Route = route, connections: Int = 4, sha256: String? = nil, client: HTTPClient = client
    ) async throws {
        let file = try await TestAPI(server).with(\.client, client)
            .download(route, to: place, connections: connections, sha256: sha256) { progress.add($0) }
        #expect(file == place)
    }

    /// `reports` is the number of progress reports of earlier calls.
    private func expectDone(_ content: Data? = nil, after reports: Int = 0) throws {
        #expect(try Data(contentsOf: place).isSame(as: content ?? self.content))
        #expect(try folder.names == ["dump"])
        let fractions = progress.entries.dropFirst(reports).map { $0.fraction ?? -1 }
        #expect(zip(fractions, fractions.dropFirst()).allSatisfy { $0 < $1 } && fractions.last == 1)
    }

    /// The ranges that were requested, in the order of the file.
    private var ranges: [Range<Int>] {
        server.ranges.compactMap { text in
            text?.wholeMatch(of: /bytes=(\d+)-(\d+)/).flatMap { match in
                Int(match.1).flatMap { first in Int(match.2).map { first..<$0 + 1 } }
            }
        }
        .sorted { $0.lowerBound < $1.lowerBound }
    }

    private static func reprDigest(of content: Data) -> String {
        "sha-256=:\(SHA256Digest.hash(content).base64EncodedString()):"
    }

    @Test("the file is compared with the Repr-Digest of its parts, unless the caller knows better")
    func statedDigest() async throws {
        let (right, other) = (Self.reprDigest(of: content), SHA256Digest.hash(Data()).hexadecimal)
        ranged.change { $0.headers["Repr-Digest"] = Self.reprDigest(of: Data()) }
        let actual = SHA256Digest.hash(content).hexadecimal
        let error = await failure { try await download() }
        #expect(error?.kind == .digestMismatch(expected: other, actual: actual))
        #expect(try folder.names == [])
        var reports = progress.entries.count
        try await download(sha256: actual)
        try expectDone(after: reports)
        for header in [right, "sha-512=:AAAA:, \(right)", "sha-256=:!:", "sha-256=:AAAA:", "sha-512=:AAAA:"] {
            ranged.change { $0.headers["Repr-Digest"] = header }
            reports = progress.entries.count
            try await download()
            try expectDone(after: reports)
        }
    }

    @Test("another Repr-Digest is a change of the file")
    func changedDigest() async throws {
        ranged.change { [content] in
            $0.headers["Repr-Digest"] = Self.reprDigest(of: content)
            $0.answers = [
                .data(
                    content.prefix(1 << 20), status: 206,
                    headers: [
                        "ETag": "\"one\"", "Content-Range": "bytes 0-1048575/\(content.count)",
                        "Repr-Digest": Self.reprDigest(of: Data()),
                    ])
            ]
        }
        try await download()
        try expectDone()
        #expect(server.ranges.contains(nil))
    }

    @Test("the parts of a file are requested once each, with its validator", arguments: [1, 4, 16])
    func parts(connections: Int) async throws {
        try await download(connections: connections, sha256: SHA256Digest.hash(content).hexadecimal)
        try expectDone()
        #expect(progress.entries.last == TransferProgress(completed: 5_000_000, total: 5_000_000))
        #expect(
            ranges.count > (connections == 1 ? 1 : 4) && ranges.first == 0..<1 << 20
                && ranges.last?.upperBound == 5_000_000)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        #expect(server.requests.filter { $0.headers["If-Range"] == "\"one\"" }.count == server.requests.count - 1)
        #expect(server.requests.allSatisfy { $0.headers["Accept-Encoding"] == "identity" })
    }

    @Test("as many parts are requested at once as there are connections")
    func parallel() async throws {
        let (waiting, ranged) = (Lock(0), ranged)
        let all = DispatchSemaphore(value: 0)
        // Each of the first four requests is answered when all four are there.
        server.on(.get, "/api/dump") { request in
            let answer = ranged.answer(to: request)
            guard request.headers["If-Range"] != nil else { return answer }
            let count = waiting.withLock { count in
                count += 1
                return count
            }
            if count < 3 { all.wait() } else if count == 3 { (1...2).forEach { _ in all.signal() } }
            return answer
        }
        try await download()
        try expectDone()
    }

    @Test("the error of a part ends the others")
    func refusedPart() async throws {
        let (ranged, others) = (ranged, Lock(0))
        server.on(.get, "/api/dump") { request in
            let answer = ranged.answer(to: request)
            guard request.headers["If-Range"] != nil else { return answer.stalling(after: 1000) }
            let isFirst = others.withLock { others in
                others += 1
                return others == 1
            }
            return isFirst ? answer.stalling(after: 1000) : .status(403)
        }
        let error = await failure { try await download() }
        #expect(error?.kind == .status(403))
    }

    @Test("a new version that is compressed is decoded")
    func changedAndCompressed() async throws {
        let gzip = Data(base64Encoded: "H4sIAAAAAAAAA0tMSgYAwkEkNQMAAAA=") ?? Data()
        let (ranged, requests) = (ranged, Lock(0))
        server.on(.get, "/api/dump") { request in
            let answer = ranged.answer(to: request)
            let isFirst = requests.withLock { requests in
                requests += 1
                return requests == 1
            }
            if isFirst {
                ranged.change {
                    ($0.content, $0.headers) = (gzip, ["ETag": "\"two\"", "Content-Encoding": "gzip"])
                }
            }
            return answer
        }
        try await download()
        #expect(try String(contentsOf: place, encoding: .utf8) == "abc" && folder.names == ["dump"])
    }

    @Test(
        "a file without a strong validator gets one connection",
        arguments: [[:], ["ETag": "W/\"one\""]] as [HTTPHeaders])
    func noValidator(headers: HTTPHeaders) async throws {
        ranged.change { $0.headers = headers }
        try await download()
        try expectDone()
        #expect(server.ranges == ["bytes=0-1048575", nil])
    }

    @Test("the response of a server without ranges is used")
    func noRanges() async throws {
        ranged.change { [content] in $0.answers = [.data(content, headers: ["ETag": "\"one\""])] }
        try await download()
        try expectDone()
        #expect(server.ranges == ["bytes=0-1048575"])
    }

    @Test(
        "the Repr-Digest of a response without ranges is compared",
        arguments: [["ETag": "\"one\""], [:]] as [HTTPHeaders])
    func digestWithoutRanges(headers: HTTPHeaders) async throws {
        ranged.change { [content] in
            var headers = headers
            headers["Repr-Digest"] = "sha-256=:\(SHA256Digest.hash(Data()).base64EncodedString()):"
            $0.answers = [.data(content, headers: headers)]
        }
        let mismatch = HTTPError.Kind.digestMismatch(
            expected: SHA256Digest.hash(Data()).hexadecimal, actual: SHA256Digest.hash(content).hexadecimal)
        #expect(await failure { try await download() }?.kind == mismatch)
        #expect(try folder.names == [])
    }

    @Test("a server without ranges is asked again by the policy, for the whole body")
    func noRangesAndBroken() async throws {
        ranged.change { [content] in
            let answer = StubResponse.data(content, headers: ["ETag": "\"one\""])
            $0.answers = [answer.failing(after: 700_000), answer.failing(after: 2_000_000), answer]
        }
        try await download(Self.patient)
        try expectDone()
        #expect(server.ranges == ["bytes=0-1048575", nil, nil])
    }

    @Test(
        "a first part that cannot be continued is followed by the whole body, over one connection",
        arguments: [
            "bytes 0-1048575/*", "bytes 1-1048576/5000000", "items 0-1/2", "bytes 0-1048574/5000000",
            "bytes 0-1048575/999999999999999999",
        ])
    func oddPart(range: String) async throws {
        ranged.change { [content] in
            $0.answers = [
                .data(content.prefix(1 << 20), status: 206, headers: ["ETag": "\"one\"", "Content-Range": range])
            ]
        }
        try await download()
        try expectDone()
        #expect(server.ranges == ["bytes=0-1048575", nil])
    }

    @Test("a compressed body is decoded, over one connection")
    func compressed() async throws {
        let gzip = Data(base64Encoded: "H4sIAAAAAAAAA0tMSgYAwkEkNQMAAAA=") ?? Data()
        let headers: HTTPHeaders = ["ETag": "\"one\"", "Content-Encoding": "gzip"]
        ranged.change { ($0.content, $0.headers) = (gzip, headers) }
        try await download()
        #expect(try String(contentsOf: place, encoding: .utf8) == "abc" && folder.names == ["dump"])
        #expect(server.ranges == ["bytes=0-1048575", nil])
    }

    @Test("short files and empty ones", arguments: [(0, 2), (1, 1), (262_144, 1), (1_048_577, 2)])
    func short(count: Int, requests: Int) async throws {
        let content = content.prefix(count)
        ranged.change { $0.content = content }
        try await download()
        try expectDone(content)
        #expect(server.requests.count == requests)
    }

    @Test("a part that breaks off continues where it has ended, by the policy of the route")
    func broken() async throws {
        ranged.change { $0.breaks = [300_000, 10, 0, 100_001, 262_144] }
        try await download(Self.patient, sha256: SHA256Digest.hash(content).hexadecimal)
        try expectDone()
        // No byte is requested twice, but of the parts that broke off.
        #expect(ranges.contains(300_000..<1 << 20))
    }

    @Test("a part that breaks off is no more requested when the budget of retries is used up")
    func budget() async throws {
        ranged.change { $0.breaks = [300_000] }
        let client = HTTPClient(configuration: .init(retryBudget: RetryBudget(ratio: 0, reserve: 0)))
        let error = await failure { try await download(Self.patient, client: client) }
        #expect(error?.kind == .connectionLost && error?.reason?.contains("retryBudget") == true)
    }

    @Test("a call that failed is continued by another one, which requests what is missing")
    func later() async throws {
        ranged.change { $0.breaks = [600_000] }
        let error = await failure { try await download() }
        #expect(error?.kind == .connectionLost && error?.request?.url.path == "/api/dump")
        let paused = try #require(PausedDownload(of: place))
        #expect(paused.total == 5_000_000 && paused.completed >= 524_288)
        let stored = try JSONDecoder().decode(PausedDownload.self, from: try JSONEncoder().encode(paused))
        #expect(stored == paused)
        #expect(try folder.names == [".dump.halyard-part", ".dump.halyard-part.json"])
        let (count, reports) = (server.requests.count, progress.entries.count)
        try await download(connections: 2)
        try expectDone(after: reports)
        #expect(progress.entries[reports].completed == paused.completed)
        let again = server.ranges.dropFirst(count)
        #expect(!again.isEmpty && !again.contains { $0?.hasPrefix("bytes=0-") ?? true })
        #expect(PausedDownload(of: place) == nil)
    }

    @Test("a download that was cancelled can be continued or discarded", arguments: [true, false])
    func cancelled(isContinued: Bool) async throws {
        let (ranged, isSlow) = (ranged, Lock(true))
        server.on(.get, "/api/dump") { request in
            let answer = ranged.answer(to: request)
            let isHeld = request.headers["If-Range"] != nil && isSlow.withLock { $0 }
            return isHeld ? answer.delayed(by: .seconds(3600)) : answer
        }
        // On this clock, the second that a release may take never ends.
        let client = HTTPClient(
            transport: Self.client.transport, configuration: .init(retryBudget: .unlimited), clock: ManualClock())
        let task = Task { try await download(client: client) }
        try await eventually("the first part arrives") { progress.entries.last?.completed == 1 << 20 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(PausedDownload(of: place)?.completed == 1 << 20)
        isSlow.withLock { $0 = false }
        if isContinued {
            let reports = progress.entries.count
            try await download()
            try expectDone(after: reports)
        } else {
            try PausedDownload(of: place)?.discard()
            #expect(try folder.names == [])
        }
    }

    @Test("a paused download whose folder is gone is discarded")
    func discardedWithoutFolder() async throws {
        let place = folder.url.appending(path: "gone/dump")
        ranged.change { $0.breaks = [600_000] }
        await #expect(throws: HTTPError(.connectionLost)) {
            try await TestAPI(server).download(Self.route, to: place, connections: 4)
        }
        let paused = try #require(PausedDownload(of: place))
        try FileManager.default.removeItem(at: place.deletingLastPathComponent())
        try paused.discard()
        #expect(try PausedDownload(of: place) == nil && folder.names == [])
    }

    @Test("the bytes of a plain download are taken over, and a plain download starts over")
    func mixed() async throws {
        ranged.change { $0.breaks = [1_000_000] }
        let plain = { _ = try await TestAPI(server).request(Self.route).download(to: place, resuming: true) }
        #expect(await failure { try await plain() } == .connectionLost)
        #expect(PausedDownload(of: place)?.completed == 1_000_000)
        try await download()
        try expectDone()
        #expect(ranges.first?.lowerBound == 3 << 18)
        try FileManager.default.removeItem(at: place)
        ranged.change { $0.breaks = [600_000] }
        #expect(await failure { try await download() } == .connectionLost)
        let notes = Log<String>()
        let client = HTTPClient(log: .custom { if let note = $0.note { notes.add(note) } })
        let api = TestAPI(baseURL: server.baseURL.appending(path: "api"), client: client)
        _ = try await api.request(Self.route).download(to: place, resuming: true)
        #expect(
            notes.entries.first?.hasPrefix("starts over: the partial file is that of a download over several") == true)
        #expect(try Data(contentsOf: place).isSame(as: content) && folder.names == ["dump"])
        #expect(server.ranges.last == .some(nil))
    }

    @Test(
        "a file that changes on the server starts over once, and is never mixed",
        arguments: [1, 2, 3, 5], [true, false])
    func changed(after requests: Int, isShorter: Bool) async throws {
        let (new, ranged, count) = (Data.noise(isShorter ? 1_500_000 : 6_000_000), ranged, Lock(0))
        server.on(.get, "/api/dump") { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == requests { ranged.change { ($0.content, $0.headers) = (new, ["ETag": "\"two\""]) } }
            return ranged.answer(to: request)
        }
        try await download(sha256: SHA256Digest.hash(new).hexadecimal)
        try expectDone(new)
        #expect(server.ranges.filter { $0 == nil }.count == (requests == 1 ? 0 : 1))
    }

    @Test(
        "a part of another version starts over",
        arguments: [
            ["Content-Range": "bytes 1048576-1310719/5000000", "ETag": "\"two\""],
            ["Content-Range": "bytes 1048576-1310719/5000001", "ETag": "\"one\""],
            ["Content-Range": "bytes 1048577-1310720/5000000", "ETag": "\"one\""],
            ["Content-Range": "bytes 1048576-1310719/5000000", "ETag": "\"one\"", "Content-Encoding": "gzip"],
            ["ETag": "\"one\""],
        ] as [HTTPHeaders])
    func otherPart(headers: HTTPHeaders) async throws {
        let (ranged, count) = (ranged, Lock(0))
        server.on(.get, "/api/dump") { request in
            let isSecond = count.withLock { count in
                count += 1
                return count == 2
            }
            if isSecond { return .data(Data(repeating: 1, count: 262_144), status: 206, headers: headers) }
            return ranged.answer(to: request)
        }
        try await download(connections: 1)
        try expectDone()
        #expect(server.ranges.filter { $0 == nil }.count == 1)
    }

    @Test("a file that changes again and again is an error, and nothing is in place")
    func changesAlways() async throws {
        let (content, count) = (content, Lock(0))
        server.on(.get, "/api/dump") { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            // Each request has a state of its own: that of a part may arrive after the one of the whole body.
            let version = RangedContent(content, ["ETag": "\"\(number)\""])
            // The whole body, over one connection, breaks off.
            if request.headers["Range"] == nil { version.change { $0.breaks = [2_000_000] } }
            return version.answer(to: request)
        }
        let error = await failure { try await download(Self.patient) }
        #expect(error?.kind == .invalidResponse)
        #expect(error?.reason?.contains("has changed") == true, "\(String(describing: error))")
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }

    @Test("a file with another digest is removed")
    func digest() async throws {
        let other = SHA256Digest.hash(Data()).hexadecimal
        let error = await failure { try await download(sha256: other) }
        #expect(error?.kind == .digestMismatch(expected: other, actual: SHA256Digest.hash(content).hexadecimal))
        #expect(try folder.names == [])
    }

    @Test("arguments that cannot be used are errors before anything is sent")
    func arguments() async throws {
        for connections in [0, 17, -1] {
            #expect(
                await failure { try await download(connections: connections) }?.kind == .configuration("connections"))
        }
        let routes = [
            Route(path: "/dump", method: .post), Route(path: "/dump", headers: ["Range": "bytes=0-1"]),
            Route(path: "/dump", headers: ["If-Range": "\"one\""]),
        ]
        for route in routes {
            #expect(await failure { try await download(route) }?.kind == .configuration("connections"))
        }
        #expect(await failure { try await download(sha256: "abc") }?.kind == .configuration("sha256"))
        #expect(server.requests.isEmpty)
        #expect(try folder.names == [])
    }

    @Test("a refusal is the error of the request, and keeps the bytes that are there")
    func refused() async throws {
        ranged.change { $0.breaks = [600_000] }
        #expect(await failure { try await download() } == .connectionLost)
        let before = PausedDownload(of: place)
        ranged.change { $0.answers = [.status(403), .status(403), .status(403), .status(403)] }
        #expect(await failure { try await download() } == .status(403))
        #expect(before != nil && PausedDownload(of: place) == before)
    }
}
