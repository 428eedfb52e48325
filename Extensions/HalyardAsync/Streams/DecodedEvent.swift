public import HalyardCodable

/// A value of a server-sent event, and the event. See ``ResponseEventValues/withEvents``.
public struct DecodedEvent<Value: Sendable>: Sendable {
    /// The value in the data of the event.
    public var value: Value
    /// The event, with its ID and its name.
    public var event: ServerSentEvent

    /// Makes a decoded event, for a test.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - event: The event.
    public init(value: Value, event: ServerSentEvent) {
        self.value = value
        self.event = event
    }
}

extension DecodedEvent: Equatable where Value: Equatable {}
extension DecodedEvent: Hashable where Value: Hashable {}
