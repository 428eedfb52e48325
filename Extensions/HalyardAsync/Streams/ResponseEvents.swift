import HalyardFoundation
import HalyardHTTP
public import HalyardCodable

extension Request {
    /// The response's server-sent events as they arrive, with backpressure. The request is sent when the loop begins,
    /// with `Accept: text/event-stream`.
    ///
    /// ```swift
    /// for try await event in api.request(.feed).events.reconnecting() { print(event.name, event.data) }
    /// ```
    ///
    /// The loop ends with the response, or with a 204. Leaving it ends the transfer. A response of another content type
    /// is an ``HTTPError`` of kind `invalidResponse`, with the response. An event of more than 16 MiB is one of kind
    /// `bodyTooLarge`.
    ///
    /// A stream that is silent for longer than the idle time limit fails with `timedOut`. Many servers send comments to
    /// prevent that. See `idleTimeout(_:)` of a route.
    public var events: ResponseEvents { ResponseEvents(request: self) }
}

/// The server-sent events of a response (WHATWG HTML, section 9.2). See ``Request/events``.
public struct ResponseEvents: ResponseStream {
    let request: Request
    private(set) var policy: ReconnectPolicy?
    private(set) var limit = 16 << 20
    private(set) var savedID: String?

    init(request: Request) { self.request = request }

    /// Returns a sequence that connects again after the stream has ended or failed.
    ///
    /// The request is sent again with `Last-Event-ID`, after the server's `retry` or the policy's delay. Any failure of
    /// a stream that has begun is an interruption. The sequence ends with a 204. It fails with any other response that
    /// is not an event stream, and after too many attempts: with the error of the last attempt, or with ``HTTPError``
    /// of kind `connectionLost` if the server has ended the last stream.
    ///
    /// - Parameter policy: The number of attempts and the delays. Defaults to ``ReconnectPolicy/standard``. For a
    ///   method that is not idempotent, such as POST, it must allow any method; see
    ///   ``ReconnectPolicy/withAnyMethod()``. The loop otherwise fails with ``HTTPError`` of kind `configuration`, and
    ///   nothing is sent.
    /// - Returns: The sequence.
    public func reconnecting(_ policy: ReconnectPolicy = .standard) -> ResponseEvents {
        var events = self
        events.policy = policy
        return events
    }

    /// Returns a sequence that continues after an event, with `Last-Event-ID` in the first request as well.
    ///
    /// - Parameter id: The ID, saved from ``ServerSentEvent/id``. One with a control character, which no header field
    ///   can have, is an ``HTTPError`` of kind `invalidHeader`. `nil` leaves the route's header field as it is.
    /// - Returns: The sequence.
    public func lastEventID(_ id: String?) -> ResponseEvents {
        var events = self
        events.savedID = id
        return events
    }

    /// Returns a sequence with another limit for one event.
    ///
    /// - Parameter bytes: The maximum number of bytes of the data and the name of an event, with the line that is being
    ///   read. A larger event is an ``HTTPError`` of kind `bodyTooLarge`.
    /// - Returns: The sequence.
    public func eventLimit(_ bytes: Int) -> ResponseEvents {
        var events = self
        events.limit = bytes
        return events
    }
}
