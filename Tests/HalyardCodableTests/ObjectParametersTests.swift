import Foundation
import HalyardCodable
import HalyardTesting
import TestSupport
import Testing

/// Objects whose members are parameters.
struct ObjectParametersTests {
    struct Search: Encodable {
        var text = "a&b"
        var tags = ["x", "y"]
        var page: Int?
        var since = Date(timeIntervalSince1970: 1.5)
        var isNew = true
        var ratio = 0.1
        var range = ["min": 1]
        var maxCount = UInt64.max
    }

    struct API: HTTPProvider {
        let baseURL = URL(string: "https://h.example")!
        let client: HTTPClient
        let mapper = ObjectMapper(keys: .snakeCase)
    }

    private static let pairs =
        "isNew=true&maxCount=18446744073709551615&range%5Bmin%5D=1&ratio=0.1&since=1500"
        + "&tags=x&tags=y&text=a%26b"

    private func request(_ route: Route) throws -> HTTPRequest {
        try API(client: HTTPClient(transport: StubTransport())).prepare(route)
    }

    @Test func `an object becomes the same parameters as its single values in every encoding`() throws {
        let query = try request(Route(path: "/s", params: Parameters(encoding: Search())))
        #expect(query.url.query(percentEncoded: true) == Self.pairs)
        let written: Parameters = [
            "isNew": true, "maxCount": UInt64.max, "range": ["min": 1], "ratio": 0.1,
            "since": Date(timeIntervalSince1970: 1.5), "tags": ["x", "y"], "text": "a&b",
        ]
        #expect(Parameters(encoding: Search()) == written)
    }

    @Test func `the provider's mapper encodes a form, and the given one encodes a query`() throws {
        let form = try request(Route(path: "/s", method: .post, body: .form(encoding: Search())))
        #expect(form.headers["Content-Type"] == "application/x-www-form-urlencoded")
        let snake = Self.pairs.replacing("isNew", with: "is_new").replacing("maxCount", with: "max_count")
        #expect(form.curlCommand(showingSecrets: true).contains("--data-binary '\(snake)'"))
        let mapper = ObjectMapper(dates: .iso8601, keys: .snakeCase)
        let query = try request(Route(path: "/s", params: Parameters(encoding: Search(), mapper: mapper)))
        #expect(query.url.query(percentEncoded: false)?.contains("since=1970-01-01T00:00:01Z") == true)
        #expect(query.url.query()?.contains("is_new=true") == true)
    }

    @Test func `an explicit null is sent, and a missing value is omitted`() throws {
        struct Both: Encodable {
            enum Keys: CodingKey { case a, b }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encodeNil(forKey: .a)
                try container.encodeIfPresent(nil as Int?, forKey: .b)
            }
        }
        #expect(Parameters(encoding: Both()) == ["a": .null])
    }

    @Test func `an object that has no members or cannot be encoded fails the request`() throws {
        struct Broken: Encodable { var ratio = Double.nan }
        let list = #expect(throws: HTTPError(.encoding("Array<Int>"))) {
            try request(Route(path: "/s", params: Parameters(encoding: [1])))
        }
        #expect(list?.reason?.contains("not an object with members") == true)
        let broken = #expect(throws: HTTPError(.encoding("Broken"))) {
            try request(Route(path: "/s", method: .post, body: .form(encoding: Broken())))
        }
        #expect(broken?.reason?.contains("ratio") == true)
    }
}
