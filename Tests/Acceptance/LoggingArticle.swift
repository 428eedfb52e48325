import Foundation
import HalyardAsync
import HalyardHAR

// The examples of the article on logging, word for word: they compile, and none is run.

struct BankAPI {
    var baseURL: URL
    var client = HTTPClient(log: .console)
    let secretNames = ["X-Tenant", "iban"]
}

extension BankAPI: HTTPProvider {
    var log: EventLog {
        .custom { event in
            if event.kind == .failed { client.log(event) }
        }
    }
}

private func console(_ engine: EngineConfiguration) -> [HTTPClient] {
    struct MusicAPI: HTTPProvider {
        var baseURL = URL(filePath: "/")
        var client: HTTPClient
    }
    let api = MusicAPI(client: HTTPClient(log: .console))
    let client = HTTPClient(engine: engine, log: .console(.bodies))  // or .headers
    return [api.client, client]
}

private struct Meter: Sendable {
    func count(_ status: Int, _ time: Duration) {}
    func fail(_ text: String) {}
}

private func events(_ meter: Meter) -> EventLog {
    let log = EventLog.custom { event in
        switch event.kind {
        case .response:
            meter.count(event.response?.status ?? 0, event.duration ?? .zero)
        case .failed: meter.fail("\(event)")
        default: break  // the set can grow
        }
    }
    return log
}

private func counts() -> HTTPClient {
    let counter = EventCounter()
    let client = HTTPClient(log: .combined(.console, .counting(counter)))
    // later, such as once a minute
    let counts = counter.reset()
    print(
        counts[.response], counts.statuses[503] ?? 0, counts.totalResponseTime,
        counts.failures, counts.timeouts)
    print(counts[.cached], counts[.retried], counts[.hedged])
    print(counts.totalWaitingTime, counts.refusals, counts.openedCircuits)
    return client
}

private func curl(_ api: some HTTPProvider) throws {
    print(try api.prepare(.user("1")).curlCommand())
}

private func waterfall() throws -> HTTPClient {
    let client = HTTPClient(log: try .har(to: URL(filePath: "/tmp/session.har")))
    return client
}
