public import HalyardFoundation
public import HalyardHTTP

/// A cookie of a ``CookieJar`` (draft-ietf-httpbis-rfc6265bis section 5.7).
///
/// ```swift
/// try jar.set(Cookie("theme", "dark", domain: "example.com", isHostOnly: false))
/// ```
public struct Cookie: Sendable, Hashable {
    /// The `SameSite` attribute. It is stored but has no effect, because Halyard loads no pages of other sites.
    public struct SameSite: Sendable, Hashable, RawRepresentable {
        /// `Strict`, `Lax` or `None`.
        public let rawValue: String
        /// Creates a value of the attribute.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Sent only with requests of the same site.
        public static let strict = SameSite(rawValue: "Strict")
        /// Also sent when navigating from another site.
        public static let lax = SameSite(rawValue: "Lax")
        /// Sent with requests of any site. It requires `Secure`.
        public static let none = SameSite(rawValue: "None")
    }

    /// The name. It may be empty if the value is not.
    public let name: String
    /// The value as the server sent it, with its quotes.
    public let value: String
    /// The host that receives the cookie, in lowercase.
    public let domain: String
    /// Whether only that host receives the cookie, but not its subdomains.
    public let isHostOnly: Bool
    /// The path whose requests carry the cookie, including all paths below it.
    public let path: String
    /// The expiry time; `nil` for a cookie that ends with the session. See ``CookieJar/endSession()``.
    public fileprivate(set) var expires: Date?
    /// Whether the cookie is sent only over https.
    public let isSecure: Bool
    /// The `HttpOnly` attribute. It is stored but has no effect, because there are no scripts.
    public let isHTTPOnly: Bool
    /// The `SameSite` attribute; `nil` if the server sent none.
    public let sameSite: SameSite?
}

extension Cookie {
    /// Creates a cookie. Each parameter sets the property with its name. The path begins with `/`.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidHeader` for a cookie that cannot be sent as it is: one with a control
    ///   character or `;`, a name with `=`, more than 4096 bytes of name and value, or a domain that is not a host.
    ///   Also for a name with the prefix `__Secure-`, in any case, if the cookie is not secure, and with the prefix
    ///   `__Host-` if it is not secure, host-only and for the path `/` (draft-ietf-httpbis-rfc6265bis section 4.1.3).
    public init(
        _ name: String, _ value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
        expires: Date? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite? = nil
    ) throws(HTTPError) {
        func refuse(_ reason: String) -> HTTPError { HTTPError(.invalidHeader("Cookie"), reason: reason) }
        guard CookieText.isValid(name, value), !name.contains("="), !(name + value + path).contains(";") else {
            throw refuse("the name, value or path has a character that is not allowed, or is too long")
        }
        guard CookieText.isTrimmed(name), CookieText.isTrimmed(value) else {
            throw refuse("the name or value begins or ends with a blank")
        }
        guard path.hasPrefix("/"), CookieText.isPrintable(path) else { throw refuse("the path does not begin with /") }
        guard let origin = try? Origin(ofURL: "http://\(domain)"), !domain.contains(where: { "/?#".contains($0) }),
            "\(origin.host)" == domain.lowercased()
        else { throw refuse("its domain is not a valid host") }
        self.init(
            name: name, value: value, domain: origin.host, isHostOnly: isHostOnly, path: path, expires: expires,
            isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite)
        if let broken = prefixViolation { throw refuse(broken) }
    }
}

extension Cookie {
    /// The requirement of a prefix `__Secure-` or `__Host-`, in any case, that the cookie does not meet (section
    /// 4.1.3). `nil` if it meets all. In a cookie without a name, the value must not begin with a prefix either,
    /// because servers would take it for a name.
    var prefixViolation: String? {
        let isHost = hasHostPrefix
        guard isHost || begins(with: "__secure-") else { return nil }
        if name.isEmpty { return "a value that begins with __Host- or __Secure- needs a name" }
        if !isSecure { return "a name that begins with __Host- or __Secure- needs isSecure" }
        let isOfHost = isHostOnly && path == "/"
        return isHost && !isOfHost ? "a name that begins with __Host- needs isHostOnly, and the path /" : nil
    }

    /// Whether the name begins with `__Host-`, in any case. The server must then send a path.
    var hasHostPrefix: Bool { begins(with: "__host-") }

    private func begins(with prefix: String) -> Bool {
        (name.isEmpty ? value : name).lowercasedASCII.utf8.starts(with: prefix.utf8)
    }

    /// Returns whether a jar can hold only one of the two cookies.
    func replaces(_ other: Cookie) -> Bool {
        name == other.name && domain == other.domain && isHostOnly == other.isHostOnly && path == other.path
    }

    /// Returns a copy with another expiry time.
    func expiring(_ end: Date?) -> Cookie {
        var copy = self
        copy.expires = end
        return copy
    }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// `name=value`, as in a `Cookie` field. Only the value if the name is empty.
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
    /// A mirror that shows the same as ``description``, so that `dump` shows no value.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The allowed text of cookies. It has no side effects.
enum CookieText {
    /// The maximum number of bytes of name and value together.
    static let sizeLimit = 4096

    /// Returns whether there are no control characters. A tab is allowed.
    static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    /// Returns whether name and value are not both empty, and not too long.
    static func isValid(_ name: String, _ value: String) -> Bool {
        let size = name.utf8.count + value.utf8.count
        return size > 0 && size <= sizeLimit && isPrintable(name) && isPrintable(value)
    }

    static func isTrimmed(_ text: String) -> Bool {
        ![text.utf8.first, text.utf8.last].contains { $0?.isBlank ?? false }
    }
}

extension String {
    /// The text with ASCII letters in lower case. Other letters are not changed.
    var lowercasedASCII: String { String(decoding: utf8.map(\.lowercasedASCII), as: UTF8.self) }
}
