import HalyardSystem

#if canImport(os)
    public import os
#endif

/// A log that receives the events of a client's requests. A client's log defaults to ``silent``.
///
/// ```swift
/// let api = MusicAPI(client: HTTPClient(log: .console))
/// // → GET https://api.example.com/users/1
/// // ← 200 GET https://api.example.com/users/1 1.2 kB in 34 ms
/// ```
///
/// Secrets are masked. A provider can name additional secrets in ``HTTPProvider/secretNames``.
public struct EventLog: Sendable {
    /// The level of detail for each event. More levels may be added.
    public struct Detail: Sendable, Comparable {
        private let rank: Int

        /// One line: method, URL, status, bytes, time.
        public static let lines = Detail(rank: 0)
        /// Adds the headers, and the metrics of the transfer.
        public static let headers = Detail(rank: 10)
        /// Adds the first 2000 characters of JSON, form and `text/*` bodies, and the length of other bodies.
        public static let bodies = Detail(rank: 20)

        /// Returns whether the first level includes less text than the second.
        public static func < (left: Detail, right: Detail) -> Bool { left.rank < right.rank }
    }

    private let handler: (@Sendable (LogEvent) -> Void)?

    private init(_ handler: (@Sendable (LogEvent) -> Void)?) { self.handler = handler }

    /// A log that ignores all events. No events are created, unless the provider has its own log.
    public static let silent = EventLog(nil)

    /// A log that writes one line for each event to standard error.
    public static let console = console(.lines)

    /// Returns a log that writes each event to standard error.
    public static func console(_ detail: Detail) -> EventLog { printing(detail, StandardError.write) }

    /// Returns a log that passes each event to a closure, on the thread of the event and from several threads at once.
    /// The request waits until the closure returns.
    public static func custom(_ handler: @escaping @Sendable (LogEvent) -> Void) -> EventLog { EventLog(handler) }

    /// Returns a log that passes each event to several logs, in order. It is silent if all of them are.
    ///
    /// ```swift
    /// let log = EventLog.combined(.console, try .har(to: file))
    /// ```
    public static func combined(_ logs: EventLog...) -> EventLog {
        let handlers = logs.compactMap(\.handler)
        guard let first = handlers.first else { return .silent }
        if handlers.count == 1 { return EventLog(first) }
        return EventLog { event in for handler in handlers { handler(event) } }
    }

    /// Logs an event. A provider's own ``HTTPProvider/log`` can call this to pass on events.
    public func callAsFunction(_ event: LogEvent) { handler?(event) }

    package var isSilent: Bool { handler == nil }

    /// Returns a log that passes the text of each event, with a line break, to a closure.
    package static func printing(_ detail: Detail, _ write: @escaping @Sendable (String) -> Void) -> EventLog {
        EventLog { event in
            if event.kind != .metrics || detail > .lines { write(event.text(detail) + "\n") }
        }
    }
}

#if canImport(os)
    extension EventLog {
        /// Returns a log that writes to the system's log: failures and warnings as errors, other events for debugging.
        /// The messages are public, because secrets are masked.
        ///
        /// ```swift
        /// HTTPClient(log: .os(Logger(subsystem: "com.example.music", category: "http")))
        /// ```
        public static func os(_ logger: Logger, _ detail: Detail = .lines) -> EventLog {
            custom { event in
                if event.kind == .metrics && detail == .lines { return }
                let isProblem = event.kind == .failed || event.kind == .warning
                logger.log(level: isProblem ? .error : .debug, "\(event.text(detail), privacy: .public)")
            }
        }
    }
#endif

package enum StandardError {
    /// Writes a text as a whole, so that texts of several threads do not mix.
    package static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let count = systemWrite(UnsafeRawBufferPointer(rebasing: rest))
                if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
            }
        }
    }

    private static func systemWrite(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.write(2, bytes.baseAddress, bytes.count)
        #elseif canImport(Glibc)
            Glibc.write(2, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            Musl.write(2, bytes.baseAddress, bytes.count)
        #elseif canImport(Android)
            Android.write(2, bytes.baseAddress, bytes.count)
        #else
            0
        #endif
    }
}
