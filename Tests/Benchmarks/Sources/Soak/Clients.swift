import Footprint
import Foundation
import HalyardAsync
import HalyardTesting

/// `soak clients [COUNT]` makes, uses and releases COUNT clients, eight at a time. The default is 6 000. They are used
/// for a value, a stream that is read, a stream that is not read to its end, a file, errors of the server, of the
/// connection, of TLS and of connecting, a cancelled request, a shutdown during a request, and a cookie jar with a file.
/// Nothing may be left of them: allocated memory, resident memory and descriptors must not grow after the first half.
/// In the first half, the allocator's arenas (eight for each processor) reach their size.
enum Clients {
    static func run(_ count: Int) async throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "halyard-soak-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try LoopbackServer(recordLimit: 1)
            .on(.get, "/value", .text("here"))
            .on(.get, "/body", .data(Data(count: 100_000)))
            .on(.get, "/cookie", .status(200, headers: ["Set-Cookie": "a=1; Max-Age=1000"]))
            .on(.get, "/error", .status(500))
            .on(.get, "/bad", .raw("no HTTP at all").closingConnection())
        let warm = count / 2
        try await use(0..<warm, server, folder)
        let before = Footprint.trimmed()
        var middle = before
        for tenth in 0..<10 {
            let first = warm + (count - warm) * tenth / 10
            try await use(first..<warm + (count - warm) * (tenth + 1) / 10, server, folder)
            if tenth == 4 { middle = Footprint.trimmed() }
        }
        let after = Footprint.trimmed()
        print("\(count) clients; after \(warm), half of the rest and all of them:")
        print("  \(before)\n  \(middle)\n  \(after)")
        return after.isFlat(since: before)
    }

    private static func use(_ numbers: Range<Int>, _ server: LoopbackServer, _ folder: URL) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in numbers where number % 8 == worker {
                        try await use(number, server, folder.appending(path: "\(worker)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        // The connections of the last clients close when their engines end. Then the engines' threads end.
        while server.openConnectionCount > 0 { usleep(1000) }
        var (last, since) = (0, ContinuousClock.now)
        while ContinuousClock.now - since < .milliseconds(200) {
            let now = Footprint().descriptors
            if now != last { (last, since) = (now, .now) }
            usleep(10_000)
        }
    }

    private static func use(_ number: Int, _ server: LoopbackServer, _ file: URL) async throws {
        let way = number / 8 % 12
        let jar = way == 10 ? try CookieJar(file: file.appendingPathExtension("jar")) : nil
        let client = HTTPClient(configuration: .init(cookies: jar))
        let api = Soak.API(baseURL: server.baseURL, client: client)
        switch way {
        case 0: _ = try await api.request(Route(path: "/value")).data()
        case 1: for try await _ in api.request(Route(path: "/body")).chunks {}
        case 2: for try await _ in api.request(Route(path: "/body")).chunks { break }
        case 3: _ = try await api.request(Route(path: "/body")).download(to: file)
        case 4: try await fail { _ = try await api.request(Route(path: "/error")).data() }
        case 5: try await fail { _ = try await api.request(Route(path: "/bad")).data() }
        case 6:
            guard let nobody = URL(string: "http://127.0.0.1:1") else { return }
            try await fail { _ = try await Soak.API(baseURL: nobody, client: client).request(Route(path: "/")).data() }
        case 7:
            // HTTPS to a server without TLS: a handshake begins, with the system's certificates.
            guard let port = server.baseURL.port, let url = URL(string: "https://127.0.0.1:\(port)") else { return }
            try await fail { _ = try await Soak.API(baseURL: url, client: client).request(Route(path: "/")).data() }
        case 8:
            let task = Task { try await api.request(Route(path: "/body")).data() }
            for _ in 0..<number % 40 { await Task.yield() }
            task.cancel()
            _ = await task.result
        case 9:
            let task = Task { try await api.request(Route(path: "/body")).data() }
            for _ in 0..<number % 40 { await Task.yield() }
            client.shutdown()
            _ = await task.result
        case 10: _ = try await api.request(Route(path: "/cookie")).data()
        default: _ = try await (api.request(Route(path: "/value")).data(), api.request(Route(path: "/body")).data())
        }
    }

    private static func fail(_ request: () async throws -> Void) async throws {
        do { try await request() } catch is HTTPError { return }
        fatalError("an error was expected")
    }
}
