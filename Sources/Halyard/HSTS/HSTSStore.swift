public import HalyardFoundation
public import HalyardHTTP

/// The hosts that have asked to be reached over https only (HSTS, RFC 6797), in memory, and optionally in a file.
///
/// ```swift
/// let hosts = try HSTSStore(file: folder.appending(path: "hsts.json"))
/// let client = HTTPClient(configuration: .init(policies: [.hsts(hosts)]))
/// ```
///
/// Clients with the same store share its hosts, at most 3000. IP addresses are never stored.
public final class HSTSStore: Sendable {
    private let hosts: Lock<SecureHosts>
    /// Writes the file. `nil` for a store in memory.
    private let writer: StoreWriter<SecureHosts>?

    /// Creates a store in memory.
    public init() { (hosts, writer) = (Lock(SecureHosts()), nil) }

    /// Creates a store with a file. By the time a response is returned, its host is in the file. The file is replaced as
    /// a whole, and only its user can read it (mode 0600). Two processes must not share it: each would remove what the
    /// other has learned.
    ///
    /// - Throws: ``HTTPError`` of kind `unreadableFile` if the file is damaged or of another kind. The file is then not
    ///   changed.
    public init(file: URL) throws(HTTPError) {
        let file = RecordFile(url: file, format: "halyard-hsts", content: "hosts")
        let hosts = Lock(SecureHosts(try file.read(SecureHost.init)))
        self.hosts = hosts
        writer = StoreWriter(hosts) { (all) throws(HTTPError) in try file.write(all.map(\.record)) }
    }

    /// The error of the last write to the file; `nil` if the file contains all hosts. A failed write does not fail a
    /// request.
    public var writeError: HTTPError? { writer?.error }

    /// Removes all hosts.
    public func removeAll() {
        hosts.withLock { $0.removeAll() }
        writer?.flush()
    }

    /// Returns the origin to use in place of one: https if its host has asked for that.
    func secured(_ origin: Origin, _ now: Date) -> Origin {
        guard origin.scheme == "http", hosts.withLock({ $0.contains(origin.host, now) }) else { return origin }
        let port = origin.port == 80 ? "" : ":\(origin.port)"
        return (try? Origin(ofURL: "https://\(origin.host)\(port)")) ?? origin
    }

    /// Returns the request with the origin to use. Throws ``HTTPError`` of kind `invalidURL`.
    func secured(_ request: HTTPRequest, _ now: Date) throws(HTTPError) -> HTTPRequest {
        let origin = secured(request.origin, now)
        guard origin != request.origin else { return request }
        let (text, path) = (request.address.text, request.basePath)
        let rest = text.firstRange(ofASCII: "://").map { text[$0.upperBound...].drop { !"/?#".contains($0) } } ?? ""
        var request = request
        try request.setURL(ofText: "\(origin)\(rest)")
        request.basePath = path
        return request
    }

    /// Learns from a response. Its host is in the file afterwards.
    func learn(from response: HTTPResponse, _ now: Date) async {
        // Of several headers only the first counts (section 8.1).
        guard let value = response.headers.values(for: "Strict-Transport-Security").first,
            let field = StrictTransportField(value), let origin = try? Origin(ofURL: response.address.text),
            origin.scheme == "https"
        else { return }
        hosts.withLock { $0.learn(field, from: origin.host, now) }
        if let writer, writer.isBehind { await writer.written() }
    }
}

extension SecureHost {
    /// The host in the file. The time is in seconds since 1970.
    fileprivate var record: JSON {
        [
            "name": JSON(name), "expires": JSON(expires.timeIntervalSince1970),
            "includesSubdomains": JSON(includesSubdomains),
        ]
    }

    fileprivate init?(_ record: JSON) {
        guard let name = record["name"].string, !name.isEmpty, !CookieScope.isAddress(name),
            let expires = record["expires"].double, let includesSubdomains = record["includesSubdomains"].bool
        else { return nil }
        self.init(
            name: name, expires: Date(timeIntervalSince1970: expires), includesSubdomains: includesSubdomains)
    }
}
