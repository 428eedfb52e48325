import Foundation
import Halyard
import HalyardCache

/// Measures nanoseconds for a request through a client, with a transport that answers at once: without a cache, with one
/// that does not store the response, and with a hit.
enum Cached {
    /// Answers at once.
    struct Instant: Transport {
        private let url: URL
        private let headers: HTTPHeaders
        private let body: Data

        init(url: URL, cacheControl: String, size: Int) {
            self.url = url
            headers = [
                "Content-Type": "application/json", "Date": "Tue, 24 Nov 2026 10:00:00 GMT",
                "Cache-Control": cacheControl,
            ]
            body = Data(count: size)
        }

        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            HTTPResponse(status: 200, headers: headers, data: body, url: url)
        }
    }

    static func measure(_ count: Int) async throws {
        guard let url = URL(string: "https://api.example.com/v1/small") else { return }
        let request = try HTTPRequest(.get, url, headers: ["Accept": "*/*", "User-Agent": "Halyard"])
        var figures: [String: Double] = [:]
        for (name, control, isCached) in [
            ("none", "no-store", false), ("miss", "no-store", true), ("hit", "max-age=9999999", true),
        ] {
            let policies: [ClientPolicy] = isCached ? [.cache(.memory())] : []
            let client = HTTPClient(
                transport: Instant(url: url, cacheControl: control, size: 100), configuration: .init(policies: policies)
            )
            var sum = 0
            for _ in 0..<1000 { sum &+= try await client.send(request).data.count }
            let clock = ContinuousClock()
            let start = clock.now
            for _ in 0..<count { sum &+= try await client.send(request).data.count }
            figures[name] = (clock.now - start) / .nanoseconds(1) / Double(count)
            guard sum == (count + 1000) * 100 else { throw Client.Unexpected(what: "a body is missing") }
            let last = try await client.send(request)
            guard (last.cacheStatus?.isHit == true) == (name == "hit") else {
                throw Client.Unexpected(what: "the cache did not do its work")
            }
        }
        let list = figures.sorted { $0.key < $1.key }.map { #""\#($0.key)": \#($0.value)"# }
        print("{\(list.joined(separator: ", "))}")
    }
}
