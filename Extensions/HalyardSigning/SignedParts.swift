import HalyardFoundation
import HalyardHTTP

/// The parts of an absolute URL as they are sent.
struct URLParts {
    var scheme = ""
    /// The host in lower case, and the port unless it is the scheme's.
    var host = ""
    var path = ""
    var query = ""

    init(_ text: String) {
        let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? ""
        let target = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        scheme = text.prefix { $0 != ":" }.lowercased()
        let authority = rest[..<target]
        host = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...]
            .lowercased()
        // The port of the scheme is not sent.
        if host.hasSuffix(scheme == "https" ? ":443" : ":80") {
            host = String(host.prefix(upTo: host.lastIndex(of: ":") ?? host.endIndex))
        }
        let parts = rest[target...].prefix { $0 != "#" }.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts.first.map(String.init) ?? ""
        query = parts.count > 1 ? String(parts[1]) : ""
    }
}

extension HTTPRequest {
    /// The SHA-256 of the body as it is sent. `wayOut` says what to do with a body that can be read only once. Throws
    /// ``HTTPError`` of kind `encoding` for such a body, or the error of its file.
    func bodyDigest(otherwise wayOut: String) async throws -> Data {
        var digest = SHA256Digest()
        guard let body else { return digest.finish() }
        guard !body.isReadOnce else {
            throw HTTPError(
                .encoding("the body"), reason: "a stream cannot be read for its signature and sent. \(wayOut)",
                request: self)
        }
        for try await chunk in body.chunks(reportingTo: TransferContext()) { digest.update(chunk) }
        return digest.finish()
    }
}
