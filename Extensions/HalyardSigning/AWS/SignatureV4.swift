import HalyardFoundation
import HalyardHTTP

/// Signature Version 4 of Amazon Web Services, as a function of a request's parts. It has no side effects.
struct SignatureV4: Sendable {
    /// The words that a signature says for a body that it does not cover.
    static let unsignedPayload = "UNSIGNED-PAYLOAD"

    let credentials: AWSCredentials
    let region, service: String
    /// The time, such as `20240131T120000Z`.
    let time: String
    /// Whether the path is percent-encoded once more, as by all services but S3.
    var encodesPathTwice = true

    init(_ credentials: AWSCredentials, region: String, service: String, date: Date) {
        (self.credentials, self.region, self.service) = (credentials, region, service)
        time = date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
        encodesPathTwice = !Self.isStorage(service)
    }

    /// Whether a service has the rules of S3.
    static func isStorage(_ service: String) -> Bool {
        ["s3", "s3express", "s3-object-lambda", "s3-outposts"].contains(service)
    }

    /// The seconds since 1970 of a time as requests have it.
    static func seconds(_ time: String) -> TimeInterval? {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        return (try? style.parse(time))?.timeIntervalSince1970
    }

    /// The day, the region and the service for which a signature is valid.
    var scope: String { "\(time.prefix(8))/\(region)/\(service)/aws4_request" }

    /// Returns the signature in hexadecimal digits. The names of the headers are in lower case.
    func signature(
        method: String, path: String, query: String, headers: [(name: String, value: String)], payload: String
    ) -> String {
        let headers = headers.sorted { $0.name < $1.name }
        let request = [
            method, canonical(path: path), Self.canonical(query: query),
            headers.map { "\($0.name):\($0.value.collapsed)\n" }.joined(),
            headers.map(\.name).joined(separator: ";"), payload,
        ].joined(separator: "\n")
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(SHA256Digest.hexDigest(of: request))"
        let key = scope.split(separator: "/", omittingEmptySubsequences: false).reduce(
            Data("AWS4\(credentials.secretAccessKey)".utf8)
        ) {
            HMACSHA256.code(for: Data($1.utf8), key: $0)
        }
        return HMACSHA256.code(for: Data(text.utf8), key: key).hexadecimal
    }

    /// The path of a URL in the form that is signed.
    private func canonical(path: String) -> String {
        guard encodesPathTwice else {
            let segments = path.split(separator: "/", omittingEmptySubsequences: false)
            let encoded = segments.map { $0.utf8.percentDecoded().percentEncoded(keeping: .unreserved) }
            return path.isEmpty ? "/" : encoded.joined(separator: "/")
        }
        var segments: [Substring] = []
        for segment in path.split(separator: "/") where segment != "." {
            if segment == ".." { _ = segments.popLast() } else { segments.append(segment) }
        }
        let end = path.hasSuffix("/") && !segments.isEmpty ? "/" : ""
        return "/" + segments.map { $0.utf8.percentEncoded(keeping: .unreserved) }.joined(separator: "/") + end
    }

    /// The pairs of a query in the order and the form that is signed. A plus is a space.
    static func canonical(query: String) -> String {
        let pairs = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.map {
                $0.utf8.percentDecoded(plusIsSpace: true).percentEncoded(keeping: .unreserved)
            } + (parts.count == 1 ? [""] : [])
        }
        return pairs.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) }.map { "\($0[0])=\($0[1])" }.joined(separator: "&")
    }
}

extension Collection<UInt8> {
    /// The bytes as text, percent-encoded but for those of the set.
    func percentEncoded(keeping plain: ASCIISet) -> String {
        var bytes: [UInt8] = []
        for byte in self { if plain.contains(byte) { bytes.append(byte) } else { bytes.append(percentEncoded: byte) } }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    /// The value of a header with one space in place of several, and none at its ends.
    fileprivate var collapsed: String { split { $0 == " " || $0 == "\t" }.joined(separator: " ") }
}
