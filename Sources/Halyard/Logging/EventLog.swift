/// Where the events of a client's requests go: nowhere, unless said otherwise.
///
/// ```swift
/// let api = MusicAPI(client: HTTPClient(log: .console))
/// // → GET https://api.example.com/users/1
/// // ← 200 GET https://api.example.com/users/1 1.2 kB in 34 ms
/// ```
///
/// What is printed shows no secret; a provider names more of them in ``HTTPProviderChoices/secretNames``.
public struct EventLog: Sendable {
    /// How much is printed of a request.
    public enum Detail: Sendable, Comparable {
        /// A line for each event: method, URL, status, bytes, time.
        case lines
        /// The header fields too, and what a transfer took.
        case headers
        /// Bodies as well, their first 2000 characters: JSON, forms and `text/*`; of others the length.
        case bodies
    }

    private let tell: (@Sendable (LogEvent) -> Void)?

    private init(_ tell: (@Sendable (LogEvent) -> Void)?) { self.tell = tell }

    /// Nothing. No event is made then, unless the provider listens.
    public static let silent = EventLog(nil)

    /// A line for each event, to standard error.
    public static let console = console(.lines)

    /// Text for each event, to standard error.
    public static func console(_ detail: Detail) -> EventLog { printing(detail, StandardError.write) }

    /// What a function makes of the events. It is called where they happen, by several threads at once, and must return
    /// soon: the request waits for it.
    public static func custom(_ tell: @escaping @Sendable (LogEvent) -> Void) -> EventLog { EventLog(tell) }

    /// Tells the log an event, as a provider's own ``HTTPProviderChoices/log(_:)`` does that hands some of them on.
    public func callAsFunction(_ event: LogEvent) { tell?(event) }

    package var isSilent: Bool { tell == nil }

    /// Text for each event, given to a function with its line break.
    package static func printing(_ detail: Detail, _ write: @escaping @Sendable (String) -> Void) -> EventLog {
        EventLog { event in
            if event.kind != .metrics || detail > .lines { write(event.text(detail) + "\n") }
        }
    }
}
