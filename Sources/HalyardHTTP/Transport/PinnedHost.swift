/// The canonical spelling of hosts with pins, so that every spelling of a host has its pins.
enum PinnedHost {
    typealias Pins = [String: Set<EngineConfiguration.PublicKeyPin>]

    struct Normalised: Sendable, Hashable {
        /// By canonical host.
        var pins: Pins = [:]
        /// What is wrong with the first key that can never match.
        var problem: String?
    }

    static func normalised(_ pins: Pins) -> Normalised {
        var result = Normalised()
        for (key, keys) in pins.sorted(by: { $0.key < $1.key }) {
            let host = host(key)
            if host == nil { result.problem = result.problem ?? "\(key.quoted) is not the name of a host" }
            if keys.isEmpty { result.problem = result.problem ?? "\(key.quoted) has no pins" }
            result.pins[host ?? key, default: []].formUnion(keys)
        }
        return result
    }

    /// Returns the host that a key names; `nil` when it is not exactly a host.
    private static func host(_ key: String) -> String? {
        let isAddress = key.contains(":") && !key.hasPrefix("[")
        let text = isAddress ? "[\(key)]" : key
        guard let origin = try? Origin(ofURL: "https://\(text)"), origin.host == text.lowercased() else { return nil }
        let host = canonical(origin.host)
        return host.isEmpty || host.hasSuffix(".") ? nil : host
    }

    /// Returns the canonical spelling of an ``Origin``'s host: a name without the dot at its end, an IPv6 address with
    /// all groups and without leading zeros.
    static func canonical(_ host: String) -> String {
        guard host.hasPrefix("[") else { return host.hasSuffix(".") ? String(host.dropLast()) : host }
        let halves = host.dropFirst().dropLast().split(separator: "::", omittingEmptySubsequences: false).map(groups)
        guard let first = halves.first else { return host }
        let last = halves.count > 1 ? halves[1] : []
        let zeros = Array(repeating: UInt16(0), count: max(0, 8 - first.count - last.count))
        return "[" + (first + zeros + last).map { String($0, radix: 16) }.joined(separator: ":") + "]"
    }

    /// Returns the groups of a part of an IPv6 address, which may end with an IPv4 address (RFC 4291 section 2.2).
    private static func groups(_ part: Substring) -> [UInt16] {
        part.split(separator: ":").flatMap { group -> [UInt16] in
            guard group.contains(".") else { return [UInt16(group, radix: 16) ?? 0] }
            let bytes = group.split(separator: ".").map { UInt16($0) ?? 0 }
            return bytes.count == 4 ? [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]] : []
        }
    }
}
