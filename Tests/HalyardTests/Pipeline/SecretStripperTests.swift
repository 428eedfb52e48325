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

    private static func field(_ number: Int, _ seed: inout Seeded) throws -> (String, String) {
        let name = ["X-", "", "Acme-", "x_"].randomElement(using: &seed) ?? ""
        let middle = try seed.pick(["Acme-", "Api-", "User", "Trace-", "Session", "Csrf", "Client-Secret-", ""])
        let end = try seed.pick(["Key", "-KEY", "Token", "Id", "Signature", "Version", "-Auth", "Cookie", "Mode"])
        return (
            "\(name)\(middle)\(end)\(Bool.random(using: &seed) ? "" : "-\(number)")", "value-\(number)-\(seed.next())"
        )
    }

    @Test(
        "a request to another origin has the fields that a log shows, and none that a log masks",
        arguments: 0..<300 as Range<UInt64>)
    func generated(number: UInt64) throws {
        var seed = Seeded(number)
        let start = try anyURL(&seed)
        var request = try HTTPRequest(.get, #require(URL(string: start)))
        for index in 0..<12 {
            let (name, value) = try Self.field(index, &seed)
            request.headers[name] = value
        }
        request.headers["Referer"] = "https://h/?access_token=r3ferred"
        request.secretNames = Bool.random(using: &seed) ? ["X-Trace-Id", "mode"] : []
        let providerOrigin = request.origin
        let redaction = Redaction(request)
        let (masked, shown) = (
            request.headers.filter { redaction.value(of: $0) != $0.value },
            request.headers.filter { redaction.value(of: $0) == $0.value }
        )
        try #require(!masked.isEmpty)

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
        }
    }
}
