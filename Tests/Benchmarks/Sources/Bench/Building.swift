import Foundation
import Halyard

/// What it costs to build requests: nanoseconds each, and what copying the same megabyte costs.
enum Building {
    static func measure(_ count: Int) async throws {
        guard let url = URL(string: "https://api.example.com/v1") else { return }
        let api = API(url)
        let parameters: Parameters = [
            "q": "the quick brown fox", "page": 3, "count": 20, "sort": "newest", "lang": "en-GB", "exact": true,
            "min": 1.5, "max": 99.25, "city": "San José", "token": "d71106a0-5a3f",
        ]
        let megabyte = Data(count: 1 << 20)
        let query = Route(path: "/search", params: parameters)
        let form = Route(path: "/search", method: .post, params: parameters, encoding: .form)
        let json = Route(path: "/search", method: .post, params: parameters)
        var parts = (0..<9).map { Multipart.Part.text("value \($0)", name: "field\($0)") }
        parts.append(.data(megabyte, name: "image", filename: "image.png", mimeType: "image/png"))
        let multipart = Route(path: "/upload", method: .post, multipart: Multipart(parts))

        var figures = [
            "query": try await time(count) { try api.prepare(query).url.absoluteString.utf8.count },
            "form": try await time(count) { try api.prepare(form).body?.length ?? 0 },
            "json": try await time(count) { try api.prepare(json).body?.length ?? 0 },
            "bare": try await time(count) { try api.prepare(.root).url.absoluteString.utf8.count },
        ]
        // All of it copied once, as into the engine's buffers.
        figures["multipart"] = try await time(count / 100) { try await api.prepare(multipart).body?.data().count ?? 0 }
        figures["copy"] = try await time(count / 100) {
            var copy = Data()
            copy.reserveCapacity(megabyte.count)
            copy.append(megabyte)
            return copy.count
        }
        let list = figures.sorted { $0.key < $1.key }.map { #""\#($0.key)": \#($0.value)"# }
        print("{\(list.joined(separator: ", "))}")
    }

    private static func time(_ count: Int, _ work: () async throws -> some BinaryInteger) async throws -> Double {
        var sum = 0
        for _ in 0..<count / 10 { sum &+= Int(truncatingIfNeeded: try await work()) }
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<count { sum &+= Int(truncatingIfNeeded: try await work()) }
        let time = clock.now - start
        guard sum != 0 else { throw Client.Unexpected(what: "nothing was built") }
        return time / .nanoseconds(1) / Double(count)
    }
}
