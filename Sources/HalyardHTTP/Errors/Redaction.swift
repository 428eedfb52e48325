import HalyardFoundation

/// Removes secrets from everything that is printed: log lines, descriptions of errors, curl commands.
package struct Redaction: Sendable {
    /// The text in place of a secret.
    package static let mark = "***"

    package let names: SecretNames
    /// Known values of secrets, longest first.
    private var values: [[UInt8]] = []

    package init(_ names: Set<String> = []) { self.names = SecretNames(names) }

    /// Makes the redaction for a request. The values of its secrets are masked wherever they occur, because a server
    /// may repeat them. The notes of the response have the request as interceptors have changed it.
    package init(_ request: HTTPRequest?, _ response: HTTPResponse? = nil) {
        self.init((request?.secretNames ?? []).union(response?.notes.sentRequest?.secretNames ?? []))
        let requests = [request, response?.notes.sentRequest].compactMap(\.self)
        // Shorter values are not masked, because they also occur in ordinary words.
        let found = Set(requests.flatMap(secrets(of:))).filter { $0.utf8.count >= 4 }
        // In a form, `+` is a space.
        let spelt = found.union(found.filter { $0.contains("+") }.map { $0.replacing("+", with: " ") })
        values = spelt.sorted { $0.utf8.count > $1.utf8.count }.map { Array($0.utf8) }
    }

    /// Returns the value of a header field without secrets. The authentication scheme of credentials is kept.
    package func value(of field: HTTPHeaders.Field) -> String {
        guard names.containsField(field.name.rawValue) else {
            let isReference = Self.references.contains { field.name.matches($0) }
            return isReference ? reference(field.value) : text(field.value)
        }
        let scheme = field.value.prefix { $0 != " " }
        return Self.schemes.contains { scheme.equalsIgnoringASCIICase($0) } ? "\(scheme) \(Self.mark)" : Self.mark
    }

    /// Returns a text without secrets: users and passwords in URLs, values that follow the name of a secret, and the
    /// known values.
    package func text(_ text: String) -> String {
        mask(urls(in: withoutValues(text)))
    }

    /// Returns a text without the known values, also when they are escaped.
    private func withoutValues(_ text: String) -> String {
        if values.isEmpty { return text }
        let bytes = Array(text.utf8)
        let ranges = Self.decodedTexts(of: bytes).flatMap { text in
            values.flatMap { Self.ranges(of: $0, in: text.bytes) }.map(text.source)
        }
        return ranges.isEmpty ? text : String(decoding: Self.masked(bytes, ranges), as: UTF8.self)
    }

    /// Fields that hold a URL, or a part of one.
    private static let references = ["Location", "Content-Location"]

    /// Authentication schemes of the IANA registry, which are not secret.
    private static let schemes = [
        "Basic", "Bearer", "Digest", "DPoP", "Negotiate", "NTLM", "Token", "AWS4-HMAC-SHA256",
    ]
}

extension Redaction {
    /// Returns the values of a request's secrets, encoded and decoded.
    private func secrets(of request: HTTPRequest) -> [String] {
        var found: [String] = []
        for field in request.headers where names.containsField(field.name.rawValue) {
            found.append(field.value)
            let words = field.value.split(separator: " ").map(String.init)
            let passwords = words.compactMap(\.password)
            // OAuth 2 encodes them as in a form (RFC 6749 section 2.3.1).
            let decoded = passwords.map { String(decoding: $0.utf8.percentDecoded(), as: UTF8.self) }
            found += words + passwords + decoded
            // The values of cookies, `id=...; theme=...`.
            found += field.value.split(separator: ";").compactMap { cookie in
                cookie.firstIndex(of: "=").map { String(cookie[cookie.index(after: $0)...]) }
            }
        }
        found.removeAll { word in Self.schemes.contains { word.equalsIgnoringASCIICase($0) } }
        return found + secrets(inURL: request.address.text) + secrets(inBodyOf: request)
    }

    /// Returns the values with names of secrets in a body in memory: in a form, in the parts of a multipart form, and
    /// in JSON or another text.
    private func secrets(inBodyOf request: HTTPRequest) -> [String] {
        var bytes: [UInt8] = []
        for data in request.body?.bytesInMemory ?? [] where bytes.count + data.count <= 64 << 10 { bytes += data }
        guard let boundary = request.headers.boundary else { return secrets(in: bytes, of: request.headers.mediaType) }
        return FormPart.all(in: bytes, boundary: boundary).flatMap { part in
            names.containsParameter(part.name)
                ? [String(decoding: part.content, as: UTF8.self)]
                : secrets(in: Array(part.content), of: part.type?.mediaType)
        }
    }

    private func secrets(in bytes: [UInt8], of type: String?) -> [String] {
        let isForm = type == "application/x-www-form-urlencoded"
        let query = isForm ? secrets(inURL: "?" + String(decoding: bytes, as: UTF8.self)) : []
        // As they are written, and with their escapes decoded.
        let texts = secretRanges(in: bytes).flatMap { Self.decodedTexts(of: Array(bytes[$0])) }
        return query + texts.map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}

extension String {
    /// The password in the credentials of `Basic` (RFC 7617).
    fileprivate var password: String? {
        guard let data = Data(base64Encoded: self), let text = String(utf8: data) else { return nil }
        return text.firstIndex(of: ":").map { String(text[text.index(after: $0)...]) }
    }
}
