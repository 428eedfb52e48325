public import HalyardFoundation
public import HalyardHTTP

/// A cookie, as a ``CookieJar`` has it (draft-ietf-httpbis-rfc6265bis section 5.7). Two are equal when all of them is.
///
/// ```swift
/// try jar.set(Cookie("theme", "dark", domain: "example.com", isHostOnly: false))
/// ```
public struct Cookie: Sendable, Hashable {
    /// How a server wants a cookie kept from other sites' pages. It is kept, and does nothing here: there are no pages, and
    /// all requests are their program's own.
    public struct SameSite: Sendable, Hashable, RawRepresentable {
        /// `Strict`, `Lax` or `None`.
        public let rawValue: String
        /// A value of one's own.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Only from the site itself.
        public static let strict = SameSite(rawValue: "Strict")
        /// Also when a page elsewhere leads there.
        public static let lax = SameSite(rawValue: "Lax")
        /// From anywhere; servers may say it of `Secure` cookies alone.
        public static let none = SameSite(rawValue: "None")
    }

    /// The name. May be empty, where the value is not.
    public let name: String
    /// The value, as the server wrote it: quotes belong to it.
    public let value: String
    /// The host that it goes to, in lower case.
    public let domain: String
    /// Whether it goes to that host alone, and not to those below it.
    public let isHostOnly: Bool
    /// The path that it goes to, and to all below it.
    public let path: String
    /// When it ends; nil for one that ends with the session, see ``CookieJar/endSession()``.
    public let expires: Date?
    /// Whether it goes over https alone.
    public let isSecure: Bool
    /// Whether a browser would keep it from its pages. It is kept, and does nothing here.
    public let isHTTPOnly: Bool
    /// What the server said of other sites, if anything.
    public let sameSite: SameSite?

    /// Makes a cookie.
    ///
    /// - Parameters:
    ///   - name: without `=`.
    ///   - value: without `;`.
    ///   - domain: a host, such as `example.com`; an IPv6 address stands in brackets.
    ///   - isHostOnly: `false` for a cookie that goes to all hosts below the domain as well.
    ///   - path: begins with `/`.
    ///   - expires: nil for one that ends with the session.
    ///   - isSecure: whether it goes over https alone.
    ///   - isHTTPOnly: see ``isHTTPOnly``.
    ///   - sameSite: see ``sameSite``.
    /// - Throws: ``HTTPError`` of kind `invalidHeader` for what could not be sent, or would be read as something else: a
    ///   control character or `;`, a name with `=`, more than 4096 bytes of name and value; a domain that is no host. Also for
    ///   a name that begins with `__Secure-`, in any case of letters, and is not secure, and with `__Host-`, and is not
    ///   secure, for its host alone and for the path `/` (draft-ietf-httpbis-rfc6265bis section 4.1.3).
    public init(
        _ name: String, _ value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
        expires: Date? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite? = nil
    ) throws(HTTPError) {
        func refuse(_ reason: String) -> HTTPError { HTTPError(.invalidHeader("Cookie"), reason: reason) }
        guard CookieText.canStand(name, value), !name.contains("="), !(name + value + path).contains(";") else {
            throw refuse("name, value or path hold a character that would end them, or are too long")
        }
        guard CookieText.isTrimmed(name), CookieText.isTrimmed(value) else {
            throw refuse("name or value begin or end with a blank")
        }
        guard path.hasPrefix("/"), CookieText.isPrintable(path) else { throw refuse("the path does not begin with /") }
        guard let origin = try? Origin(ofURL: "http://\(domain)"), !domain.contains(where: { "/?#".contains($0) }),
            "\(origin.host)" == domain.lowercased()
        else { throw refuse("its domain is no host") }
        self.init(
            name: name, value: value, domain: origin.host, isHostOnly: isHostOnly, path: path, expires: expires,
            isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite)
        if let broken = brokenPromise { throw refuse(broken) }
    }

    /// One that is known to be valid.
    init(
        name: String, value: String, domain: String, isHostOnly: Bool, path: String, expires: Date?, isSecure: Bool,
        isHTTPOnly: Bool, sameSite: SameSite?
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
    }
}

extension Cookie {
    /// What the prefixes `__Secure-` and `__Host-` say of a cookie, in any case of letters, and what is not so of this one
    /// (section 4.1.3); nil where it is. In a value without a name they would be taken for one by the server.
    var brokenPromise: String? {
        let isHost = hasHostPrefix
        guard isHost || begins(with: "__secure-") else { return nil }
        if name.isEmpty { return "a value that begins with __Host- or __Secure- needs a name" }
        if !isSecure { return "a name that begins with __Host- or __Secure- needs isSecure" }
        let isOfHost = isHostOnly && path == "/"
        return isHost && !isOfHost ? "a name that begins with __Host- needs isHostOnly, and the path /" : nil
    }

    /// Whether it begins with `__Host-`, in any case of letters: a server must name its path then.
    var hasHostPrefix: Bool { begins(with: "__host-") }

    private func begins(with prefix: String) -> Bool {
        (name.isEmpty ? value : name).lowercasedASCII.utf8.starts(with: prefix.utf8)
    }

    /// Whether a jar holds one of both only.
    func replaces(_ other: Cookie) -> Bool {
        name == other.name && domain == other.domain && isHostOnly == other.isHostOnly && path == other.path
    }

    /// The same with another end.
    func expiring(_ end: Date?) -> Cookie {
        Cookie(
            name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path, expires: end,
            isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite)
    }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// `name=value`, as it stands in a `Cookie` field. Without a name the value alone.
    var pair: String { name.isEmpty ? value : "\(name)=\(value)" }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The cookie without its value, which is a secret.
    public var description: String {
        "\(name)=\(Redaction.mark); Domain=\(isHostOnly ? "" : ".")\(domain); Path=\(path)"
            + (isSecure ? "; Secure" : "")
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// The same as ``description``, so that `dump` shows no value.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
