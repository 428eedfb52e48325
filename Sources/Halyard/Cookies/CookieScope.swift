import HalyardHTTP

/// The host, path and scheme of a URL, with which cookies are compared (draft-ietf-httpbis-rfc6265bis section 5.1).
/// Ports are ignored. It has no side effects.
struct CookieScope: Sendable, Hashable {
    /// The host in lower case. An IPv6 address is in brackets.
    let host: String
    /// The path as it is sent.
    let path: String
    let isSecure: Bool

    /// Returns `nil` for a URL that a request cannot have.
    init?(ofURL text: String) {
        guard let origin = try? Origin(ofURL: text), let start = text.firstRange(ofASCII: "://") else { return nil }
        let path = text[start.upperBound...].drop { !"/?#".contains($0) }.prefix { !"?#".contains($0) }
        self.init(host: origin.host, path: path.isEmpty ? "/" : String(path), isSecure: origin.scheme == "https")
    }

    init(host: String, path: String, isSecure: Bool) {
        self.host = host
        self.path = path
        self.isSecure = isSecure
    }

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
