public import HalyardFoundation
import HalyardSystem

/// An origin: scheme, host and port (RFC 6454). Credentials are only ever sent to their own origin.
///
/// An interceptor that adds credentials must compare the request's whole origin. Comparing the host is not enough:
/// another port may belong to another server, and http is not encrypted.
public struct Origin: Hashable, Sendable {
    /// `http` or `https`.
    public let scheme: String
    /// The host in lowercase. An IPv6 address is in brackets.
    public let host: String
    /// The port. Defaults to the scheme's: 80 or 443.
    public let port: Int
}

extension Origin: CustomStringConvertible {
    /// The origin as the start of a URL. A default port is omitted.
    public var description: String {
        let implied = scheme == "https" ? 443 : 80
        return port == implied ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}

extension Origin {
    /// Whether the host is this machine (RFC 6761 section 6.3, RFC 1122, RFC 4291).
    package var isLoopback: Bool {
        switch host.utf8.first {
        // A host of digits and dots is an address. This is asked for each request, and needs no memory.
        case UInt8(ascii: "1"): host.hasPrefix("127.") && host.consists(of: .addressCharacters)
        case UInt8(ascii: "["): host == "[::1]"
        default: host == "localhost" || host.hasSuffix(".localhost")
        }
    }

    /// Creates the origin of an absolute URL, for example to compare it with that of a request.
    ///
    /// ```swift
    /// let home = try Origin(api.baseURL)
    /// if request.origin == home { request.headers["X-Signature"] = signature }
    /// ```
    ///
    /// - Parameter url: An absolute http or https URL.
    /// - Throws: ``HTTPError`` of kind `invalidURL` if `url` is not an absolute http or https URL, contains
    ///   credentials, or is ambiguous.
    public init(_ url: URL) throws(HTTPError) { try self.init(ofURL: url.absoluteString) }

