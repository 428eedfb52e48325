import HalyardCodable

extension ResponseEventValues {
    /// The values together with their events, whose IDs and names the values do not contain.
    ///
    /// ```swift
    /// for try await price in api.events(Prices.watch).reconnecting().withEvents {
    ///     show(price.value, named: price.event.name)
    ///     save(price.event.id)
    /// }
    /// ```
    public var withEvents: DecodedEvents<Element> { DecodedEvents(values: self) }
}

/// The values of server-sent events with their events. See ``ResponseEventValues/withEvents``.
public struct DecodedEvents<Value: Sendable>: ResponseStream {
    /// A value and its event.
    public typealias Element = DecodedEvent<Value>

    let values: ResponseEventValues<Value>

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(values: values.makeAsyncIterator()) }

    /// Iterates over the values and events.
    public struct Iterator: AsyncIteratorProtocol {
        private var values: ResponseEventValues<Value>.Iterator

        init(values: ResponseEventValues<Value>.Iterator) { self.values = values }

        /// Returns the next value and its event; `nil` at the end.
        ///
        /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
        public mutating func next() async throws -> Element? { try await values.advanceWithEvent() }

        /// Returns the next value and its event. If one is available, the call does not leave the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            try await values.advanceWithEvent()
        }
    }
}
