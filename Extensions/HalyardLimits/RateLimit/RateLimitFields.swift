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
        text.consists(of: .digits) ? Int(text) ?? .max : nil
    }

    /// Reads a list of items with parameters (RFC 9651 section 3.1): `"day";r=12;t=300, "hour";r=3;t=60`.
    private static func items(_ value: String) -> [(name: String, parameters: [String: String])] {
        var (items, rest) = ([(name: String, parameters: [String: String])](), value.utf8[...])
        while !rest.isEmpty {
            let name = rest.popParameterValue(before: .endOfValue)
            var parameters: [String: String] = [:]
            while let semicolon = rest.first(where: { !$0.isBlank }), semicolon == UInt8(ascii: ";") {
                rest = rest.drop(while: \.isBlank).dropFirst()
                let key = rest.popParameterValue(before: .endOfKey)
                guard rest.first == UInt8(ascii: "=") else { continue }
                rest.removeFirst()
                parameters[key] = rest.popParameterValue(before: .endOfValue)
            }
            rest = rest.drop { $0 != UInt8(ascii: ",") }.dropFirst()
            if !name.isEmpty { items.append((name, parameters)) }
        }
        return items
    }
}

extension ASCIISet {
    fileprivate static let endOfValue = ASCIISet(",;")
    fileprivate static let endOfKey = ASCIISet("=,;")
}
