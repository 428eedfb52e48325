import HalyardHTTP

/// When servers close their idle connections, as far as they say it: `Keep-Alive: timeout=5`.
///
/// A request that is sent at that moment is lost, and the server may or may not have it. So the engine shuts such a
/// connection down itself, a second earlier, before it starts another request. libcurl does not read the field.
struct KeepAliveEnds {
    /// The times by socket.
    private var ends: [CInt: MonotonicInstant] = [:]
    private var earliest = EarliestDeadline()

    /// Records the end of a response over HTTP/1.1. `socket` is called only if the server states a time. Of a time of
    /// less than two seconds, half is left for the way to the server.
    mutating func learn(_ headers: HTTPHeaders, _ now: MonotonicInstant, of socket: () -> CInt) {
        guard headers.contains("Keep-Alive"), let seconds = Self.timeout(headers) else { return }
        let end = now.advanced(by: max(.seconds(seconds) / 2, .seconds(seconds - 1)))
        ends[socket()] = end
        earliest.include(end)
    }

    /// The seconds that a server waits for the next request. `nil` if it does not say so in a number.
    private static func timeout(_ headers: HTTPHeaders) -> Int? {
        let values = headers.list("Keep-Alive").compactMap { parameter -> Int? in
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "timeout" else { return nil }
            return Int(parts[1]).map { min($0, 1 << 20) }
        }
        return values.first.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Records that libcurl has closed a socket.
    mutating func remove(_ socket: CInt) {
        if !ends.isEmpty { ends[socket] = nil }
    }

    /// Returns the sockets whose time is over. Some may be in use again.
    mutating func takeDue(_ now: MonotonicInstant) -> [CInt] {
        guard earliest.isDue(now) else { return [] }
        let due = ends.filter { $0.value <= now }.map(\.key)
        for socket in due { ends[socket] = nil }
        earliest = EarliestDeadline()
        for end in ends.values { earliest.include(end) }
        return due
    }
}
