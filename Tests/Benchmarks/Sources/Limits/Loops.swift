import Foundation
import HalyardAsync
import HalyardLimits
import HalyardTesting

/// The start of a request and its latency in milliseconds, and 1 for a success or 0 for a failure.
typealias Sample = [Double]

/// Sends requests at a steady rate, whether earlier ones have ended or not.
func openLoop(
    _ server: LoopbackServer, _ policies: [ClientPolicy], perSecond: Int, count: Int, timeout: Duration = .seconds(30),
    isSame: Bool = false, priority: (Int) -> RequestPriority = { _ in .normal }
) async throws -> [Sample] {
    let api = API(server, policies)
    let clock = ContinuousClock()
    let start = clock.now
    var tasks: [Task<Sample, Never>] = []
    for number in 0..<count {
        let moment = start + .seconds(1) * Double(number) / Double(perSecond)
        try await clock.sleep(until: moment)
        let route = Route(path: isSame ? "/page" : "/\(number)").priority(priority(number)).timeout(timeout)
        tasks.append(Task { await api.sample(route, since: start, at: moment) })
    }
    var samples: [Sample] = []
    for task in tasks { samples.append(await task.value) }
    return samples
}

/// Lets callers send one request after another.
func closedLoop(
    _ server: LoopbackServer, _ policies: [ClientPolicy], callers: Int, each count: Int
) async throws -> [Sample] {
    let api = API(server, policies)
    let start = ContinuousClock.now
    return await withTaskGroup(of: [Sample].self) { group in
        for caller in 0..<callers {
            group.addTask {
                var samples: [Sample] = []
                for number in 0..<count {
                    samples.append(
                        await api.sample(Route(path: "/\(caller)/\(number)"), since: start, at: ContinuousClock.now))
                }
                return samples
            }
        }
        return await group.reduce(into: []) { $0 += $1 }
    }
}

/// Sends many requests at once, each second.
func bursts(
    _ server: LoopbackServer, _ policies: [ClientPolicy], retry: RetryPolicy, size: Int, count: Int
) async throws -> [Sample] {
    let api = API(server, policies, retry: retry)
    let clock = ContinuousClock()
    let start = clock.now
    return try await withThrowingTaskGroup(of: Sample.self) { group in
        for burst in 0..<count {
            let moment = start + .seconds(2 * burst)
            try await clock.sleep(until: moment)
            for number in 0..<size {
                group.addTask { await api.sample(Route(path: "/\(burst)/\(number)"), since: start, at: moment) }
            }
        }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

private struct API: HTTPProvider {
    let baseURL: URL
    let client: HTTPClient

    init(_ server: LoopbackServer, _ policies: [ClientPolicy], retry: RetryPolicy = .never) {
        baseURL = server.baseURL
        client = HTTPClient(
            configuration: .init(retry: retry, retryBudget: .unlimited, policies: policies))
    }

    func sample(_ route: Route, since start: ContinuousClock.Instant, at moment: ContinuousClock.Instant) async
        -> Sample
    {
        let isSuccess = (try? await request(route).response()) != nil
        let latency = (ContinuousClock.now - moment) / .milliseconds(1)
        return [(moment - start) / .milliseconds(1), (latency * 1000).rounded() / 1000, isSuccess ? 1 : 0]
    }
}
