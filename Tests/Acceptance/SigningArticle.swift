import Foundation
import HalyardAsync

// The examples of the article on signing and sessions, letter by letter. SigningTests sends them.

struct SignatureV4: Authenticator {
    let keyID: String
    let secretKey: String
    let region: String
    let service: String
    /// SHA-256 and HMAC of CryptoKit or swift-crypto.
    let sha256: @Sendable (Data) -> Data
    let hmac: @Sendable (_ key: Data, _ message: Data) -> Data
    var now: @Sendable () -> Date = { Date() }

    func authenticate(_ request: inout HTTPRequest) async throws {
        let time = now().formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
        let scope = [String(time.prefix(8)), region, service, "aws4_request"]
        let url = request.url
        let host = (url.host() ?? "") + (url.port.map { ":\($0)" } ?? "")
        let query = (url.query() ?? "").split(separator: "&").map { $0.contains("=") ? "\($0)" : "\($0)=" }.sorted()
        let body = try await request.body?.data() ?? Data()
        let canonical = [
            request.method.rawValue, url.path(), query.joined(separator: "&"), "host:\(host)", "x-amz-date:\(time)", "",
            "host;x-amz-date", hex(sha256(body)),
        ].joined(separator: "\n")
        let text = [
            "AWS4-HMAC-SHA256", time, scope.joined(separator: "/"), hex(sha256(Data(canonical.utf8))),
        ].joined(separator: "\n")
        let key = scope.reduce(Data("AWS4\(secretKey)".utf8)) { hmac($0, Data($1.utf8)) }
        request.headers["X-Amz-Date"] = time
        request.headers["Authorization"] =
            "AWS4-HMAC-SHA256 Credential=\(keyID)/\(scope.joined(separator: "/")), "
            + "SignedHeaders=host;x-amz-date, Signature=\(hex(hmac(key, Data(text.utf8))))"
    }

    func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool { false }

    private func hex(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }
}

actor TransmissionSession: Authenticator {
    private var id: String?
    nonisolated let recoverableStatuses: Set<Int> = [409]

    func authenticate(_ request: inout HTTPRequest) async throws {
        request.headers["X-Transmission-Session-Id"] = id
    }

    func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool {
        id = response.headers["X-Transmission-Session-Id"]
        return id != nil
    }
}

struct TransmissionAPI: HTTPProvider {
    let baseURL: URL
    let authentication = Authentication(TransmissionSession(), allowsHTTP: true)
}
