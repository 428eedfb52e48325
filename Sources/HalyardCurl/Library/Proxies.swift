import HalyardHTTP
import HalyardSystem

/// The hosts that bypass a proxy.
///
/// libcurl's own list has no ports and no wildcards, and no networks before 7.86. It ignores what it does not know, and
/// the request then reaches the proxy.
struct ProxyExceptions {
    private enum Host {
        /// A name, together with its subdomains, or an address.
        case name(String)
        /// A name or an address with `*` for any characters, split at them.
        case pattern([Substring])
        /// The first bits of an address.
        case network([UInt8], bits: Int)
    }

    private let entries: [(host: Host, port: Int?)]

    /// Reads entries: `example.com`, `.example.com`, `*.example.com`, `10.0.0.0/8`, each but the last also with a port.
    /// Throws ``HTTPError`` of kind `configuration` for an entry that names no host.
    init(_ texts: [some StringProtocol]) throws(HTTPError) {
        var entries: [(Host, Int?)] = []
        for text in texts {
            guard let entry = Self.entry(Substring(String(text).utf8.trimmingBlanks).lowercased()) else {
                throw HTTPError(
                    .configuration("proxy"), reason: "the exception \(String(text).quoted) names no host",
                    suggestion: "Write it as example.com, *.example.com, example.com:8080 or 10.0.0.0/8")
            }
            entries.append(entry)
        }
        self.entries = entries
    }

    /// Returns whether requests for an origin bypass the proxy.
    func contains(_ origin: Origin) -> Bool {
        if entries.isEmpty { return false }
        let host = Self.plain(origin.host[...])
        let address = ipAddress(host)
        return entries.contains { entry in
            guard entry.port == nil || entry.port == origin.port else { return false }
            switch entry.host {
            case .name(let name):
                guard let address else { return host == name || host.hasSuffix("." + name) }
                return address == ipAddress(name)
            case .pattern(let pieces): return Self.matches(host[...], pieces[...])
            case .network(let network, let bits):
                guard let address, address.count == network.count else { return false }
                return address.indices.allSatisfy { index in
                    let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(8, max(0, bits - index * 8)))
                    return (address[index] ^ network[index]) & mask == 0
                }
            }
        }
    }

    private static func entry(_ text: String) -> (Host, Int?)? {
        if let slash = text.firstIndex(of: "/") {
            var host = String(text[..<slash])
            // `169.254/16` is a common short form.
            while !host.contains(":"), host.count(where: { $0 == "." }) < 3 { host += ".0" }
            guard let address = ipAddress(plain(host[...])), let bits = Int(text[text.index(after: slash)...]),
                (0...address.count * 8).contains(bits)
            else { return nil }
            return (.network(address, bits: bits), nil)
        }
        var (host, port) = (text[...], Int?.none)
        if let colon = text.lastIndex(of: ":"), text.hasPrefix("[") ? !text.hasSuffix("]") : ipAddress(text) == nil {
            guard let number = Int(text[text.index(after: colon)...]), (1...65535).contains(number) else { return nil }
            (host, port) = (text[..<colon], number)
        }
        let name = plain(host.hasPrefix(".") ? host.dropFirst() : host)
        if ipAddress(name) != nil { return (.name(name), port) }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false).map(label)
        guard !name.isEmpty, !labels.contains(nil) else { return nil }
        let pattern = labels.compactMap(\.self).joined(separator: ".")
        guard pattern.contains("*") else { return (.name(pattern), port) }
        return (.pattern(pattern.split(separator: "*", omittingEmptySubsequences: false)), port)
    }

    /// Returns a part of a name in ASCII, as in the host of an origin. `nil` for a text that no host has.
    private static func label(_ text: Substring) -> String? {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return DomainName.ascii(String(text)) }
        return text.unicodeScalars.allSatisfy(\.isPartOfPattern) ? String(text) : nil
    }

    /// Removes the brackets of an IPv6 address, and the dot at the end of an absolute name.
    private static func plain(_ host: Substring) -> String {
        if host.hasPrefix("["), host.hasSuffix("]") { return String(host.dropFirst().dropLast()) }
        return String(host.count > 1 && host.hasSuffix(".") ? host.dropLast() : host)
    }

    private static func matches(_ host: Substring, _ pieces: ArraySlice<Substring>) -> Bool {
        guard let first = pieces.first, host.hasPrefix(first) else { return false }
        let (rest, pieces) = (host.dropFirst(first.count), pieces.dropFirst())
        guard !pieces.isEmpty else { return rest.isEmpty }
        return rest.indices.contains { matches(rest[$0...], pieces) } || matches(rest[rest.endIndex...], pieces)
    }
}

