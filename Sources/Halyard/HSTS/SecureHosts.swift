import HalyardFoundation
import HalyardHTTP

/// A host that requests are sent to over https only (RFC 6797 section 5.3).
struct SecureHost: ExpiringRecord {
    static let limit = 3000

    let name: String
    var expires: Date
    let includesSubdomains: Bool
}

/// The hosts of a store.
typealias SecureHosts = ExpiringRecords<SecureHost>

extension SecureHosts {
    /// Returns whether requests to a host must use https (section 8.2).
    func contains(_ host: String, _ now: Date) -> Bool {
        guard !isEmpty else { return false }
        let name = Self.name(host)
        return CookieScope.domains(of: name).contains { domain in
            record(named: domain, now).map { $0.includesSubdomains || domain == name } ?? false
        }
    }

    /// Applies the header of a response from a host over https (section 8.1). One from an IP address is ignored.
    mutating func learn(_ field: StrictTransportField, from host: String, _ now: Date) {
        let name = Self.name(host)
        guard !CookieScope.isAddress(name) else { return }
        guard field.maxAge > 0 else { return remove(named: name) }
        let end = now.addingTimeInterval(Double(min(field.maxAge, 1 << 31)))
        insert(SecureHost(name: name, expires: end, includesSubdomains: field.includesSubdomains), now)
    }

    /// A name with a dot at its end is the same host.
    private static func name(_ host: String) -> String { host.hasSuffix(".") ? String(host.dropLast()) : host }
}

/// The value of `Strict-Transport-Security` (RFC 6797 section 6.1).
struct StrictTransportField: Equatable {
    /// How long the host is to be remembered, in seconds. 0 removes it.
    private(set) var maxAge: Int64
    private(set) var includesSubdomains = false

    /// Parses a value. `nil` if it has no `max-age`, or breaks the grammar. Unknown directives are ignored.
    init?(_ field: String) {
        var (rest, names, maxAge) = (field.utf8[...], Set<String>(), Int64?.none)
        repeat {
            rest = rest.drop(while: \.isBlank)
            let name = rest.popToken()?.lowercased()
            rest = rest.drop(while: \.isBlank)
            var value: String?
            if name != nil, rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst().drop(while: \.isBlank)
                guard let text = rest.popQuotedString(mayLackEnd: false) ?? rest.popToken() else { return nil }
                value = text
                rest = rest.drop(while: \.isBlank)
            }
            guard rest.isEmpty || rest.first == UInt8(ascii: ";") else { return nil }
            guard let name else { continue }
            guard names.insert(name).inserted else { return nil }
            switch name {
            case "max-age":
                guard let seconds = value.flatMap({ Int64(clampingDigits: $0) }) else { return nil }
                maxAge = seconds
            case "includesubdomains": includesSubdomains = true
            default: break
            }
        } while rest.popFirst() != nil
        guard let maxAge else { return nil }
        self.maxAge = maxAge
    }
}
