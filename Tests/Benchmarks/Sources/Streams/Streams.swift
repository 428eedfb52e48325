import Footprint
import Foundation
import HalyardAsync

/// `streams open COUNT`, `streams elements MEGABYTES` and `streams parse MEGABYTES` measure streams. Each ends with
/// status 1 if its goal is missed.
@main
struct Streams {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count == 2, let number = Int(words[1]) else {
            fatalError("streams (open | elements | parse) NUMBER")
        }
        let isWell =
            switch words[0] {
            case "open": try await Server.run { try await open(number, $0) }
            case "elements": try await Server.run { try await elements(number, $0) }
            default: try await parse(number)
            }
        print(isWell ? "well" : "NOT well")
        exit(isWell ? 0 : 1)
    }

    /// Opens event streams over one engine at the same time. The goal is at most 40 kB of memory for each.
    private static func open(_ count: Int, _ url: URL) async throws -> Bool {
        let engine = EngineConfiguration(idleTimeout: nil, connectionsPerHost: count, connectionLimit: count)
        let api = API(baseURL: url, client: HTTPClient(engine: engine))
        let feed = Route(path: "/open")
        for try await _ in api.request(feed).events { break }
        let before = Footprint.trimmed()
        let (ready, tell) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        do { for try await _ in api.request(feed).events { tell.yield() } } catch is CancellationError {
                        } catch { fatalError("\(error)") }
                    }
                }
            }
        }
        var open = 0
        for await _ in ready {
            open += 1
            if open == count { break }
        }
        let after = Footprint.trimmed()
        task.cancel()
        await task.value
        let kilobytes = Double(after.resident - before.resident) / Double(count)
        print("\(count) open event streams: \(kilobytes) kB each, \(after.descriptors) descriptors")
        return kilobytes <= 40
    }

    /// Reads the elements of one long array. The goal is a peak of at most 40 MB more memory.
    private static func elements(_ megabytes: Int, _ url: URL) async throws -> Bool {
        let api = API(baseURL: url)
        struct Element: Decodable, Sendable { var id: Int }
        func read(_ megabytes: Int) async throws -> Int {
            var count = 0
            let route = Route(path: "/array/\(megabytes << 20)")
            for try await _ in api.request(route).elements(of: Element.self, at: "data.items") { count += 1 }
            return count
        }
        _ = try await read(1)
        try Footprint.resetPeak()
        let (before, clock) = (Footprint(), ContinuousClock())
        var count = 0
        let time = try await clock.measure { count = try await read(megabytes) }
        let growth = Footprint().peak - before.resident
        print("\(count) elements of \(megabytes) MB in \(time): peak \(growth) kB more than before")
        return growth <= 40 << 10
    }

    /// Parses events in memory. Measures MB per second, and the time compared with splitting the same bytes into lines,
    /// both as medians of five rounds.
    private static func parse(_ megabytes: Int) async throws -> Bool {
        var text = Data()
        while text.count < 1 << 20 {
            text += Data(
                "id: 12345\nevent: message\ndata: {\"choices\":[{\"delta\":{\"content\":\" word\"}}]}\n\n".utf8)
        }
        let client = HTTPClient(transport: Repeated(chunk: text, count: megabytes))
        guard let url = URL(string: "http://localhost") else { return false }
        let (api, clock) = (API(baseURL: url, client: client), ContinuousClock())
        func seconds(_ body: () async throws -> Void) async throws -> Double {
            try await clock.measure(body) / .seconds(1)
        }
        var ratios: [Double] = []
        var rates: [Double] = []
        for _ in 0..<5 {
            var (events, lines) = (0, 0)
            let split = try await seconds { for try await _ in api.request(Route(path: "")).lines { lines += 1 } }
            let parsed = try await seconds { for try await _ in api.request(Route(path: "")).events { events += 1 } }
            guard lines == 4 * events else { fatalError("\(lines) lines, \(events) events") }
            ratios.append(parsed / split)
            rates.append(Double(megabytes) / parsed)
        }
        let (ratio, rate) = (ratios.sorted()[2], rates.sorted()[2])
        print("events: \(Int(rate)) MB a second, \(ratio) times the time of splitting lines")
        return rate > 17 && ratio <= 1.5
    }
}

struct API: HTTPProvider {
    let baseURL: URL
    var client = HTTPClient.shared
}

/// A transport whose response is one chunk, many times.
private struct Repeated: Transport {
    let chunk: Data
    let count: Int

    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        let (chunk, rest) = (chunk, Rest(count))
        let body = AsyncStream<Data> { await rest.take() ? chunk : nil }
        return try await HTTPResponse(
            receiving: body, status: 200, headers: ["Content-Type": "text/event-stream"], for: request,
            context: context)
    }

    private actor Rest {
        private var count: Int
        init(_ count: Int) { self.count = count }

        func take() -> Bool {
            count -= 1
            return count >= 0
        }
    }
}

/// The server of streams, which is another process.
enum Server {
    static func run(_ body: @Sendable (URL) async throws -> Bool) async throws -> Bool {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Peers/events.py")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path()]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).filter(\.isNumber)
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { fatalError("the server gave no port") }
        return try await body(url)
    }
}