extension Unicode.Scalar {
    fileprivate var isPartOfPattern: Bool {
        properties.isAlphabetic || ("0"..."9").contains(self) || "-_.*".unicodeScalars.contains(self)
    }
}

/// The proxy that the environment names, by curl's rules. libcurl reads the environment for each transfer.
struct SystemProxy {
    /// Looks up an environment variable.
    private let variable: (String) -> String?

    /// Makes a description of the environment. `variable` looks up a variable. Defaults to the environment of the
    /// process.
    init(_ variable: @escaping (String) -> String? = { name in getenv(name).map { String(cString: $0) } }) {
        self.variable = variable
    }

    /// Returns the address of the proxy for `http` or `https` URLs. `nil` if there is none.
    func address(forScheme scheme: String) -> String? {
        // HTTP_PROXY in upper case is not read: in a CGI script a client sets it (httpoxy).
        scheme == "http"
            ? first(of: "http_proxy", "all_proxy", "ALL_PROXY")
            : first(of: "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    }

    /// The hosts that bypass the proxy, as `no_proxy` lists them. Throws ``HTTPError`` of kind `configuration` for an
    /// entry that names no host.
    var exceptions: ProxyExceptions {
        get throws(HTTPError) {
            try ProxyExceptions((first(of: "no_proxy", "NO_PROXY") ?? "").split { ", \t".contains($0) })
        }
    }

    /// Checks that the exceptions can be kept, if there is a proxy.
    func check() throws(HTTPError) {
        if address(forScheme: "http") != nil || address(forScheme: "https") != nil { _ = try exceptions }
    }

    /// Returns whether requests for an origin may be sent through the proxy. The exceptions are not considered.
    func mayServe(_ origin: Origin) -> Bool { !origin.isLoopback && address(forScheme: origin.scheme) != nil }

    /// Returns whether requests for an origin are not sent through the proxy.
    func bypasses(_ origin: Origin) -> Bool {
        guard mayServe(origin) else { return origin.isLoopback }
        // The environment may have changed since it was checked. The proxy then gets the request, as libcurl decides.
        do throws(HTTPError) { return try exceptions.contains(origin) } catch { return false }
    }

    private func first(of names: String...) -> String? { names.lazy.compactMap(variable).first { !$0.isEmpty } }
}

extension EngineConfiguration.Proxy {
    /// Returns whether requests for an origin are sent to a proxy as plain HTTP requests, without a CONNECT tunnel. Its
    /// connections carry requests for all such origins, and libcurl counts them as the connections of one host. `false`
    /// for a proxy with invalid exceptions, which no engine uses.
    func forwards(_ origin: Origin, system: SystemProxy = SystemProxy()) -> Bool {
        guard self != .direct, origin.scheme == "http" else { return false }
        let exceptions: ProxyExceptions?
        if let server {
            exceptions = server.scheme == .socks5 ? nil : try? ProxyExceptions(server.exceptions)
        } else {
            guard system.mayServe(origin), system.address(forScheme: "http")?.lowercased().hasPrefix("socks") == false
            else { return false }
            exceptions = try? system.exceptions
        }
        return exceptions.map { !$0.contains(origin) } ?? false
    }
}
