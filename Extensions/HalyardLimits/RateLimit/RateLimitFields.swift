import HalyardHTTP

/// What a response tells about the rate limits of its server: `RateLimit` and `RateLimit-Policy`
/// (draft-ietf-httpapi-ratelimit-headers). Text that is not of this form is ignored.
struct RateLimitFields: Sendable, Equatable {
    struct Quota: Sendable, Equatable {
        let name: String
        /// The number of requests that are left.
        let remaining: Int
        /// The number of seconds until more requests are allowed.
        let reset: Int
    }

    /// The quotas for requests, at most ``maximum``.
    let quotas: [Quota]

    /// The largest number of quotas that are read.
    static let maximum = 8
    /// The largest number of seconds that is read: a year.
    static let longest = 365 * 24 * 3600

    /// Reads the fields of a response. `nil` for a response without `RateLimit`.
    ///
    /// A quota without a reset (`t`) has the window (`w`) of its policy. One without both, and one that does not count
    /// requests (`qu`), is ignored.
    init?(_ headers: HTTPHeaders) {
        let values = headers.values(for: "RateLimit").filter(Self.isShort)
        guard !values.isEmpty else { return nil }
        let policies = headers.values(for: "RateLimit-Policy").filter(Self.isShort).flatMap(Self.items)
        quotas = values.flatMap(Self.items).prefix(Self.maximum).compactMap { item in
            let policy = policies.first { $0.name == item.name }?.parameters
            guard policy?["qu"] == nil || policy?["qu"] == "requests" else { return nil }
            guard let remaining = item.parameters["r"].flatMap(Self.number),
                let reset = (item.parameters["t"] ?? policy?["w"]).flatMap(Self.number)
            else { return nil }
            return Quota(name: item.name, remaining: remaining, reset: min(reset, Self.longest))
        }
    }

    /// Whether a value is of a length that servers send. A longer one would take its time to read.
    private static func isShort(_ value: String) -> Bool { value.utf8.count <= 4096 }

    private static func number(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
        return Int(text) ?? .max
    }

    /// Reads a list of items with parameters (RFC 9651 section 3.1): `"day";r=12;t=300, "hour";r=3;t=60`.
    private static func items(_ value: String) -> [(name: String, parameters: [String: String])] {
        value.splitOutsideQuotes(at: ",").compactMap { item in
            let parts = item.splitOutsideQuotes(at: ";")
            guard let name = parts.first?.unquoted, !name.isEmpty else { return nil }
            var parameters: [String: String] = [:]
            for part in parts.dropFirst() {
                let pair = part.split(separator: "=", maxSplits: 1).map { String($0).unquoted }
                if pair.count == 2 { parameters[pair[0]] = pair[1] }
            }
            return (name, parameters)
        }
    }
}

extension String {
    fileprivate func splitOutsideQuotes(at separator: Character) -> [String] {
        var parts = [""]
        var isQuoted = false
        for character in self {
            if character == "\"" { isQuoted.toggle() }
            if character == separator, !isQuoted { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return parts
    }

    /// The text without blanks around it, and then without quotes.
    fileprivate var unquoted: String {
        var text = self[...]
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        if text.count > 1, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
        return String(text)
    }
}
