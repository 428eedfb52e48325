import ContractEngines
import Foundation
import HalyardAsync
import HalyardTesting

/// Runs one task in a separate process, which can be killed, limited or measured, and prints the outcome.
@main
enum FaultChild {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.dropFirst() == ["bytes"] { return try await printBytes() }
        if arguments.dropFirst() == ["serve"] { return try Server.serve() }
        if arguments.dropFirst() == ["refused"] { return try await countRefusals() }
        if arguments.count == 3, arguments[1] == "cache" { return try await Caches.fill(URL(filePath: arguments[2])) }
        if arguments.count >= 4, arguments[1] == "races", let engine = Engine(rawValue: arguments[2]) {
            return try await Races.run(engine, Int(arguments[3]) ?? 0, redirects: arguments.last == "redirects")
        }
        #if os(Linux)
            if arguments.count == 5, arguments[1] == "exit", let way = ExitWay(rawValue: arguments[2]),
                let url = URL(string: arguments[3])
            {
                return await Exits.run(way, url, roots: URL(filePath: arguments[4]))
            }
        #endif
        guard arguments.count >= 5, let engine = Engine(rawValue: arguments[2]), let url = URL(string: arguments[3])
        else {
            print(
                "usage: fault-child bytes | serve | refused | cache FOLDER | races ENGINE COUNT [redirects] | (download | full | bomb | memory) ENGINE URL FILE | few ENGINE URL FOLDER DESCRIPTORS | exit WAY URL ROOTS"
            )
            exit(2)
        }
        if arguments[1] == "few", let limit = arguments.last.flatMap({ rlim_t($0) }) { limitDescriptors(to: limit) }
        let api = API(baseURL: url, client: HTTPClient(transport: engine.make()))
        let file = URL(filePath: arguments[4])
        switch arguments[1] {
        case "download": try await download(api, file)
        case "few": await downloadWithFewDescriptors(api, file)
        case "full": await downloadWhereThereIsNoRoom(api, file)
        case "bomb": try await defuse(engine, url, file)
        default: try await measure(api, file)
        }
    }

    struct API: HTTPProvider {
        var baseURL: URL
        var additionalHeaders: [String: String] = [:]
        var client = HTTPClient.shared
    }

    /// Prints all bytes that are encoded from dictionaries and sets, whose order differs in each process.
    private static func printBytes() async throws {
        let scores = Dictionary(uniqueKeysWithValues: (0..<50).map { ("name \($0)", $0) })
        let headers = Dictionary(uniqueKeysWithValues: (0..<20).map { ("X-\($0)", "\($0)") })
        guard let url = URL(string: "https://api.example.com/v1") else { return }
        let api = API(baseURL: url, additionalHeaders: headers)
        let routes = [
            Route(path: "/q", params: ["s": scores], headers: ["X-Z": "1"]),
            Route(path: "/p", params: Parameters(scores)),
            Route(path: "/j", method: .post, params: Parameters(scores)),
            Route(path: "/f", method: .post, params: Parameters(scores), encoding: .form),
            Route(path: "/e", method: .post, body: .json(scores)),
            Route(path: "/n", method: .post, params: ["a": ["b": scores] as Parameters, "c": scores]),
        ]
        for route in routes {
            let request = try api.prepare(route)
            let body = try await request.body?.data() ?? Data()
            let fields = request.headers.map { "\($0.name.rawValue): \($0.value)" }
            print(request.method, request.url.absoluteString, fields, String(decoding: body, as: UTF8.self))
        }
    }

    /// Sends 300 requests with a library that refuses every third transfer, and prints what came of them.
    private static func countRefusals() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("ok"))
        var configuration = EngineConfiguration()
        configuration.connectionsPerHost = 4
        let api = API(baseURL: server.baseURL, client: HTTPClient(engine: configuration))
        let outcomes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<300 {
                group.addTask {
                    do { return try await api.request(Route(path: "/")).text() } catch let error as HTTPError {
                        return error.kind == .engineUnavailable ? "refused" : "\(error)"
                    } catch { return "\(error)" }
                }
            }
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        let (answered, refused) = (outcomes.count { $0 == "ok" }, outcomes.count { $0 == "refused" })
        print("\(answered) answered, \(refused) refused, \(outcomes.count - answered - refused) others")
        for other in outcomes where other != "ok" && other != "refused" { print(other) }
    }

    /// Prints a line when half of the file has arrived, so that the parent can kill the process then.
    private static func download(_ api: API, _ file: URL) async throws {
        let request = api.request(Route(path: "/")).downloadProgress(on: .global()) { progress in
            guard progress.completed > 100_000 else { return }
            try? FileHandle.standardOutput.write(contentsOf: Data("half\n".utf8))
        }
        _ = try await request.download(to: file)
        print("all of it")
    }

    /// Starts 300 downloads at once in a process that may have few descriptors; every second one can be resumed. Prints
    /// the number of complete downloads, and the first error.
    private static func downloadWithFewDescriptors(_ api: API, _ folder: URL) async {
        let (came, failure) = (Lock(0), Lock<String?>(nil))
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<300 {
                group.addTask {
                    do {
                        let file = folder.appending(path: "\(index)")
                        _ = try await api.request(Route(path: "/")).download(to: file, resuming: index % 2 == 0)
                        came.withLock { $0 += 1 }
                    } catch { failure.withLock { $0 = $0 ?? "\(error)" } }
                }
            }
        }
        print(came.withLock { $0 }, failure.withLock { $0 } ?? "")
    }

    /// Limits the files of this process to 64 KiB: writing fails as on a full disk.
    private static func downloadWhereThereIsNoRoom(_ api: API, _ file: URL) async {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 64 << 10, rlim_max: 64 << 10)
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_FSIZE, &limit)
        #endif
        do { print(try await api.request(Route(path: "/")).download(to: file)) } catch let error as HTTPError {
            print(error.kind == .unwritableFile(file.path), error.reason ?? "")
        } catch { print(error) }
    }

    /// Downloads bombs in every coding and in every way, each with a limit of 8 MiB. Prints the outcomes, and by how
    /// many KiB the peak memory of the process grew.
    private static func defuse(_ engine: Engine, _ url: URL, _ file: URL) async throws {
        let transport = engine.make(EngineConfiguration(bodyLimit: 8 << 20))
        let api = API(
            baseURL: url, client: HTTPClient(transport: transport, configuration: .init(memoryLimit: 8 << 20)))
        try await api.request(Route(path: "/warm")).void()
        let before = mostMemory
        for bomb in Bomb.allCases {
            let request = { api.request(Route(path: RoutePath(verbatim: "/\(bomb.rawValue)"))) }
            let ways: [() async throws -> Void] = [
                { _ = try await request().data() }, { _ = try await request().download(to: file) },
                { for try await _ in request().chunks {} },
            ]
            for way in ways {
                do {
                    try await way()
                    print(bomb, "whole")
                } catch let error as HTTPError { print(bomb, error.kind) } catch { print(bomb, error) }
            }
        }
        printGrowth(since: before)
    }

    /// Sends the file, and receives as much. Prints by how many KiB the peak memory of the process grew.
    private static func measure(_ api: API, _ file: URL) async throws {
        try await api.request(Route(path: "/warm")).void()
        let before = mostMemory
        try await api.request(Route(path: "/", method: .put, body: .file(file))).void()
        _ = try await api.request(Route(path: "/")).download(to: file.appendingPathExtension("copy"))
        // The reader is slower than the network, so that bytes would collect here without backpressure.
        var zeroes = 0
        for try await chunk in api.request(Route(path: "/")).chunks {
            zeroes += chunk.prefix(16 << 10).count { $0 == 0 }
        }
        guard zeroes > 0 else { return print("nothing came") }
        printGrowth(since: before)
    }

    private static func limitDescriptors(to count: rlim_t) {
        var limit = rlimit(rlim_cur: count, rlim_max: count)
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_NOFILE, &limit)
        #endif
    }

    private static func printGrowth(since before: Int) {
        // A sanitizer uses much memory itself.
        let program = dlopen(nil, RTLD_NOW)
        let isSanitized = dlsym(program, "__tsan_init") != nil || dlsym(program, "__asan_init") != nil
        print(isSanitized ? 0 : mostMemory - before)
    }

    private static var mostMemory: Int {
        var usage = rusage()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss
        #else
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss / 1024
        #endif
    }
}
