import HalyardHTTP

/// Domains under which anybody can register a domain, such as `com` and `co.uk`. Cookies for such a domain are
/// rejected, because hosts of other owners would receive them.
///
/// ```swift
/// let jar = CookieJar(suffixes: PublicSuffixes { myList.contains($0) })
/// ```
public struct PublicSuffixes: Sendable {
    private let isSuffix: @Sendable (String) -> Bool

    /// Makes a list of your own.
    ///
    /// - Parameter contains: Returns whether a name is a public suffix. The name is in lower case and ASCII (`xn--`),
    ///   without a dot at either end.
    public init(_ contains: @escaping @Sendable (_ name: String) -> Bool) { isSuffix = contains }

    /// Returns whether a domain is a public suffix.
    ///
    /// - Returns: Whether anybody can register a domain under it.
    public func contains(_ domain: String) -> Bool {
        isSuffix(String(domain.lowercasedASCII.drop { $0 == "." }.trimmingEnd(".")))
    }

    /// Returns whether a cookie may be set for a domain and its subdomains. Public suffixes and IP addresses are not
    /// allowed.
    func allow(_ domain: String) -> Bool { !contains(domain) && !CookieScope.isAddress(domain) }

    /// Returns whether a cookie that the user sets, or that is read from a file, may be stored.
    func allow(_ cookie: Cookie) -> Bool { cookie.isHostOnly || allow(cookie.domain) }

    /// Rules that need no list: names of one label, and names of two labels whose last label is a country and whose
    /// first label is one that countries offer to anybody, such as `co.uk`, `com.au` and `ac.jp`.
    ///
    /// They do not include other public suffixes, such as `github.io`, `kawasaki.jp` and `k12.ak.us`.
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
