import Foundation
import HalyardAsync
import HalyardLimits
import HalyardTesting
import TestSupport
import Testing

// The examples of the article on limits, hedging and coalescing, word for word.

private struct CatalogueAPI: HTTPProvider {
    var baseURL = URL(string: "https://api.example.com/v1")!
    var client = HTTPClient.shared
}

private final class Meter: Sendable {
    func record(_ name: String, _ time: Duration) {}
    func count(_ name: String) {}
}

private func making() -> HTTPClient {
    let client = HTTPClient(
        configuration: .init(policies: [
            .coalescing(),
            .hedging(after: .milliseconds(200)),
            .circuitBreaker(),
            .concurrency(perHost: 8),
            .rateLimit(100, per: .seconds(1), burst: 20),
        ]))
    return client
}

private func deciding() -> ClientPolicy {
    let strict = ClientPolicy.circuitBreaker(failures: 3, pause: .seconds(30)) {
        outcome in
        if case .success(let response) = outcome, response.status == 429 {
            return .failure
        }
        return CircuitOutcome.standard(outcome)
    }
    return strict
}

private func reading(_ api: CatalogueAPI, _ catalogue: Route, _ fallback: Data) async throws -> Data {
    do {
        return try await api.request(catalogue).data()
    } catch let error as HTTPError where error.kind.isRefusal {
        print(error, error.retryDelay ?? .zero)
        return fallback
    }
}

private func keys() -> ClientPolicy {
    let perTenant = ClientPolicy.concurrency(
        2, by: .custom { request in request.headers["X-Tenant"] })
    return perTenant
}

private func priorities() -> Route {
    let prefetch = Route(path: "/next").priority(.low)
    return prefetch
}

private func counting(_ meter: Meter) -> EventLog {
    let log = EventLog.custom { event in
        switch event.kind {
        case .delayed: meter.record("wait", event.delay ?? .zero)
        case .coalesced, .hedged: meter.count(event.kind.rawValue)
        case .circuit: print(event)
        default: break
        }
    }
    return log
}

struct RequestLimitsArticleTests {
    @Test("the article's examples work")
    func run() async throws {
        let stub = StubTransport().on(.get, "/next", .status(200)).on(.get, "/limited", .status(429))
        let policies = making().configuration.policies + [deciding(), keys()]
        let client = HTTPClient(transport: stub, configuration: .init(policies: policies), log: counting(Meter()))
        let api = CatalogueAPI(client: client)
        _ = try await api.request(priorities()).data()
        let limited = Route(path: "/limited")
        for _ in 0..<3 { await #expect(throws: HTTPError.status(429)) { try await reading(api, limited, Data()) } }
        #expect(try await reading(api, limited, Data([1])) == Data([1]))
    }
}
