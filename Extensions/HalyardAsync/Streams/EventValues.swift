import HalyardFoundation
import HalyardHTTP
public import HalyardCodable

/// A server-sent event whose data is not decoded yet. See ``Request/events(until:_:)``.
public struct EncodedEvent {
    /// The event, with its ID and its data as text.
    public let event: ServerSentEvent
    fileprivate let body: OpenBody

    /// The type of the event: its field `event`, or `message` without one.
    public var name: String { event.name }

    /// Decodes the data from JSON with the mapper of the provider or the route. `String` is the data itself.
    ///
    /// - Throws: ``HTTPError`` of kind `decoding` for data that does not fit.
    public func decode<T: Decodable & SendableMetatype>(_ type: T.Type = T.self) throws(HTTPError) -> T {
        try body.value(type, of: Data(event.data.utf8))
    }
}

/// Makes values of server-sent events, up to the one that ends them.
struct EventValueParser<Element: Sendable>: BodyParser {
    var mediaTypes: String? { options.acceptsJSON ? "application/json, text/event-stream" : "text/event-stream" }
    /// The body so far, if it is one JSON text instead of events.
    private var json: Data?
    /// That text as an event, when it is complete.
    private var reply: ServerSentEvent?
    var isContinuable: Bool { json == nil }

    private var parser: EventParser
    private let options: EventOptions
    /// `nil` if the elements are the events themselves.
    private let decode: (@Sendable (EncodedEvent) throws -> Element?)?
    /// The number of events so far.
    private var count = 0
    /// Whether this connection has brought an event.
    private var hasEvents = false
    private(set) var isComplete = false

    init(
        parser: EventParser, options: EventOptions, decode: (@Sendable (EncodedEvent) throws -> Element?)?
    ) {
        (self.parser, self.options, self.decode) = (parser, options, decode)
    }

    /// Checks the content type of a response.
    nonisolated(nonsending) mutating func begin(_ body: OpenBody) async throws {
        let type = body.response.headers.mediaType
        if options.acceptsJSON, type.map({ $0 == "application/json" || $0.hasSuffix("+json") }) ?? true {
            json = Data()
            return
        }
        guard body.response.status != 204, type != "text/event-stream" else { return }
        var response = await body.excerpt().map(body.containing)
        try Task.checkCancellation()
        response?.removeCutCharacter()
        throw HTTPError(
            .invalidResponse,
            reason: "the response is \(type ?? "of an unknown content type"), and not text/event-stream",
            suggestion: body.outcome.isDry ? "The client is in dry mode: add a stub with .events to the endpoint" : nil,
            response: response)
    }

    mutating func append(_ chunk: Data) {
        if json == nil { parser.append(chunk) } else { json?.append(chunk) }
    }

    mutating func next(in body: OpenBody) throws -> Element? {
        if let json, json.count > options.limit { throw tooLarge("the JSON") }
        while let event = reply.take() ?? parser.next() {
            hasEvents = true
            if let terminator = options.terminator, event.data == terminator {
                isComplete = true
                return nil
            }
            count += 1
            if let names = options.names, !names.contains(event.name) { continue }
            do {
                if let value = try value(of: event, in: body) { return value }
            } catch let error as HTTPError {
                throw error.inside("event \(count), \(event.name.prefix(40))")
            }
        }
        guard !parser.exceedsLimit else { throw tooLarge("an event") }
        return nil
    }

    private func tooLarge(_ part: String) -> HTTPError {
        HTTPError(
            .bodyTooLarge(limit: options.limit), reason: "\(part) is larger than the limit",
            suggestion: "Raise the limit with eventLimit(_:), or read the response's chunks")
    }

    private func value(of event: ServerSentEvent, in body: OpenBody) throws -> Element? {
        guard let decode else { return event as? Element }
        return try decode(EncodedEvent(event: event, body: body))
    }

    mutating func finish(in body: OpenBody) throws {
        if let json {
            if !json.isEmpty { reply = ServerSentEvent(data: String(decoding: json, as: UTF8.self)) }
            return
        }
        guard let terminator = options.terminator, options.needsTerminator, body.response.status != 204 else { return }
        try Task.checkCancellation()
        throw HTTPError(
            .connectionLost, reason: "the stream ended after \(count) events without \(terminator.quoted)",
            suggestion: "The answer may be cut off. For a server that sends no such event, use "
                + "allowingMissingTerminator()")
    }

    mutating func restart() -> EventPlace {
        defer { hasEvents = false }
        parser.restart()
        return EventPlace(lastID: parser.lastID, retry: parser.reconnectionTime, hasEvents: hasEvents)
    }
}
