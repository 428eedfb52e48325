#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Takes secrets out of what is printed: the one place that decides what a log line, an error's description or a curl
/// line may show.
package struct Redaction: Sendable {
    /// What stands where a secret was.
    package static let mark = "***"

    package let names: SecretNames
    /// Secrets that are known by value, longest first: those of the request that a text is about.
    private var values: [String] = []

    package init(_ names: Set<String> = []) { self.names = SecretNames(names) }

    /// That of a request, whose secrets are found by their values as well: a server may repeat them.
    ///
    /// - Parameter response: its response, which may know what interceptors made of the request.
    package init(_ request: HTTPRequest?, _ response: HTTPResponse? = nil) {
        self.init((request?.secretNames ?? []).union(response?.sent?.secretNames ?? []))
        let requests = [request, response?.sent].compactMap(\.self)
        // A short one stands in many words by accident.
        values = Set(requests.flatMap(secrets)).filter { $0.utf8.count >= 4 }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// The value of a header field as it may be shown: of credentials the scheme, of others what is no secret.
    package func value(of field: HTTPHeaders.Field) -> String {
        guard names.containsField(field.name.rawValue) else { return text(field.value) }
        let scheme = field.value.prefix { $0 != " " }
        return Self.schemes.contains { scheme.equalsIgnoringASCIICase($0) } ? "\(scheme) \(Self.mark)" : Self.mark
    }

    /// Any text, without what in it is known, or looks, like a secret: users and passwords in URLs, values that stand
    /// behind a secret's name, values that the request has as secrets.
    package func text(_ text: String) -> String {
        let shown = values.reduce(text) { $0.replacing($1.utf8, with: Self.mark.utf8) }
        return mask(urls(in: shown))
    }

    /// Schemes of the IANA registry that say nothing secret.
    private static let schemes = [
        "Basic", "Bearer", "Digest", "DPoP", "Negotiate", "NTLM", "Token", "AWS4-HMAC-SHA256",
    ]
}

extension Redaction {
    /// The values that are secrets in a request, as they stand on the wire and decoded.
    private func secrets(of request: HTTPRequest) -> [String] {
        var found: [String] = []
        for field in request.headers where names.containsField(field.name.rawValue) {
            found.append(field.value)
            found += field.value.split(separator: " ").map(String.init)
            // The values of cookies, `id=...; theme=...`.
            found += field.value.split(separator: ";").compactMap { cookie in
                cookie.firstIndex(of: "=").map { String(cookie[cookie.index(after: $0)...]) }
            }
        }
        found.removeAll { word in Self.schemes.contains { word.equalsIgnoringASCIICase($0) } }
        found += secrets(inURL: request.address.text)
        for case .bytes(let data) in request.body?.segments ?? [] where data.count <= 64 << 10 {
            found += secrets(in: String(decoding: data, as: UTF8.self))
        }
        return found
    }
}

extension String {
    fileprivate func replacing(_ secret: String.UTF8View, with mark: String.UTF8View) -> String {
        guard utf8.firstRange(of: secret) != nil else { return self }
        return String(decoding: Array(utf8).replacing(Array(secret), with: Array(mark)), as: UTF8.self)
    }
}
