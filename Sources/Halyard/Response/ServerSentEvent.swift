/// A server-sent event (WHATWG HTML, section 9.2). See `Request/events`.
///
/// ```swift
/// let stub = StubTransport().on(.get, "/feed", .events([ServerSentEvent(data: "hello", id: "7")]))
/// ```
public struct ServerSentEvent: Sendable, Hashable {
    /// The last event ID that the server has set, with this event or an earlier one; `nil` if there is none.
    public var id: String?
    /// The type of the event, from its `event` field. Defaults to `message`.
    public var name: String
    /// The lines of the `data` fields, joined with LF.
    public var data: String
    /// The reconnection time that the server has set with this event; `nil` if it has set none.
    public var retry: Duration?

    /// Creates an event for a test. The name and the ID must not contain line breaks.
    public init(data: String, name: String = "message", id: String? = nil, retry: Duration? = nil) {
        self.id = id
        self.name = name
        self.data = data
        self.retry = retry
    }
}

extension ServerSentEvent {
    /// The event as a server sends it, with the empty line at its end.
    package var text: String {
        var lines: [String] = []
        if name != "message" { lines.append("event: \(name)") }
        if let id { lines.append("id: \(id)") }
        if let retry { lines.append("retry: \(Int(retry / .milliseconds(1)))") }
        // A line break cannot be sent within a field other than the data, which has a field for each line.
        lines = lines.map { String($0.filter { !$0.isNewline }) }
        lines += data.split(omittingEmptySubsequences: false) { $0.isNewline }.map { "data: \($0)" }
        return lines.joined(separator: "\n") + "\n\n"
    }
}

extension ServerSentEvent: SafelyDescribed {
    /// The type and the size of the data. The data is omitted because it may contain secrets.
    public var description: String { "ServerSentEvent(\(name), \(data.utf8.count) bytes)" }
}
