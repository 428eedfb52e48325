import HalyardHTTP

/// What responses are stored by: the URL, and the credentials of their request.
struct CacheKey: Hashable, Sendable {
    /// The URL without its fragment.
    let url: String
    /// The header fields with credentials. Empty for none.
    let credentials: String

    static func text(of url: String) -> String {
        let hash = UInt8(ascii: "#")
        // Searching through the view takes several times as long.
        let hasFragment = url.utf8.withContiguousStorageIfAvailable { $0.contains(hash) } ?? url.utf8.contains(hash)
        return hasFragment ? String(url.prefix { $0 != "#" }) : url
    }
}

extension CacheKey {
    /// Makes the key of a request: its URL, and all its header fields that are credentials.
    init(_ request: HTTPRequest) {
        self.init(url: Self.text(of: request.address.text), credentials: Self.credentials(of: request))
    }

    /// Makes the key for responses that anybody may have but for other credentials than cookies. `nil` for a request
    /// without cookies.
    init?(withoutCookies request: HTTPRequest) {
        guard request.headers.contains("Cookie") else { return nil }
        var request = request
        request.headers.remove("Cookie")
        self.init(request)
    }

    private static func credentials(of request: HTTPRequest) -> String {
        var text = ""
        for field in request.headers where isCredential(field.name.rawValue, request.secretNames) {
            text += "\(field.name.rawValue.lowercased()): \(field.value)\n"
        }
        return text
    }

    private static func isCredential(_ name: String, _ secretNames: Set<String>) -> Bool {
        // Most requests have only such fields. The rules for secrets take a microsecond for each name.
        if secretNames.isEmpty, isHarmless(name) { return false }
        return SecretNames(secretNames).containsField(name)
    }

    /// Comparing short names takes less time than hashing one.
    private static func isHarmless(_ name: String) -> Bool {
        switch name {
        case "Accept", "User-Agent", "Accept-Language", "Accept-Encoding", "Content-Type", "Cache-Control",
            "If-None-Match", "If-Modified-Since", "Pragma", "Range", "Referer", "traceparent":
            true
        default: false
        }
    }
}

/// The request header fields that a response depends on (RFC 9111 section 4.1), with the values of its request.
struct VaryingFields: Sendable, Hashable {
    private struct Field: Sendable, Hashable {
        let name: String
        /// `nil` if the request had no such field.
        let value: String?
    }

    private let fields: [Field]

    /// Reads the `Vary` of a response. `nil` if no other request can have it: for `*`, and for an invalid name.
    init?(_ response: HTTPHeaders, _ request: HTTPHeaders) {
        guard response.contains("Vary") else {
            fields = []
            return
        }
        let names = response.list("Vary")
        if names.contains(where: { $0 == "*" || !$0.consists(of: .token) }) { return nil }
        fields = Set(names).sorted().map { Field(name: $0, value: Self.value(of: $0, in: request)) }
    }

    /// Makes fields of names and values, as a store has kept them.
    init(_ pairs: [(name: String, value: String?)]) { fields = pairs.map { Field(name: $0.name, value: $0.value) } }

    /// The names and values, for a store.
    var pairs: [(name: String, value: String?)] { fields.map { ($0.name, $0.value) } }

    /// Whether a request has the same values.
    func match(_ request: HTTPHeaders) -> Bool {
        fields.allSatisfy { Self.value(of: $0.name, in: request) == $0.value }
    }

    /// The value in a form in which equal values are equal: in one line, without blanks beside separators, and in lower
    /// case where case has no meaning.
    private static func value(of name: String, in request: HTTPHeaders) -> String? {
        guard let value = request[name] else { return nil }
        var text: [UInt8] = []
        var isQuoted = false
        for byte in value.utf8 {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte.isBlank, !isQuoted, text.last.map(separators.contains) != false { continue }
            if separators.contains(byte), !isQuoted { while text.last?.isBlank == true { text.removeLast() } }
            text.append(byte)
        }
        let normal = String(decoding: text, as: UTF8.self)
        return caseless.contains(name) ? normal.lowercased() : normal
    }

    private static let separators = ASCIISet(",;=")
    private static let caseless: Set<String> = ["accept", "accept-charset", "accept-encoding", "accept-language"]
}
