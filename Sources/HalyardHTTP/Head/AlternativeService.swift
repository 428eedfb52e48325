/// Another protocol, host or port at which an origin can be reached, such as HTTP/3 (RFC 7838).
public struct AlternativeService: Sendable, Equatable {
    /// The protocol's name in the TLS handshake (ALPN): `h3` for HTTP/3.
    public let protocolID: String
    /// The host, in lowercase; `nil` for the origin's own.
    public let host: String?
    /// The port.
    public let port: Int
    /// How long the service can be used, counted from the response. Defaults to 24 hours. The `Age` of a response from a
    /// cache is subtracted.
    public let lifetime: Duration
    /// Whether the service can still be used after a change of the network.
    public let persists: Bool
}

extension HTTPHeaders {
    /// The services that `Alt-Svc` lists, the server's favorite first. Empty if the server revokes earlier ones with
    /// `clear`; `nil` if there is no such header, or if it is not valid.
    public var alternativeServices: [AlternativeService]? {
        guard contains("Alt-Svc") else { return nil }
        let field = values(for: "Alt-Svc").joined(separator: ",")
        let age = self["Age"].flatMap { Int64(clampingDigits: $0) } ?? 0
        var rest = field.utf8[...]
        if Substring(field.utf8.trimmingBlanks) == "clear" { return [] }
        var services: [AlternativeService] = []
        while true {
            rest = rest.drop { $0 == UInt8(ascii: ",") || $0.isBlank }
            if rest.isEmpty { return services.isEmpty ? nil : services }
            guard let service = AlternativeService(&rest, age) else { return nil }
            services.append(service)
            rest = rest.drop(while: \.isBlank)
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
        }
    }
}

extension [AlternativeService] {
    /// How long these services offer HTTP/3 for an origin's own host and port; `nil` if they do not.
    package func http3Lifetime(of origin: Origin) -> Duration? {
        let service = first {
            $0.protocolID == "h3" && $0.port == origin.port && $0.host ?? origin.host == origin.host
        }
        return service.map { Swift.min($0.lifetime, .seconds(1 << 31)) }
    }
}

extension AlternativeService {
    /// Removes a service from the start of a list (section 3). `nil` for another text. Unknown parameters are ignored,
    /// and so is a known one with another value than the standard allows.
    fileprivate init?(_ rest: inout Substring.UTF8View, _ age: Int64) {
        guard let id = rest.popToken(), rest.popFirst() == UInt8(ascii: "="),
            let authority = rest.popQuotedString(mayLackEnd: false), let colon = authority.lastIndex(of: ":"),
            let port = Int64(digits: authority[authority.index(after: colon)...]), (1...65535).contains(port)
        else { return nil }
        var (seconds, persists) = (Int64(86400), false)
        while let name = rest.popParameterName() {
            guard let value = rest.popQuotedString(mayLackEnd: false) ?? rest.popToken() else { return nil }
            switch name.lowercased() {
            case "ma": seconds = Int64(clampingDigits: value) ?? seconds
            case "persist": persists = value == "1"
            default: break
            }
        }
        let host = authority[..<colon].lowercased()
        self.init(
            protocolID: String(decoding: id.utf8.percentDecoded(), as: UTF8.self), host: host.isEmpty ? nil : host,
            port: Int(port), lifetime: .seconds(Swift.max(0, seconds - age)), persists: persists)
    }
}

extension Substring.UTF8View {
    /// Removes `;`, the name of a parameter and `=`. `nil`, and nothing is removed, where no parameter follows.
    fileprivate mutating func popParameterName() -> String? {
        var rest = drop(while: \.isBlank)
        guard rest.popFirst() == UInt8(ascii: ";") else { return nil }
        rest = rest.drop(while: \.isBlank)
        guard let name = rest.popToken(), rest.popFirst() == UInt8(ascii: "=") else { return nil }
        self = rest
        return name
    }
}
