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
        guard request.headers.contains(.cookie) else { return nil }
        var request = request
        request.headers.remove(.cookie)
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
