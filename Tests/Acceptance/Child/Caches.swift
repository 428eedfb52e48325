import Foundation
import HalyardAsync
import HalyardCache
import HalyardTesting

/// A program that fills a cache in a folder until it is killed. It prints a line for each response.
enum Caches {
    private struct API: HTTPProvider {
        let baseURL = URL(string: "https://api.example.com") ?? URL(filePath: "/")
        let client: HTTPClient
    }

    static func fill(_ folder: URL) async throws {
        let stub = StubTransport().on(.get, "/{n}") { request in
            let number = request.pathParameters["n"] ?? ""
            let length = Int.random(in: 1...20_000)
            return .data(
                Data((number + "\n").utf8) + Data(repeating: UInt8(number.utf8.last ?? 0), count: length),
                headers: ["Cache-Control": "max-age=9999999", "X-Length": "\(length)"])
        }
        let policies: [ClientPolicy] = [.cache(try .disk(at: folder))]
        let api = API(client: HTTPClient(transport: stub, configuration: .init(policies: policies)))
        while true {
            let route = Route(path: "/\(Int.random(in: 0..<20))").cache(.reload)
            _ = try await api.request(route).response()
            print("stored")
            fflush(nil)
        }
    }
}
