import Foundation
import HalyardAsync
import HalyardLimits
import HalyardTesting

/// Measures what each policy of HalyardLimits does to the latency of requests to a server on this machine, and prints the
/// figures as JSON. `limits-plots.py` draws them.
///
/// The servers are real ones with connections of their own. How long they take for a request is made up: a thread
/// sleeps for that time.
@main
enum Limits {
    static func main() async throws {
        var figures: [String: [String: [[Double]]]] = [:]
        figures["hedging"] = try await hedging()
        figures["concurrency"] = try await concurrency()
        figures["bulkhead"] = try await bulkhead()
        figures["priority"] = try await priority()
        figures["rate"] = try await rate()
        figures["circuit"] = try await circuit()
        figures["coalescing"] = try await coalescing()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        print(String(decoding: try encoder.encode(figures), as: UTF8.self))
    }

    /// 3 % of the responses take 150 ms, and the others 5 ms.
    private static func hedging() async throws -> [String: [[Double]]] {
        let numbers = Numbers()
        let server = try LoopbackServer().on(.get, "/*") { _ in
            pause(numbers.next() % 100 < 3 ? 150 : 5)
            return .status(200)
        }
        return [
            "none": try await openLoop(server, [], perSecond: 200, count: 2000),
            "hedging": try await openLoop(
                server, [.hedging(after: .milliseconds(15), budget: 0.05)], perSecond: 200, count: 2000),
        ]
    }

    /// A server that becomes slower by the square of the requests that it has at once, above 8. There are 64 callers.
    private static func concurrency() async throws -> [String: [[Double]]] {
        let load = Load()
        let server = try LoopbackServer().on(.get, "/*") { _ in
            load.during { now in pause(4 * max(1, Double(now * now) / 64)) }
            return .status(200)
        }
        return [
            "none": try await closedLoop(server, [], callers: 64, each: 15),
            "concurrency": try await closedLoop(server, [.concurrency(perHost: 8)], callers: 64, each: 15),
        ]
    }

    /// 8 requests at once take 20 ms each, so that 400 in a second are possible. 600 come.
    private static func bulkhead() async throws -> [String: [[Double]]] {
        let server = try workers(8, 20)
        return [
            "queue": try await openLoop(server, [.concurrency(perHost: 8)], perSecond: 600, count: 1500),
            "bulkhead": try await openLoop(server, [.bulkhead(8, queue: 16)], perSecond: 600, count: 1500),
        ]
    }

    /// The same, with one of five requests of high priority.
    private static func priority() async throws -> [String: [[Double]]] {
        let server = try workers(8, 20)
        let all = try await openLoop(server, [.concurrency(perHost: 8)], perSecond: 600, count: 1500) { number in
            number.isMultiple(of: 5) ? .high : .normal
        }
        return [
            "high": all.enumerated().filter { $0.offset.isMultiple(of: 5) }.map(\.element),
            "normal": all.enumerated().filter { !$0.offset.isMultiple(of: 5) }.map(\.element),
        ]
    }

    /// A server that answers 50 requests in a second, and others with a 429. 80 come at once, and again two seconds later.
    private static func rate() async throws -> [String: [[Double]]] {
        var figures: [String: [[Double]]] = [:]
        for (name, policies) in [("retries", []), ("rate", [ClientPolicy.rateLimit(50, per: .seconds(1), burst: 10)])] {
            let quota = Quota(50, burst: 10)
            let server = try LoopbackServer().on(.get, "/*") { _ in
                quota.take() ? .status(200) : .status(429, retryAfter: 1)
            }
            figures[name] = try await bursts(server, policies, retry: .upTo(attempts: 6), size: 80, count: 2)
            figures[name + " sends"] = [[Double(server.requests.count)]]
        }
        return figures
    }

    /// A server that sends nothing from the first second to the fourth. Requests have a time limit of half a second.
    private static func circuit() async throws -> [String: [[Double]]] {
        var figures: [String: [[Double]]] = [:]
        for (name, policies) in [
            ("none", []), ("circuit", [ClientPolicy.circuitBreaker(failures: 10, pause: .milliseconds(500))]),
        ] {
            let clock = ContinuousClock()
            let start = clock.now
            let server = try LoopbackServer().on(.get, "/*") { _ in
                let time = clock.now - start
                if time > .seconds(1), time < .seconds(4) { return .text("late").delayed(by: .seconds(2)) }
                return .status(200)
            }
            figures[name] = try await openLoop(
                server, policies, perSecond: 100, count: 600, timeout: .milliseconds(500))
        }
        return figures
    }

    /// A page that takes 40 ms, for 4 requests at once. 400 readers of the same page come in a second.
    private static func coalescing() async throws -> [String: [[Double]]] {
        let server = try workers(4, 40)
        var figures: [String: [[Double]]] = [:]
        for (name, policies) in [("none", []), ("coalescing", [ClientPolicy.coalescing()])] {
            let before = server.requests.count
            figures[name] = try await openLoop(server, policies, perSecond: 400, count: 400, isSame: true)
            figures[name + " sends"] = [[Double(server.requests.count - before)]]
        }
        return figures
    }
}
