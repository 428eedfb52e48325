import HalyardHTTP

/// Whether requests to an origin try HTTP/3: while the server offers it (RFC 7838), unless a QUIC connection has failed.
///
/// Only offers for the origin's own host and port count. All are kept after a change of the network, whether or not they
/// persist: if that network lets no QUIC through, one request finds out, and uses TCP.
struct HTTP3Availability {
    /// How long an origin is left on TCP after a QUIC connection has failed.
    private static let pause = Duration.seconds(300)
    /// How long a response over HTTP/3 shows that the network lets QUIC through.
    private static let proof = Duration.seconds(30)

    private var offerEnd: MonotonicInstant?
    private var pauseEnd: MonotonicInstant?
    private var proofEnd: MonotonicInstant?
    /// Whether anything was learned.
    private(set) var isLearned = false

    /// Makes the state of an origin that no response has come from. `isAssumed` says whether it offers HTTP/3 forever.
    init(isAssumed: Bool = false) { offerEnd = isAssumed ? .distantFuture : nil }

    /// Makes the state of an origin whose offer was stored.
    init(offeredFor lifetime: Duration, _ now: MonotonicInstant) { offerEnd = now.advanced(by: lifetime) }

    /// Whether a new connection is to be QUIC.
    func isTried(_ now: MonotonicInstant) -> Bool {
        guard let offerEnd, now < offerEnd else { return false }
        return pauseEnd.map { $0 <= now } ?? true
    }

    /// Replaces the earlier offers of an origin.
    mutating func learn(_ services: [AlternativeService], of origin: Origin, _ now: MonotonicInstant) {
        guard offerEnd != .distantFuture else { return }
        offerEnd = services.http3Lifetime(of: origin).flatMap(now.advanced(by:))
        isLearned = true
    }

    /// Ends the offer, because the server over HTTP/3 is not one of the origin (a 421; RFC 7838 section 6).
    mutating func misdirected(_ now: MonotonicInstant) {
        if offerEnd != .distantFuture { offerEnd = nil }
        broke(now)
    }

    /// Records a response over HTTP/3.
    mutating func succeeded(_ now: MonotonicInstant) {
        (pauseEnd, proofEnd) = (nil, now.advanced(by: Self.proof))
    }

    /// Records that a request got a new connection over TCP: no QUIC connection was made, or TCP was faster, as it may
    /// be if the server is busy.
    mutating func failed(_ now: MonotonicInstant) {
        if let proofEnd, now < proofEnd { return }
        broke(now)
    }

    /// Records that a request over HTTP/3 got no response, although there was a connection.
    mutating func broke(_ now: MonotonicInstant) {
        pauseEnd = now.advanced(by: Self.pause)
        isLearned = true
    }
}
