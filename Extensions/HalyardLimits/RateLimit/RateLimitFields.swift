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

    /// Reads the fields of a response. A quota without a reset (`t`) has the window (`w`) of its policy. One without both, and one that does not count
    /// requests (`qu`), is ignored.
    init(_ headers: HTTPHeaders) {
        let items = try? headers.structuredList("RateLimit")
        let policies = (try? headers.structuredList("RateLimit-Policy")) ?? []
        quotas = (items ?? []).prefix(Self.maximum).compactMap { item in
            guard let name = item.value?.text else { return nil }
            let policy = policies.first { $0.value?.text == name }?.parameters
            guard policy?["qu"].map({ $0.text == "requests" }) ?? true,
                let remaining = item.parameters["r"]?.count, let reset = (item.parameters["t"] ?? policy?["w"])?.count
            else { return nil }
            return Quota(name: name, remaining: remaining, reset: min(reset, Self.longest))
        }
    }
}

extension StructuredValue {
    /// A number that is not negative; `nil` for another value.
    fileprivate var count: Int? { integer.flatMap { $0 < 0 ? nil : Int(clamping: $0) } }
}
