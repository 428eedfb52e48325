#if canImport(os)
    public import os

    extension EventLog {
        /// Returns a log that writes to the system's log: failures and warnings as errors, other events for debugging.
        /// The messages are public, because secrets are masked.
        ///
        /// ```swift
        /// HTTPClient(log: .os(Logger(subsystem: "com.example.music", category: "http")))
        /// ```
        ///
        /// - Parameter detail: The amount of text. Defaults to ``Detail/lines``.
        public static func os(_ logger: Logger, _ detail: Detail = .lines) -> EventLog {
            custom { event in
                if event.kind == .metrics && detail == .lines { return }
                let isProblem = event.kind == .failed || event.kind == .warning
                logger.log(level: isProblem ? .error : .debug, "\(event.text(detail), privacy: .public)")
            }
        }
    }
#endif
