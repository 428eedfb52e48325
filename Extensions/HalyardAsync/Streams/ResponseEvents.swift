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
    public var events: ResponseEvents<ServerSentEvent> { ResponseEvents(self) }

    /// The values in the response's server-sent events as they arrive, decoded from JSON with the mapper of the provider
    /// or the route. See ``events``.
    ///
    /// ```swift
    /// for try await delta in api.request(.chat(prompt)).events(of: Delta.self, until: "[DONE]") { show(delta.text) }
    /// ```
    ///
    /// `String` is the data itself. Data that does not fit is an ``HTTPError`` of kind `decoding`, which contains the
    /// number and the name of the event, and the place in its data, which is the body of the error's response.
    ///
    /// - Parameter terminator: The data of the event that ends the sequence, such as `[DONE]`. The transfer ends with it.
    ///   If the stream ends without it, the answer was cut off, and the loop ends with an ``HTTPError`` of kind
    ///   `connectionLost`, unless the server has answered 204; see ``ResponseEvents/allowingMissingTerminator()``.
    public func events<T: Decodable & Sendable>(
        of type: T.Type = T.self, until terminator: String? = nil
    ) -> ResponseEvents<T> {
        events(until: terminator) { try $0.decode(type) }
    }

    /// The values that a closure makes of the server-sent events, which may be of several types.
    ///
    /// ```swift
    /// let updates = api.request(.feed).events { event in
    ///     switch event.name {
    ///     case "price": Update.price(try event.decode())
    ///     case "news": Update.news(try event.decode())
    ///     default: nil
    ///     }
    /// }
    /// for try await update in updates { show(update) }
    /// ```
    ///
    /// The closure runs on any thread, for one event after another. Its error ends the sequence. An ``HTTPError`` gets
    /// the number and the name of the event, the request and the response.
    public func events<T: Sendable>(
        until terminator: String? = nil, _ decode: @escaping @Sendable (EncodedEvent) throws -> T?
    ) -> ResponseEvents<T> {
        ResponseEvents(self, EventOptions(terminator: terminator), decode: decode)
    }
}

/// The server-sent events of a response (WHATWG HTML, section 9.2), or the values in them. See ``Request/events``.
///
/// ```swift
/// for try await user in api.request(.feed).events(of: User.self).named("joined").reconnecting() { show(user) }
/// ```
///
/// The modifiers return a sequence of the same type, and are combined in any order.
public struct ResponseEvents<Element: Sendable>: ResponseStream {
    typealias Decode = @Sendable (EncodedEvent) throws -> Element?

    private let request: Request
    private var options: EventOptions
    /// `nil` if the elements are the events themselves.
    private let decode: Decode?
    /// Made where the type of the elements is known, so that reading is compiled for it.
    private let iterator: @Sendable (EventOptions) -> ResponseSequence<Element>.Iterator

    init(_ request: Request, _ options: EventOptions = EventOptions(), decode: Decode? = nil) {
        (self.request, self.options, self.decode) = (request, options, decode)
        iterator = { options in
            let reconnection = Reconnection(request, options)
            let id = options.savedID ?? request.headers["Last-Event-ID"]
            let parser = EventValueParser(
                parser: EventParser(limit: options.limit, lastID: id), options: options, decode: decode)
            return .init(BodySource(reconnection?.request ?? request, parser, reconnection: reconnection))
        }
    }

    /// Begins a loop.
    public func makeAsyncIterator() -> ResponseSequence<Element>.Iterator { iterator(options) }

    /// Returns a sequence that connects again after the stream has ended or failed.
    ///
    /// The request is sent again with `Last-Event-ID`, after the server's `retry` or the policy's delay. Any failure of
    /// a stream that has begun is an interruption. The sequence ends with a 204, or with the event that ends its values.
    /// It fails with any other response that is not an event stream, and after too many attempts: with the error of the
    /// last attempt, or with ``HTTPError`` of kind `connectionLost` if the server has ended the last stream.
    ///
    /// A request whose method is not idempotent, such as POST, is an ``HTTPError`` of kind `configuration`, unless the
    /// policy allows it with ``ReconnectPolicy/withAnyMethod()``.
    public func reconnecting(_ policy: ReconnectPolicy = .standard) -> Self { with { $0.policy = policy } }

    /// Returns a sequence that continues after an event, whose ``ServerSentEvent/id`` is `Last-Event-ID` in the first
    /// request as well. `nil` leaves the route's header field as it is. An ID with a control character is an
    /// ``HTTPError`` of kind `invalidHeader`.
    public func lastEventID(_ id: String?) -> Self { with { $0.savedID = id } }

    /// Returns a sequence with another limit for one event: the bytes of its data and name, with the line that is being
    /// read. A larger event is an ``HTTPError`` of kind `bodyTooLarge`. The default is 16 MiB.
    public func eventLimit(_ bytes: Int) -> Self { with { $0.limit = bytes } }

    /// Returns a sequence of the events with these names: their field `event`, or `message` without one. The data of
    /// other events, such as `ping`, is not decoded. The terminator may have any name.
    public func named(_ names: String...) -> Self { with { $0.names = Set(names) } }

    /// Returns a sequence that may also end without the event with the terminator, for a server that does not always send
    /// it. An answer that a proxy cuts off between two events then looks complete.
    public func allowingMissingTerminator() -> Self { with { $0.needsTerminator = false } }

    /// Returns a sequence for a server that answers either with events or with one JSON text, as it chooses: a chat model,
    /// or MCP. The JSON is one event named `message`. An empty body gives none.
    ///
    /// ```swift
    /// for try await reply in api.request(.call(method)).events(of: Reply.self).acceptingJSON() { handle(reply) }
    /// ```
    ///
    /// The request has `Accept: application/json, text/event-stream`. A response in JSON ends the sequence, also one that
    /// reconnects, and needs no terminator.
    public func acceptingJSON() -> Self { with { $0.acceptsJSON = true } }

    /// The values together with their events, whose IDs and names the values do not contain.
    public var withEvents: ResponseEvents<(value: Element, event: ServerSentEvent)> {
        .init(
            request, options,
            decode: { [decode] encoded in
                let event = encoded.event
                let value = if let decode { try decode(encoded) } else { event as? Element }
                return value.map { ($0, event) }
            })
    }

    private func with(_ change: (inout EventOptions) -> Void) -> Self {
        var events = self
        change(&events.options)
        return events
    }
}
