import Foundation
import HalyardHTTP
import TestSupport
import Testing

@testable import Halyard

/// Removing the secrets of a request to another origin, without a network, with values generated from a seed.
struct SecretStripperTests {
    private static let schemes = ["http", "https"]
    private static let hosts = ["api.example.com", "example.com", "api.example.com.evil.org", "127.0.0.1", "[::1]"]
    private static let ports = ["", ":80", ":443", ":8080"]

    private func anyURL(_ seed: inout Seeded) throws -> String {
        let (scheme, host, port) = try (seed.pick(Self.schemes), seed.pick(Self.hosts), seed.pick(Self.ports))
        return "\(scheme)://\(host)\(port)/p\(Int.random(in: 0..<9, using: &seed))"
    }

    private static let credentials = [
        "Authorization", "Cookie", "Proxy-Authorization", "X-API-Key", "x_api_key", "Acme-Api-Key", "X-Auth-Token",
        "X-CSRF-Token", "Private-Token", "X-Client-Secret", "Acme-Signature", "Host", "X-Trace-Id", "MODE",
    ]
    /// Fields of the user, whose names a log may mask.
    private static let others = [
        "X-Session", "X-Pin", "X-Acme-Key", "Idempotency-Key", "X-Page-Token", "X-User", "Accept", "User-Agent",
        "X-Pass",
        "X-Client-Version", "Api-Key-Count",
    ]

    @Test(
        "a request to another origin keeps the user's headers but no credentials",
        arguments: 0..<300 as Range<UInt64>)
    func generated(number: UInt64) throws {
        var seed = Seeded(number)
        let start = try anyURL(&seed)
        var request = try HTTPRequest(.get, #require(URL(string: start)))
        for (index, name) in (Self.credentials + Self.others).shuffled(using: &seed).enumerated() {
            request.headers[name] = "value-\(index)-\(seed.next())"
        }
        request.headers["Referer"] = "https://h/?access_token=r3ferred&session=12"
        request.secretNames = ["X-Trace-Id", "mode"]
        let providerOrigin = request.origin
        let (masked, shown) = (
            request.headers.filter { Self.credentials.contains($0.name.rawValue) },
            request.headers.filter { Self.others.contains($0.name.rawValue) }
        )
        try #require(masked.count == Self.credentials.count && shown.count == Self.others.count)

        var isForeign = false
        for _ in 0..<Int.random(in: 1...6, using: &seed) {
            let status = try seed.pick([301, 302, 303, 307, 308])
            let response = HTTPResponse(status: status, headers: ["Location": try anyURL(&seed)], url: request.url)
            request = try #require(
                try Redirect.next(after: response, to: request, count: 0, .follow(allowsDowngrade: true)))
            isForeign = isForeign || request.origin != providerOrigin
            let values = Set(request.headers.map(\.value))
            for field in masked { #expect(values.contains(field.value) == !isForeign, "\(field) \(start)") }
            for field in shown { #expect(values.contains(field.value), "\(field) \(start)") }
            #expect(request.headers["Referer"]?.contains("r3ferred") == !isForeign)
            #expect(request.headers["Referer"]?.contains("session=12") == true)
        }
    }
}
