import HalyardFoundation
import HalyardHTTP
public import HalyardCodable

extension Request {
    /// The values in the response's server-sent events as they arrive, with backpressure. See ``events`` and
    /// ``ResponseEvents/values(of:until:)``.
    ///
    /// ```swift
    /// for try await delta in api.request(.chat(prompt)).events(of: Delta.self, until: "[DONE]") { show(delta.text) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the values. Defaults to the type of the context.
    ///   - terminator: The data of the event that ends the sequence. Defaults to none.
    /// - Returns: The values. A stream that ends without the terminator is an ``HTTPError`` of kind `connectionLost`; see
    ///   ``ResponseEventValues/allowingMissingTerminator()``.
    public func events<T: Decodable & Sendable>(
        of type: T.Type = T.self, until terminator: String? = nil
    ) -> ResponseEventValues<T> {
        events.values(of: type, until: terminator)
    }

    /// The values of server-sent events of several types as they arrive. See ``ResponseEvents/values(until:_:)``.
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
    /// - Parameters:
    ///   - terminator: The data of the event that ends the sequence. Defaults to none.
    ///   - decode: Returns the value of an event, or `nil` for an event without one.
    /// - Returns: The values.
    public func events<T: Sendable>(
        until terminator: String? = nil, _ decode: @escaping @Sendable (EncodedEvent) throws -> T?
    ) -> ResponseEventValues<T> {
        events.values(until: terminator, decode)
    }
}

extension ResponseEvents {
    /// Returns the values in the data of the events, decoded from JSON with the mapper of the provider or the route.
    ///
    /// `String` is the data itself.
    ///
    /// - Parameters:
    ///   - type: The type of the values. Defaults to the type of the context.
    ///   - terminator: The data of the event that ends the sequence, such as `[DONE]`. The transfer ends with it. If the
    ///     stream ends without it, the answer was cut off, and the loop ends with an ``HTTPError`` of kind
    ///     `connectionLost`, unless the server has answered 204. Defaults to none.
    /// - Returns: The values. Data that does not fit is an ``HTTPError`` of kind `decoding`, which contains the number
    ///   and the name of the event, and the place in its data. The response in the error has the data as its body.
    public func values<T: Decodable & Sendable>(
        of type: T.Type = T.self, until terminator: String? = nil
    ) -> ResponseEventValues<T> {
        values(until: terminator) { try $0.decode(type) }
    }

    /// Returns the values that a closure makes of the events.
    ///
    /// The closure runs on any thread, for one event after another.
    ///
    /// - Parameters:
    ///   - terminator: The data of the event that ends the sequence. The transfer ends with it. Defaults to none.
    ///   - decode: Returns the value of an event, or `nil` for an event without one.
    /// - Returns: The values. An error of the closure ends the sequence. An ``HTTPError`` gets the number and
    ///   the name of the event, the request and the response.
    public func values<T: Sendable>(
        until terminator: String? = nil, _ decode: @escaping @Sendable (EncodedEvent) throws -> T?
    ) -> ResponseEventValues<T> {
        ResponseEventValues(events: self, terminator: terminator, decode: decode)
    }
}

/// The values of server-sent events. See ``ResponseEvents/values(of:until:)``.
public struct ResponseEventValues<Element: Sendable>: ResponseStream {
    typealias Decode = @Sendable (EncodedEvent) throws -> Element?

    private(set) var events: ResponseEvents
    private let terminator: String?
    private let decode: Decode
    /// The names of the events that have values. `nil` for all events.
    private var names: Set<String>?
    private var needsTerminator = true

    init(events: ResponseEvents, terminator: String?, decode: @escaping Decode) {
        self.events = events
        self.terminator = terminator
        self.decode = decode
    }

    /// Returns a sequence that connects again after the stream has ended or failed. The event with the terminator ends
    /// it. See ``ResponseEvents/reconnecting(_:)``.
    ///
    /// - Parameter policy: The number of attempts and the delays. Defaults to ``ReconnectPolicy/standard``.
    /// - Returns: The sequence.
    public func reconnecting(_ policy: ReconnectPolicy = .standard) -> ResponseEventValues {
        with(events.reconnecting(policy))
    }

