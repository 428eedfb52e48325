import Foundation
import Halyard

/// Measures nanoseconds for building a request, and for copying one megabyte as a comparison.
enum Building {
    /// - Parameter only: The case to measure. Defaults to all.
    static func measure(_ count: Int, only: String? = nil) async throws {
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
        var parts = (0..<9).map { MultipartPart.text("value \($0)", name: "field\($0)") }
        parts.append(.data(megabyte, name: "image", filename: "image.png", contentType: "image/png"))
        let multipart = Route(path: "/upload", method: .post, multipart: parts)

        guard try api.prepare(query).url.absoluteString.hasSuffix("&token=d71106a0-5a3f") else {
            throw Client.Unexpected(what: "the query is not in the URL")
        }
        let steps: [(String, Int, () async throws -> Int)] = [
            // Their `URL` is not read, because neither the pipeline nor libcurl's engine reads it.
            ("bare", count, { try api.prepare(.root).origin.port }),
            ("query", count, { try api.prepare(query).origin.port }),
            ("form", count, { Int(try api.prepare(form).body?.length ?? 0) }),
            ("json", count, { Int(try api.prepare(json).body?.length ?? 0) }),
            // The body is copied once, as it is into the engine's buffers.
            ("multipart", count / 100, { try await api.prepare(multipart).body?.data().count ?? 0 }),
            ("copy", count / 100, { copy(of: megabyte).count }),
        ]
        var figures: [String: Double] = [:]
        for (name, count, work) in steps where only == nil || only == name {
            figures[name] = try await time(count, work)
        }
        let list = figures.sorted { $0.key < $1.key }.map { #""\#($0.key)": \#($0.value)"# }
        print("{\(list.joined(separator: ", "))}")
    }

    private static func copy(of data: Data) -> Data {
        var copy = Data(capacity: data.count)
        copy.append(data)
        return copy
    }

    private static func time(_ count: Int, _ work: () async throws -> Int) async throws -> Double {
        var sum = 0
        for _ in 0..<count / 10 { sum &+= try await work() }
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<count { sum &+= try await work() }
        let time = clock.now - start
        guard sum != 0 else { throw Client.Unexpected(what: "nothing was built") }
        return time / .nanoseconds(1) / Double(count)
    }
}
