import Footprint
import Foundation
import HalyardAsync
import HalyardTesting

/// `soak [COUNT]`, `soak storm [COUNT]`, `soak flight [COUNT]`, `soak clients [COUNT]`. The first sends COUNT requests
/// in sequence, through the whole pipeline, to a server in this process. The default is 10 000. It ends with status 1
/// if memory or descriptors have grown after the first tenth.
@main
struct Soak {
    struct API: HTTPProvider {
        let baseURL: URL
        var client = HTTPClient.shared
        let additionalHeaders = ["X-Soak": "yes"]
    }

    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        let number = words.last.flatMap { Int($0) }
        switch words.first {
        case "storm": end(try await Storm.run(number ?? 100_000))
        case "clients": end(try await Clients.run(number ?? 6000))
        case "flight": end(try await Flight.run(number ?? 10_000))
        default: try await sequence(number ?? 10_000)
        }
    }

    private static func end(_ isWell: Bool) -> Never {
        print(isWell ? "well" : "NOT well")
        exit(isWell ? 0 : 1)
    }

    private static func sequence(_ count: Int) async throws {
        let server = try LoopbackServer(recordLimit: 1).on(.post, "/{id}") { .json(text: $0.text) }
        let api = API(baseURL: server.baseURL)

        try await run(0..<count / 10, api)
        let before = Footprint()
        try await run(count / 10..<count, api)
        let after = Footprint()
        print("\(count) requests, \(server.connectionCount) connection; after the first tenth, and at the end:")
        print("  \(before)\n  \(after)")

        let isFlat = after.resident - before.resident < 5 * 1024 && after.descriptors <= before.descriptors
        print(isFlat ? "flat" : "NOT flat")
        exit(isFlat && server.connectionCount == 1 ? 0 : 1)
    }

    private static func run(_ ids: Range<Int>, _ api: API) async throws {
        for id in ids {
            let echo = try await api.request(Route(path: "/\(id)", method: .post, params: ["id": id])).json()
            guard echo["id"].int == id else { fatalError("\(id) came back as \(echo)") }
        }
    }
}