    /// Reads the origin of an absolute URL by the grammar of RFC 3986, more strictly than URL parsers do.
    ///
    /// Parsers disagree about URLs such as `http://a.com\@evil.com/`, and a check with one parser does not hold for a
    /// connection by another. Every URL that could be read in two ways is refused. Throws ``HTTPError`` of kind
    /// `invalidURL`.
    package init(ofURL url: String) throws(HTTPError) {
        if let origin = Self.plain(url) {
            self = origin
            return
        }
        func refuse(_ reason: String, _ suggestion: String? = nil) -> HTTPError {
            HTTPError(.invalidURL(url), reason: reason, suggestion: suggestion)
        }

        guard url.consists(of: .urlCharacters) else {
            if url.isEmpty { throw refuse("it is empty") }
            let character = url.unicodeScalars.first { !String($0).consists(of: .urlCharacters) }
            throw refuse(
                "it has a character that must be percent-encoded",
                character.map { "Encode the \($0.debugDescription), or leave it out" })
        }
        guard let separator = url.firstRange(ofASCII: "://") else {
            throw refuse("it is not absolute", Self.schemeMissing)
        }
        let scheme = url[..<separator.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { throw refuse("its scheme is not http or https") }

        let authority = Substring(url.utf8[separator.upperBound...].prefix { !"/?#".utf8.contains($0) })
        guard !authority.contains("@") else {
            throw refuse(
                "it has a user name or password", "Remove them, and use authentication")
        }
        let (host, port) = Self.split(authority)
        guard Self.isHost(host) else { throw refuse(host.isEmpty ? "it has no host" : "its host is not valid") }
        guard let port = Self.port(port, scheme: scheme) else { throw refuse("its port is not within 1...65535") }
        self.init(scheme: scheme, host: host.lowercased(), port: port)
    }

    private static let schemeMissing = "Start it with https:// or http://, as in https://api.example.com/v1"

    /// Reads the origin of a common URL in one pass over the bytes: scheme in lower case, a host of lower-case letters,
    /// digits, `-` and `.` or an IPv4 address, perhaps a port. It takes a twentieth of the time of the full grammar, which
    /// reads any other URL. `nil` for such a one.
    private static func plain(_ url: String) -> Origin? {
        var url = url
        return url.withUTF8 { url in
            let isSecure = url.starts(withASCII: "https://")
            guard isSecure || url.starts(withASCII: "http://") else { return nil }
            let bytes = UnsafeBufferPointer(rebasing: url[(isSecure ? 8 : 7)...])
            let name = UnsafeBufferPointer(rebasing: bytes.prefix { ASCIISet.plainHost.contains($0) })
            let host = String(decoding: name, as: UTF8.self)
            guard isName(name) || ipAddress(host) != nil else { return nil }
            var rest = bytes[name.count...]
            var port = isSecure ? 443 : 80
            if rest.first == UInt8(ascii: ":") {
                let digits = rest.dropFirst().prefix { ASCIISet.digits.contains($0) }
                guard (1...5).contains(digits.count) else { return nil }
                port = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
                rest = rest[digits.endIndex...]
            }
            let endsAuthority = rest.first.map { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? true
            guard endsAuthority, (1...65535).contains(port), rest.allSatisfy(ASCIISet.urlCharacters.contains) else {
                return nil
            }
            return Origin(scheme: isSecure ? "https" : "http", host: host, port: port)
        }
    }

    /// Whether the last label starts with a letter, so that the host cannot be read as a number.
    private static func isName(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        let label = host.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? 0
        return label < host.count && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(host[label])
    }

    private static func split(_ authority: Substring) -> (host: Substring, port: Substring?) {
        let searched = authority.hasPrefix("[") ? authority.drop { $0 != "]" } : authority
        guard let colon = searched.firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    private static func isHost(_ host: Substring) -> Bool {
        guard host.hasPrefix("[") else {
            return host.consists(of: .hostCharacters) && (!endsInNumber(host) || ipAddress(String(host)) != nil)
        }
        return host.hasSuffix("]") && ipAddress(String(host.dropFirst().dropLast()))?.count == 16
    }

    /// Whether resolvers read the host as an IPv4 address: `127.1`, `0x7f.0.0.1` and `2130706433` all mean this
    /// machine. Four decimal numbers are the only spelling that all parsers agree on.
    private static func endsInNumber(_ host: Substring) -> Bool {
        guard let last = (host.hasSuffix(".") ? host.dropLast() : host).split(separator: ".").last else { return false }
        return last.consists(of: .digits)
            || last.lowercased().hasPrefix("0x") && last.dropFirst(2).utf8.allSatisfy(ASCIISet.hexDigits.contains)
    }

    private static func port(_ text: Substring?, scheme: String) -> Int? {
        guard let text, !text.isEmpty else { return scheme == "https" ? 443 : 80 }
        guard text.consists(of: .digits), let port = Int(text), (1...65535).contains(port) else { return nil }
        return port
    }
}

/// Returns the bytes of an IP address (RFC 4291 section 2.2). An IPv6 address has no brackets. `nil` for another text.
package func ipAddress(_ host: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: host.utf8.contains(UInt8(ascii: ":")) ? 16 : 4)
    return inet_pton(bytes.count == 16 ? AF_INET6 : AF_INET, host, &bytes) == 1 ? bytes : nil
}

extension ASCIISet {
    /// The characters of an IPv4 address.
    fileprivate static let addressCharacters = digits.union(ASCIISet("."))
    fileprivate static let plainHost = ASCIISet("abcdefghijklmnopqrstuvwxyz0123456789-.")
    /// All characters that RFC 3986 allows in a URL.
    package static let urlCharacters = unreserved.union(ASCIISet(":/?#[]@!$&'()*+,;=%"))
    /// Registered names and IPv4 addresses. Hosts in other scripts are written in Punycode (`xn--`).
    fileprivate static let hostCharacters = alphanumerics.union(ASCIISet("-._"))
}