    /// Returns a sequence that continues after an event. See ``ResponseEvents/lastEventID(_:)``.
    ///
    /// - Parameter id: The ID of the event.
    /// - Returns: The sequence.
    public func lastEventID(_ id: String?) -> ResponseEventValues { with(events.lastEventID(id)) }

    /// Returns a sequence with another limit for one event. See ``ResponseEvents/eventLimit(_:)``.
    ///
    /// - Parameter bytes: The maximum number of bytes.
    /// - Returns: The sequence.
    public func eventLimit(_ bytes: Int) -> ResponseEventValues { with(events.eventLimit(bytes)) }

    /// Returns a sequence of the values in the events with these names. The data of other events, such as `ping`, is not
    /// decoded. The terminator may have any name.
    ///
    /// ```swift
    /// for try await price in api.events(Prices.watch).named("price") { show(price) }
    /// ```
    ///
    /// - Parameter names: The types of the events: their field `event`, or `message` without one.
    /// - Returns: The sequence.
    public func named(_ names: String...) -> ResponseEventValues {
        var values = self
        values.names = Set(names)
        return values
    }

    /// Returns a sequence that may also end without the event with the terminator, for a server that does not always send
    /// it. An answer that a proxy cuts off between two events then looks complete.
    public func allowingMissingTerminator() -> ResponseEventValues {
        var values = self
        values.needsTerminator = false
        return values
    }

    private func with(_ events: ResponseEvents) -> ResponseEventValues {
        var values = self
        values.events = events
        return values
    }

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            events: events.makeAsyncIterator(), terminator: terminator, needsTerminator: needsTerminator, names: names,
            decode: decode)
    }

    /// Iterates over the values.
    public struct Iterator: AsyncIteratorProtocol {
        /// `nil` after the end.
        private var events: ResponseEvents.Iterator?
        private let terminator: String?
        private let needsTerminator: Bool
        private let names: Set<String>?
        private let decode: Decode
        private var count = 0

        init(
            events: ResponseEvents.Iterator, terminator: String?, needsTerminator: Bool, names: Set<String>?,
            decode: @escaping Decode
        ) {
            self.events = events
            self.terminator = terminator
            self.needsTerminator = needsTerminator
            self.names = names
            self.decode = decode
        }

        /// Returns the next value; `nil` at the end.
        ///
        /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
        public mutating func next() async throws -> Element? { try await advance() }

        /// Returns the next value. If one is available, the call does not leave the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            try await advance()
        }

        private nonisolated(nonsending) mutating func advance() async throws -> Element? {
            try await advanceWithEvent()?.value
        }

        nonisolated(nonsending) mutating func advanceWithEvent() async throws -> DecodedEvent<Element>? {
            while let event = try await nextEvent(), let body = events?.body {
                do {
                    guard let value = try decode(EncodedEvent(event, of: body)) else { continue }
                    return DecodedEvent(value: value, event: event)
                } catch {
                    events = nil
                    let place = "event \(count), \(event.name.prefix(40))"
                    throw (error as? HTTPError).map { body.annotated($0.inside(place)) } ?? error
                }
            }
            // Releasing the events ends the transfer.
            events = nil
            return nil
        }

        /// Returns the next event that has a value. `nil` at the end.
        private nonisolated(nonsending) mutating func nextEvent() async throws -> ServerSentEvent? {
            while let event = try await events?.advance() {
                if event.data == terminator { return nil }
                count += 1
                if names?.contains(event.name) ?? true { return event }
            }
            guard let terminator, needsTerminator, let body = events?.endedBody else { return nil }
            events = nil
            try Task.checkCancellation()
            throw body.error(
                .connectionLost, reason: "the stream ended after \(count) events without \(terminator.quoted)",
                suggestion: "The answer may be cut off. For a server that sends no such event, use "
                    + "allowingMissingTerminator()")
        }
    }
}
