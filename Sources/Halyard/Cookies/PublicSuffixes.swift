import HalyardHTTP

/// Under which names anybody can have a domain, `com` and `co.uk` for two: cookies for such a name would go to strangers, and
/// are refused.
///
/// ```swift
/// let jar = CookieJar(suffixes: PublicSuffixes { myList.contains($0) })
/// ```
public struct PublicSuffixes: Sendable {
    private let contains: @Sendable (String) -> Bool

    /// A list of one's own.
    ///
    /// - Parameter contains: is asked for a name in lower case, in ASCII (`xn--`), without a dot at either end.
    public init(_ contains: @escaping @Sendable (_ name: String) -> Bool) { self.contains = contains }

    /// Whether anybody can have a domain under it.
    public func contain(_ domain: String) -> Bool {
        contains(String(domain.lowercasedASCII.drop { $0 == "." }.trimmingEnd(".")))
    }

    /// Whether a cookie may be for a domain and all hosts below it: not for a public suffix, and not for an IP address.
    func allow(_ domain: String) -> Bool { !contain(domain) && !CookieScope.isAddress(domain) }

    /// Whether a cookie may be kept that no server has just set: one of the user's own, or of a file.
    func allow(_ cookie: Cookie) -> Bool { cookie.isHostOnly || allow(cookie.domain) }

    /// Rules that need no list: names of one label, and of two where the last is a country's and the first is one of those
    /// that countries give to anybody, such as `co.uk`, `com.au` and `ac.jp`.
    ///
    /// They do not know what else is one: `github.io`, `kawasaki.jp`, `k12.ak.us`.
    public static let rules = PublicSuffixes { name in
        let labels = name.split(separator: ".")
        guard labels.count == 2, labels[1].utf8.count == 2 else { return labels.count < 2 }
        return seconds.contains(String(labels[0]))
    }

    private static let seconds: Set<String> = [
        "ac", "asn", "biz", "co", "com", "edu", "gen", "go", "gob", "gouv", "gov", "govt", "gv", "id", "idf", "in",
        "info", "ltd", "me", "mil", "muni", "ne", "net", "nhs", "nic", "nom", "or", "org", "plc", "police", "priv",
        "pro",
        "sch", "school", "web",
    ]
}

extension Substring {
    fileprivate func trimmingEnd(_ character: Character) -> Substring {
        var rest = self
        while rest.last == character { rest.removeLast() }
        return rest
    }
}
