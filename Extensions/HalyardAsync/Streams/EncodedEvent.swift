import HalyardFoundation
import HalyardHTTP
public import HalyardCodable

/// A server-sent event whose data is not decoded yet. See ``ResponseEvents/values(until:_:)``.
public struct EncodedEvent {
    /// The event, with its ID and its data as text.
    public let event: ServerSentEvent
    private let body: OpenBody

    init(_ event: ServerSentEvent, of body: OpenBody) {
        self.event = event
        self.body = body
    }

    /// The type of the event: its field `event`, or `message` without one.
    public var name: String { event.name }

    /// Decodes the data from JSON with the mapper of the provider or the route. `String` is the data itself.
    ///
    /// - Parameter type: The type of the value. Defaults to the type of the context.
    /// - Returns: The value.
    /// - Throws: ``HTTPError`` of kind `decoding` for data that does not fit.
    public func decode<T: Decodable & SendableMetatype>(_ type: T.Type = T.self) throws(HTTPError) -> T {
        try body.value(type, of: Data(event.data.utf8))
    }
}
