import Foundation
import HalyardAsync

// Headers that say how an origin is to be reached.

/// `Alt-Svc`: the checker must read the same services, or none from the same values.
@Sendable func fuzzAlternatives(_ chance: inout Chance, _ checker: Checker) async throws {
    let words = [
        "h3", "h2", "h3%2D29", "=", "\":443\"", "\"a.example:443\"", "\"[::1]:1\"", "\":0\"", "\":65536\"", "\"\\:8\"",
        "; ma=60", ";ma=\"60\"", ";ma=x", "; persist=1", ";persist=0", ";", ",", ", ", " ", "\t", "clear", "\"", "\\",
        "h3=\":443\"", "h3=\"b.example:8443\"; ma=9999999999999999999", "x",
    ]
    let text = chance.field(words, 1..<9)
    var headers = HTTPHeaders()
    headers["Alt-Svc"] = text
    let services = headers.alternativeServices?.map { service -> JSON in
        [
            .string(service.protocolID), .string(service.host ?? ""), JSON(service.port),
            JSON(Int(service.lifetime.components.seconds)), JSON(service.persists),
        ]
    }
    try await checker.report([
        "kind": "alternatives", "text": .string(headers["Alt-Svc"] ?? ""),
        "services": services.map(JSON.array) ?? .null,
    ])
}

/// `Strict-Transport-Security`: the next request to the host, or below it, must use https exactly when the checker says
/// so.
@Sendable func fuzzHSTS(_ chance: inout Chance, _ checker: Checker) async throws {
    let words = [
        "max-age", "max-age=", "=", "0", "60", "\"60\"", "max-age=31536000", "MAX-AGE=\"1\"", ";", "; ", ";;", " ",
        "\t",
        "includeSubDomains", "includesubdomains", "preload", "x=y", "x=\"a;b\"", "\"", "\\", "99999999999999999999",
    ]
    let text = chance.field(words, 1..<9)
    let script = Script([try response(200, [("Strict-Transport-Security", text)])])
    let client = HTTPClient(transport: script, configuration: .init(policies: [.hsts()]))
    let isBelow = chance.oneIn(2)
    for text in ["https://a.example/", isBelow ? "http://b.a.example:80/p" : "http://a.example/p"] {
        guard let url = URL(string: text) else { fatalError() }
        _ = try await client.send(HTTPRequest(.get, url))
    }
    try await checker.report([
        "kind": "hsts", "text": .string(text), "isBelow": JSON(isBelow),
        "url": .string(await script.requests.last?.url.absoluteString ?? ""),
    ])
}
