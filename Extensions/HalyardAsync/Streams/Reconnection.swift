import HalyardCodable
import HalyardHTTP

/// The place at which a connection of an event stream ended.
struct EventPlace {
    var lastID: String?
    /// The server's `retry`.
    var retry: Duration?
    /// Whether the connection has brought an event.
    var hasEvents = false
}

/// The requests of an event stream that does not begin with the route's own, or that connects again.
struct Reconnection {
    private let original: Request
    /// The request that is being read, if it is not the original.
    private var repeated: RepeatedRequest?
    /// `nil` if the sequence ends with the response.
    private var attempts: ReconnectAttempts?

    /// Returns `nil` if only the original request is sent.
    init?(_ original: Request, _ policy: ReconnectPolicy?, savedID: String?) {
        self.original = original
        attempts = policy.flatMap { $0.attempts > 0 ? ReconnectAttempts($0) : nil }
        repeated = savedID.map { id in original.repeated { $0.headers["Last-Event-ID"] = id } }
        if attempts == nil, repeated == nil { return nil }
    }

    /// The request to send.
    var request: Request { repeated?.request ?? original }

    /// Checks that the request may be sent more than once.
    func check() throws(HTTPError) {
        guard let policy = attempts?.policy, !policy.allowsAnyMethod, !original.method.isIdempotent else { return }
        throw HTTPError(
            .configuration("reconnecting"),
            reason: "\(original.method) is not idempotent, so that it is not sent again",
            suggestion:
                "If the server continues the stream by Last-Event-ID, use .reconnecting(.standard.withAnyMethod())")
    }

    /// Records that a stream begins.
    mutating func begin() { attempts?.begin(original.time) }

    /// Waits for the time of another attempt, and returns its request. `nil` if there is none.
    ///
    /// - Parameters:
    ///   - error: Why the stream has failed. `nil` if the server has ended it.
    ///   - body: The stream. `nil` if it has not begun.
    nonisolated(nonsending) mutating func request(
        after error: (any Error)?, of body: OpenBody?, at place: EventPlace
    ) async throws -> Request? {
        guard attempts != nil, body?.response.status != 204, Self.mayPass(error, hasBegun: body != nil) else {
            return nil
        }
        guard let delay = attempts?.delay(after: place.hasEvents, requested: place.retry, original.time) else {
            guard let body, error == nil else { return nil }
            throw body.annotated(Self.exhausted(attempts?.count ?? 0))
        }
        try await original.sleep(delay)
        repeated = original.repeated {
            // An ID that no header field can have is not sent.
            $0.headers["Last-Event-ID"] = place.lastID.flatMap { HTTPHeaders.isValidValue($0) ? $0 : nil }
        }
        return request
    }

    /// Whether another attempt may do better. An error of a stream that has begun may have any kind: a compressed stream
    /// that a proxy cuts off has invalid bytes, and so has one that HTTP/2 resets.
    private static func mayPass(_ error: (any Error)?, hasBegun: Bool) -> Bool {
        guard let error else { return true }
        guard let error = error as? HTTPError else { return false }
        return hasBegun ? ![.cancelled, .shutDown].contains(error.kind) : error.isTemporary
    }

    private static func exhausted(_ attempts: Int) -> HTTPError {
        HTTPError(
            .connectionLost, reason: "the server has ended \(attempts) streams in sequence without an event",
            suggestion: "Allow more attempts with reconnecting(_:). To end a stream permanently, a server sends a 204")
    }
}
