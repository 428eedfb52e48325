import Foundation
import HalyardAsync

// The examples of the article on signing and sessions, word for word. SigningTests sends them.

struct SignatureV4: Authenticator {
    let keyID: String
    let secretKey: String
    var sessionToken: String?
    let region: String
    let service: String
    /// SHA-256 and HMAC of CryptoKit or swift-crypto.
    let sha256: @Sendable (Data) -> Data
    let hmac: @Sendable (_ key: Data, _ message: Data) -> Data
    var now: @Sendable () -> Date = { Date() }

    func authenticate(_ request: inout HTTPRequest) async throws {
        let time = now().formatted(
            Date.ISO8601FormatStyle(
                dateSeparator: .omitted, timeSeparator: .omitted))
        request.headers["X-Amz-Date"] = time
        request.headers["X-Amz-Security-Token"] = sessionToken
        let url = request.url
        let host = (url.host() ?? "") + (url.port.map { ":\($0)" } ?? "")
        let names = [
            "content-type", "host", "x-amz-date", "x-amz-security-token",
        ]
        .filter { $0 == "host" || request.headers.contains($0) }
        let fields = names.map {
            "\($0):\($0 == "host" ? host : request.headers[$0] ?? "")"
        }
        let body = try await request.body?.data() ?? Data()
        let canonical = [
            request.method.rawValue, url.path().isEmpty ? "/" : url.path(),
            canonical(url.query() ?? ""),
            fields.joined(separator: "\n"), "", names.joined(separator: ";"),
            hex(sha256(body)),
        ].joined(separator: "\n")
        let scope = [String(time.prefix(8)), region, service, "aws4_request"]
        let text = [
            "AWS4-HMAC-SHA256", time, scope.joined(separator: "/"),
            hex(sha256(Data(canonical.utf8))),
        ].joined(separator: "\n")
        let key = scope.reduce(Data("AWS4\(secretKey)".utf8)) {
            hmac($0, Data($1.utf8))
        }
        let signature = hex(hmac(key, Data(text.utf8)))
        request.headers["Authorization"] = [
            "AWS4-HMAC-SHA256 Credential=\(keyID)/\(scope.joined(separator: "/"))",
            "SignedHeaders=\(names.joined(separator: ";"))",
            "Signature=\(signature)",
        ].joined(separator: ", ")
    }

    func recover(from response: HTTPResponse, to request: HTTPRequest)
        async throws -> Bool
    { false }

    /// Sorts the pairs of a query by their names, then by their values.
    private func canonical(_ query: String) -> String {
        let pairs = query.split(separator: "&").map {
            pair -> (name: String, value: String) in
            let parts = pair.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
        let sorted = pairs.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
        return sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    private func hex(_ data: Data) -> String {
        data.map { String(format: "%02x", $0) }.joined()
    }
}

actor TransmissionSession: Authenticator {
    private var id: String?
    nonisolated let recoverableStatuses: Set<Int> = [409]

    func authenticate(_ request: inout HTTPRequest) async throws {
        request.headers["X-Transmission-Session-Id"] = id
    }

    func recover(from response: HTTPResponse, to request: HTTPRequest)
        async throws -> Bool
    {
        id = response.headers["X-Transmission-Session-Id"]
        return id != nil
    }
}

struct TransmissionAPI: HTTPProvider {
    let baseURL: URL
    let authentication = Authentication(TransmissionSession(), allowsHTTP: true)
}
