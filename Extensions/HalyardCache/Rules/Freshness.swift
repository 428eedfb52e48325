import HalyardHTTP

/// How long a response may be used without asking the server (RFC 9111 section 4.2), for a private cache. Times are
/// seconds; moments are seconds since 1970.
struct Freshness: Sendable, Equatable {
    /// The lifetime that the response states, or that is estimated. `nil` for none.
    let lifetime: Double?
    /// The age when the response was received.
    let initialAge: Double
    /// The moment when the response was received.
    let received: Double
    /// Whether each use needs the server's confirmation (`no-cache`).
    let needsValidation: Bool
    /// Whether a stale response must not be used in any case (`must-revalidate`).
    let mustRevalidate: Bool
    /// How long a stale response may be used while it is validated in the background (RFC 5861).
    let staleWhileRevalidate: Double
    /// How long a stale response may be used when the server fails (RFC 5861).
    let staleIfError: Double

    /// Reads the fields of a response.
    ///
    /// - Parameters:
    ///   - requested: The moment when the request was sent.
    ///   - received: The moment when the response was received.
    init(
        _ status: Int, _ headers: HTTPHeaders, requested: Double, received: Double, estimates: Bool
    ) {
        let control = CacheControl(headers)
        let date = headers.values(for: "Date").first.flatMap(HTTPDate.strictSeconds).map(Double.init)
        lifetime = Self.lifetime(status, headers, control, date: date ?? received, estimates)
        let apparentAge = max(0, received - (date ?? received))
        initialAge = max(apparentAge, Self.age(headers) + max(0, received - requested))
        self.received = received
        needsValidation =
            control.contains("no-cache")
            || !headers.contains("Cache-Control") && headers["Pragma"]?.lowercased().contains("no-cache") == true
        mustRevalidate = control.contains("must-revalidate")
        staleWhileRevalidate = Double(control.seconds("stale-while-revalidate") ?? 0)
        staleIfError = Double(control.seconds("stale-if-error") ?? 0)
    }

    /// The age at a moment (RFC 9111 section 4.2.3).
    func age(at now: Double) -> Double { initialAge + max(0, now - received) }

    /// The age of the response as its sender states it. Of a list, the first member counts; a value that is no number
    /// counts as 0.
    private static func age(_ headers: HTTPHeaders) -> Double {
        guard let first = headers.values(for: "Age").first else { return 0 }
        let member = first.prefix { $0 != "," }.filter { $0 != " " && $0 != "\t" }
        return Double(CacheControl.seconds(member) ?? 0)
    }

    private static func lifetime(
        _ status: Int, _ headers: HTTPHeaders, _ control: CacheControl, date: Double, _ estimates: Bool
    ) -> Double? {
        if let seconds = control.seconds("max-age") { return Double(seconds) }
        if headers.contains("Expires") {
            let values = headers.values(for: "Expires")
            guard values.count == 1, let expires = HTTPDate.strictSeconds(values[0]).map(Double.init) else {
                return 0
            }
            return max(0, expires - date)
        }
        guard estimates, isHeuristicallyCacheable(status) || control.contains("public"),
            let modified = headers["Last-Modified"].flatMap(HTTPDate.strictSeconds).map(Double.init)
        else { return nil }
        // As browsers do (section 4.2.2).
        return min(max(0, date - modified) / 10, 86_400)
    }

    /// Whether the lifetime of a response with a status may be estimated (RFC 9110 section 15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }
}
