import ContractEngines
import Foundation
import HalyardEndpoints
import HalyardHTTP
import HalyardTesting

/// Cancels requests at 200 points of their time, in every way of reading a response, with a client that uses every
/// stage of the pipeline. Each request must have one allowed outcome, and nothing may be left.
final class Races: Sendable {
    /// The outcomes of all requests, as one JSON object for the parent process.
    struct Report: Codable {
        var answered = 0, cancelled = 0
        /// Outcomes that are not allowed, and outcomes that were delivered twice.
        var wrong: [String] = []
        /// From the cancellation to the outcome, in seconds.
        var p99 = 0.0, slowest = 0.0
        /// The numbers of descriptors and threads before the client was created and after it was released.
        var descriptors: [Int] = [], threads: [Int] = []
        var openConnections = 0, filesLeft = 0
        var isClientGone = false
    }

    private let tally = Lock(Tally())
    private struct Tally: Sendable {
        var next = 0, answered = 0, cancelled = 0
        var wrong: [String] = []
        var times: [Duration] = []
    }

    private static let points = 200
    private let server: LoopbackServer
    private let folder: URL
    private let paths: [String]

    private init(redirects: Bool) throws {
        paths = ["/ok", "/flaky", redirects ? "/moved" : "/ok", "/large", "/ok", "/large", "/ok"]
        let chance = Lock(0)
        /// Returns true once in the given number of calls.
        @Sendable func isOne(of many: Int) -> Bool {
            chance.withLock {
                $0 += 1; return $0 % many == 0
            }
        }
        server = try LoopbackServer(recordLimit: 0)
        server.on(.get, "/ok") { isOne(of: 50) || $0.headers["Authorization"] == nil ? .status(401) : .text("\"ok\"") }
            .on(.get, "/flaky") { _ in isOne(of: 5) ? .status(503) : .text("\"ok\"", headers: ["Set-Cookie": "a=b"]) }
            .on(.get, "/moved", .status(302, headers: ["Location": "/ok", "Set-Cookie": "c=d"]))
            .on(.get, "/large", .chunked(Array(repeating: Data("line\n".utf8) + Data(count: 20_000), count: 10)))
            .on(.put, "/ok") { .json(["count": $0.body.count]) }
        folder = FileManager.default.temporaryDirectory.appending(path: "races-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    static func run(_ engine: Engine, _ count: Int, redirects: Bool) async throws {
        let races = try Races(redirects: redirects)
        var report = Report()
        // The first round opens the descriptors that the process opens once, and those that the server keeps.
        try await races.round(engine, 64, nil)
        try await races.settle()
        races.tally.withLock { $0 = Tally() }
        (report.descriptors, report.threads) = ([descriptors], [threads])
        let client = Weak()
        try await races.round(engine, count, client)
        try await races.settle()
        // The system's thread pool ends threads that were idle for some seconds.
        try await until {
            descriptors <= report.descriptors[0] && client.isGone && threads <= report.threads[0] + 8
        }
        report.descriptors.append(descriptors)
        report.threads.append(threads)
        report.openConnections = races.server.openConnectionCount
        report.filesLeft = (try? FileManager.default.subpathsOfDirectory(atPath: races.folder.path).count) ?? -1
        report.isClientGone = client.isGone
        races.tally.withLock { tally in
            (report.answered, report.cancelled, report.wrong) = (tally.answered, tally.cancelled, tally.wrong)
            tally.times.sort()
            report.slowest = (tally.times.last ?? .zero) / .seconds(1)
            report.p99 = (tally.times.isEmpty ? .zero : tally.times[tally.times.count * 99 / 100]) / .seconds(1)
        }
        try? FileManager.default.removeItem(at: races.folder)
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    /// Waits until the server has no open connections.
    private func settle() async throws { try await Self.until { server.openConnectionCount == 0 } }

    private static func until(_ isSo: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while !isSo(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
    }

    private static var descriptors: Int { entries("/proc/self/fd") }
    private static var threads: Int { entries("/proc/self/task") }
    private static func entries(_ path: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
    }
}

/// Holds a weak reference to a client, to check whether the client has been released.
private final class Weak: @unchecked Sendable {  // written once, before it is shared
    weak var client: HTTPClient?
    var isGone: Bool { client == nil }
}

extension Races {
    private struct API: HTTPProvider {
        let baseURL: URL
        let authentication: Authentication
        let client: HTTPClient
    }

    private struct Passing: Interceptor {
        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            try await next.proceed(request)
        }
    }

    /// Runs the given number of races, 16 at a time, over a separate client.
    private func round(_ engine: Engine, _ count: Int, _ weak: Weak?) async throws {
        let tokens = TokenSource("a") { _ in "b" }
        let client = HTTPClient(
            transport: engine.make(), interceptors: [Passing()], networkInterceptors: [Passing()],
            configuration: .init(
                timeout: .seconds(30), retry: .upTo(attempts: 3), retryBudget: .unlimited, requestsInFlight: 12,
                cookies: CookieJar()))
        weak?.client = client
        let api = API(baseURL: server.baseURL, authentication: .bearer(tokens), client: client)
        // Measures the time of one request among others. The points are spread over one and a half times as much.
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<64 { group.addTask { _ = try? await api.request(Route(path: "/ok")).text() } }
        }
        let step = (ContinuousClock.now - start) / 4 * 1.5 / Double(Self.points)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    while let number = self.tally.withLock({ tally -> Int? in
                        guard tally.next < count else { return nil }
                        defer { tally.next += 1 }
                        return tally.next
                    }) {
                        await self.race(api, number, after: step * (number * 7 % Self.points))
                    }
                }
            }
        }
    }

    /// The number of ways to read a response.
    private static let ways = 12

    private static let ok = Endpoint(.get, "/ok", returning: String.self)
    private static let flaky = Endpoint(.get, "/flaky", returning: String.self)

    private func race(_ api: API, _ number: Int, after delay: Duration) async {
        let path = paths[number % paths.count]
        let route = Route(path: RoutePath(verbatim: path))
        let start = ContinuousClock.now
        let wait: @Sendable () async -> Void = {
            while ContinuousClock.now - start < delay { await Task.yield() }
        }
        switch number % Self.ways {
        case 0: await task(wait) { _ = try await api.request(route).text() }
        case 1: await task(wait) { for try await _ in api.request(route).chunks {} }
        case 2: await task(wait) { for try await _ in api.request(route).lines {} }
        case 3: await task(wait) { for try await _ in api.request(route).sequence(.data) {} }
        case 4:
            let file = folder.appending(path: "\(number)")
            await task(wait) {
                _ = try await api.request(route).download(to: file)
                try FileManager.default.removeItem(at: file)
            }
            try? FileManager.default.removeItem(at: file)
        case 5:
            let body = RouteBody.data(Data(count: 200_000))
            await task(wait) { try await api.request(Route(path: "/ok", method: .put, body: body)).void() }
        case 6:
            // Two observers, one of which is cancelled.
            let request = api.request(route)
            let other = Task { try await request.data() }
            await task(wait) { _ = try await request.text() }
            if case .failure(let error) = await other.result { note(error, since: .now) } else { answered() }
        case 7:
            await handler(wait) { end in
                let request = api.request(route).responseValue(.text, on: .global()) { end($0.result.map { _ in }) }
                return { request.cancel() }
            }
        case 8:
            await handler(wait) { end in
                let request = api.request(route).responseValue(.data, on: .global()) { end($0.result.map { _ in }) }
                    .downloadProgress(on: .global()) { _ in }
                return { request.cancel() }
            }
        case 9:
            await handler(wait) { end in
                let future = api.request(route).future(.text).map { $0.count }
                future.onComplete(on: .global()) { end($0.map { _ in }) }
                return { future.cancel() }
            }
        case 10:
            await handler(wait) { end in
                let call = api.call(number.isMultiple(of: 2) ? Self.ok : Self.flaky)
                call.enqueue(on: .global()) { end($0.result.map { _ in }) }
                return { call.cancel() }
            }
        default:
            await task(wait) {
                let request = api.request(route).start()
                for await _ in request.progress(.download) { if Task.isCancelled { break } }
                if Task.isCancelled { request.cancel() }
                _ = try await request.text()
            }
        }
    }

    /// Runs a request whose task is cancelled.
    private func task(_ wait: @Sendable () async -> Void, _ read: @escaping @Sendable () async throws -> Void) async {
        let task = Task { try await read() }
        await wait()
        let start = ContinuousClock.now
        task.cancel()
        switch await task.result {
        case .success: answered()
        case .failure(let error): note(error, since: start)
        }
    }

    /// Runs a request with a handler, which is cancelled through its object.
    private func handler(
        _ wait: @Sendable () async -> Void,
        _ begin: (@escaping @Sendable (Result<Void, any Error>) -> Void) -> @Sendable () -> Void
    ) async {
        let calls = Lock<[Result<Void, any Error>]>([])
        let cancel = begin { outcome in calls.withLock { $0.append(outcome) } }
        await wait()
        let start = ContinuousClock.now
        cancel()
        while calls.withLock({ $0.isEmpty }) {
            await Task.yield()
            if ContinuousClock.now - start > .seconds(20) { return fail("no outcome in 20 seconds") }
        }
        let (first, count) = calls.withLock { ($0[0], $0.count) }
        if count != 1 { fail("\(count) outcomes") }
        if case .failure(let error) = first { note(error, since: start) } else { answered() }
    }

    private func answered() { tally.withLock { $0.answered += 1 } }
    private func fail(_ words: String) { tally.withLock { $0.wrong.append(words) } }

    private func note(_ error: any Error, since start: ContinuousClock.Instant) {
        let time = ContinuousClock.now - start
        // All three attempts received a 503.
        if error == HTTPError.status(503) { return answered() }
        guard error is CancellationError || error == HTTPError.cancelled else { return fail("\(error)") }
        tally.withLock { tally in
            tally.cancelled += 1
            tally.times.append(time)
        }
    }
}
