import Footprint
import Foundation
import HalyardAsync
import HalyardTesting

/// `soak storm [COUNT]` sends COUNT requests, 64 at a time. The default is 100 000. One in a hundred goes to a server
/// with invalid responses, and one in a hundred is cancelled at a random point. Each must end once, with an allowed
/// outcome. Memory and descriptors must not grow after the first tenth.
enum Storm {
    private struct Tally {
        var answered = 0, failed = 0, cancelled = 0, wrong = 0
        var total: Int { answered + failed + cancelled + wrong }

        static func += (left: inout Tally, right: Tally) {
            left.answered += right.answered
            left.failed += right.failed
            left.cancelled += right.cancelled
            left.wrong += right.wrong
        }
    }

    static func run(_ count: Int) async throws -> Bool {
        let server = try LoopbackServer(recordLimit: 1)
            .on(.post, "/{id}") { .json(text: $0.text) }
            .on(
                .get, "/bad", .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf").closingConnection(),
                .raw("").closingConnection(), .raw("no HTTP at all").closingConnection(),
                .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n").closingConnection(),
                .raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab").closingConnection(),
                .raw("HTTP/1.1 200 OK\r\n folded: first\r\n\r\n").closingConnection())
        var tally = try await requests(0..<count / 10, server)
        let before = Footprint.trimmed()
        tally += try await requests(count / 10..<count, server)
        let after = Footprint.trimmed()
        print("\(tally.answered) answered, \(tally.failed) failed, \(tally.cancelled) cancelled, \(tally.wrong) wrong")
        print("  \(before)\n  \(after)")
        let isWhole = tally.total == count && tally.wrong == 0 && tally.failed == count / 100
        let isFlat =
            after.resident - before.resident <= 5 * 1024 && after.descriptors - before.descriptors <= 2
        return isWhole && isFlat
    }

    /// Uses a client of its own, whose descriptors are closed at the end.
    private static func requests(_ ids: Range<Int>, _ server: LoopbackServer) async throws -> Tally {
        let next = Counter(ids.lowerBound)
        let api = Soak.API(baseURL: server.baseURL, client: HTTPClient())
        defer {
            api.client.shutdown()
            while server.openConnectionCount > 0 { usleep(1000) }
        }
        return await withTaskGroup(of: Tally.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    var tally = Tally()
                    while case let id = next.take(), id < ids.upperBound { await request(id, api, &tally) }
                    return tally
                }
            }
            return await group.reduce(into: Tally()) { $0 += $1 }
        }
    }

    private static func request(_ id: Int, _ api: Soak.API, _ tally: inout Tally) async {
        switch id % 100 {
        case 13:
            do {
                _ = try await api.request(Route(path: "/bad")).data()
                tally.wrong += 1
            } catch is HTTPError { tally.failed += 1 } catch { tally.wrong += 1 }
        case 57:
            let task = Task { try await api.request(Route(path: "/\(id)", method: .post, params: ["id": id])).json() }
            for _ in 0..<Int.random(in: 0...40) { await Task.yield() }
            task.cancel()
            switch await task.result {
            case .success(let echo): if echo["id"].int == id { tally.answered += 1 } else { tally.wrong += 1 }
            case .failure(let error): if error is CancellationError { tally.cancelled += 1 } else { tally.wrong += 1 }
            }
        default:
            do {
                let echo = try await api.request(Route(path: "/\(id)", method: .post, params: ["id": id])).json()
                if echo["id"].int == id { tally.answered += 1 } else { tally.wrong += 1 }
            } catch {
                print(error)
                tally.wrong += 1
            }
        }
    }
}

/// `soak flight [COUNT]` sends COUNT requests at once, over as many connections as the process may have. The default is
/// 10 000. It compares the processor time of each with that of 64 at once.
enum Flight {
    static func run(_ count: Int) async throws -> Bool {
        let server = try LoopbackServer(recordLimit: 1).on(.get, "/", .text("here"))
        let few = try await cost(of: 64, times: max(1, 5 * count / 64), server)
        let many = try await cost(of: count, times: 5, server)
        print("us of CPU a request, server and client: \(few) with 64 in flight, \(many) with \(count)")
        return many <= 2 * few
    }

    private static func cost(of inFlight: Int, times: Int, _ server: LoopbackServer) async throws -> Int {
        let client = HTTPClient(configuration: .init(idleTimeout: .seconds(120)))
        let api = Soak.API(baseURL: server.baseURL, client: client)
        _ = try await api.request(Route(path: "")).data()
        let before = Footprint.processorTime
        for _ in 0..<times {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<inFlight {
                    group.addTask {
                        guard try await api.request(Route(path: "")).data().count == 4 else {
                            throw CancellationError()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        return Int((Footprint.processorTime - before) / Double(inFlight * times) * 1e6)
    }
}

/// Returns consecutive numbers, each once.
private final class Counter: Sendable {
    private let queue = DispatchQueue(label: "counter")
    private nonisolated(unsafe) var value: Int  // accessed only on the queue

    init(_ value: Int) { self.value = value }

    func take() -> Int {
        queue.sync {
            defer { value += 1 }
            return value
        }
    }
}
