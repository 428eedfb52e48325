import Foundation
import HalyardCache
import HalyardTesting

/// `Cache-Control` of a response: the checker says whether the cache may use the response for a second request.
@Sendable func fuzzCacheControl(_ chance: inout Chance, _ checker: Checker) async throws {
    let names = [
        "max-age", "max-age", "no-store", "no-cache", "private", "public", "s-maxage", "must-revalidate", "immutable",
        "x",
    ]
    let arguments = [
        "=0", "=1", "=60", "=\"60\"", "=", "= 60", " =60", "=-1", "=1.5", "=99999999999999999999", "=\"a, max-age=9\"",
        "=\"a\\\"b\"", "=\"", "=60 x", "=\u{E9}",
    ]
    let members = (0..<chance.number(0..<5)).map { _ in
        var member = names[chance.number(0..<names.count)]
        if chance.oneIn(4) { member = member.uppercased() }
        if member.lowercased() == "max-age" || chance.oneIn(3) {
            member += arguments[chance.number(0..<arguments.count)]
        }
        return chance.oneIn(20) ? member + "@" : member
    }
    let value = members.joined(separator: [",", ", ", " ,\t", ",,", ";"][chance.number(0..<5)])
    let isHit = try await isSecondRequestAnswered(["Cache-Control": value])
    try await checker.expect(
        ["kind": "cacheControl", "value": .string(value), "isHit": .bool(isHit)], of: Route(path: "/p"))
}

/// `Vary` of a response, and the fields of two requests: the checker says whether the second one has the same values.
@Sendable func fuzzVary(_ chance: inout Chance, _ checker: Checker) async throws {
    let names = ["Accept-Language", "X-A", "x-a", "Accept-Encoding", "X-B", "", " X-B ", "*"]
    let values = ["a", "A", "a,b", "a, b", "a ,b", "de;q=0.5", "de; q = 0.5", "\"a, b\"", "\"a,b\"", "a b", "a  b"]
    let vary = (0..<chance.number(1..<4)).map { _ in
        names[chance.number(0..<(chance.oneIn(8) ? names.count : names.count - 1))]
    }.joined(separator: ",")
    let requests = (0..<2).map { _ in
        var fields: [String: String] = [:]
        for name in ["Accept-Language", "X-A", "Accept-Encoding", "X-B"] where chance.oneIn(2) {
            fields[name] = values[chance.number(0..<values.count)]
        }
        return fields
    }
    let isHit = try await isSecondRequestAnswered(
        ["Cache-Control": "max-age=60", "Vary": vary], first: requests[0], second: requests[1])
    try await checker.expect(
        [
            "kind": "vary", "value": .string(vary), "isHit": .bool(isHit),
            "requests": .array(requests.map { .object(.init($0.map { ($0.key, .string($0.value)) })) }),
        ],
        of: Route(path: "/p"))
}

private func isSecondRequestAnswered(
    _ fields: HTTPHeaders, first: [String: String] = [:], second: [String: String] = [:]
) async throws -> Bool {
    let stub = StubTransport().on(.get, "/", .text("a", headers: fields))
    let client = HTTPClient(transport: stub, configuration: .init(policies: [.cache(.memory())]))
    let api = DefaultProvider(client: client)
    for headers in [first, second] {
        let route = Route(url: URL(string: "https://api.example.com/")!, headers: HTTPHeaders(headers))
        _ = try await api.request(route).response()
    }
    return stub.requests.count == 1
}
