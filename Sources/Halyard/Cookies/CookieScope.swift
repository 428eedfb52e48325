import HalyardHTTP

/// The host, path and scheme of a URL, with which cookies are compared (draft-ietf-httpbis-rfc6265bis section 5.1).
/// Ports are ignored. It has no side effects.
struct CookieScope: Sendable, Hashable {
    /// The host in lower case. An IPv6 address is in brackets.
    let host: String
    /// The path as it is sent.
    let path: String
    let isSecure: Bool

    /// The folder of the path, for cookies without a path (section 5.1.4).
    var defaultPath: String {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] } ?? ""
        return folder.isEmpty ? "/" : String(folder)
    }

    /// The domains whose cookies the host receives.
    var domains: [String] { Self.domains(of: host) }

    /// Returns a host and its parent domains. An address has no parent domains.
    static func domains(of host: String) -> [String] {
        guard !isAddress(host) else { return [host] }
        var (found, rest) = ([host], host[...])
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.index(after: dot)...]
            if !rest.isEmpty { found.append(String(rest)) }
        }
        return found
    }

    func takes(_ cookie: Cookie) -> Bool {
        (cookie.isHostOnly ? host == cookie.domain : Self.domain(host, matches: cookie.domain))
            && (isSecure || !cookie.isSecure) && Self.path(path, matches: cookie.path)
    }

    /// Returns whether a host is the domain or a subdomain (section 5.1.3).
    static func domain(_ host: String, matches domain: String) -> Bool {
        if host == domain { return true }
        return !domain.isEmpty && host.utf8.count > domain.utf8.count
            && host.utf8.reversed().starts(with: domain.utf8.reversed())
            && host.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".") && !isAddress(host)
    }

    /// Returns whether a path is the cookie's, or below it (section 5.1.4).
    static func path(_ path: String, matches folder: String) -> Bool {
        guard path.utf8.starts(with: folder.utf8) else { return false }
        let slash = UInt8(ascii: "/")
        return path.utf8.count == folder.utf8.count || folder.utf8.last == slash
            || path.utf8.dropFirst(folder.utf8.count).first == slash
    }

    /// Returns whether a URL's host is an IP address. Names do not end in a number.
    static func isAddress(_ host: String) -> Bool {
        host.utf8.first == UInt8(ascii: "[")
            || host.split(separator: ".").last.map { $0.consists(of: .digits) } ?? false
    }
}

extension CookieScope {
    /// Returns `nil` for a URL that a request cannot have.
    init?(ofURL text: String) {
        guard let origin = try? Origin(ofURL: text), let start = text.firstRange(ofASCII: "://") else { return nil }
        let path = text[start.upperBound...].drop { !"/?#".contains($0) }.prefix { !"?#".contains($0) }
        self.init(host: origin.host, path: path.isEmpty ? "/" : String(path), isSecure: origin.scheme == "https")
    }
}

/// The domains under which anyone can register a domain, such as `com` and `co.uk`. Cookies for such a domain are
/// rejected, because hosts of other owners would receive them.
///
/// ```swift
/// let jar = CookieJar(suffixes: PublicSuffixes { myList.contains($0) })
/// ```
public struct PublicSuffixes: Sendable {
    private let isSuffix: @Sendable (String) -> Bool

    /// Creates a custom list. The closure returns whether a name is a public suffix. The name is in lowercase ASCII
    /// (`xn--`), without a leading or trailing dot.
    public init(_ contains: @escaping @Sendable (_ name: String) -> Bool) { isSuffix = contains }

    /// Returns whether anyone can register a domain under a domain.
    public func contains(_ domain: String) -> Bool {
        isSuffix(String(domain.lowercasedASCII.drop { $0 == "." }.trimmingEnd(".")))
    }

    /// Returns whether a cookie may be set for a domain and its subdomains. Public suffixes and IP addresses are not
    /// allowed.
    func allow(_ domain: String) -> Bool { !contains(domain) && !CookieScope.isAddress(domain) }

    /// Returns whether a cookie that the user sets, or that is read from a file, may be stored.
    func allow(_ cookie: Cookie) -> Bool { cookie.isHostOnly || allow(cookie.domain) }

    /// Rules that need no list: names of one label, and names of two labels whose last label is a country and whose
    /// first label is one that countries offer to anyone, such as `co.uk`, `com.au` and `ac.jp`.
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
