#if canImport(os)
    public import os

    extension EventLog {
        /// The system's log: failures as errors, all else for debugging. Marked as public, for secrets are masked.
        ///
        /// ```swift
        /// HTTPClient(log: .os(Logger(subsystem: "com.example.music", category: "http")))
        /// ```
        public static func os(_ logger: Logger, _ detail: Detail = .lines) -> EventLog {
            custom { event in
                if event.kind == .metrics && detail == .lines { return }
                logger.log(level: event.kind == .failed ? .error : .debug, "\(event.text(detail), privacy: .public)")
            }
        }
    }
#endif
