public import HalyardFoundation
import HalyardHTTP

extension EventLog {
    /// Returns a log that writes an HTTP Archive (HAR 1.2), which browsers show as a waterfall in their network panel.
    ///
    /// ```swift
    /// let client = HTTPClient(log: try .har(to: URL(filePath: "/tmp/session.har")))
    /// ```
    ///
    /// The archive has one entry each time a request is sent, including redirects and retries, and one for each
    /// failure. The file is a complete archive after each entry. Secrets are masked, as in any log. Bodies of requests
    /// that are files or streams, and bodies of responses that go to them, are left out.
    ///
    /// Each entry is written on the thread of its event. Use this log to examine a program, not in production.
    ///
    /// - Parameters:
    ///   - file: The file, readable only by its owner. It replaces an existing file. Missing directories are created.
    ///   - bodyLimit: The maximum number of bytes of a body. A longer body is left out. Defaults to 1 MiB.
    /// - Throws: ``HTTPError`` of kind `unwritableFile`. A later error stops the log and writes a line to standard
    ///   error.
    public static func har(to file: URL, bodyLimit: Int = 1 << 20) throws -> EventLog {
        let log = HARLog(try HARFile(file), bodyLimit: bodyLimit)
        return .custom { log.receive($0) }
    }
}

/// Makes the entries of an archive from the events of a client.
private final class HARLog: Sendable {
    private struct State: Sendable {
        /// The requests that were sent and have no entry.
        var pending: [LogEvent.ID: HARExchange] = [:]
        var hasFailed = false
    }

    private let file: HARFile
    private let bodyLimit: Int
    private let state = Lock(State())

    init(_ file: HARFile, bodyLimit: Int) {
        self.file = file
        self.bodyLimit = bodyLimit
    }

    func receive(_ event: LogEvent) {
        switch event.kind {
        case .sent:
            guard let request = event.request else { return }
            let body = request.body?.uncompressed.dataInMemory.flatMap(limited)
            let exchange = HARExchange(request, body: body)
            state.withLock { $0.pending[event.id] = exchange }
        case .response:
            guard let response = event.response else { return }
            let data = response.stream == nil && response.downloadFile == nil ? response.data : nil
            write(event.id) { $0.entry(of: response, body: data.flatMap(limited)) }
        // A response that `validate` refused has an entry already.
        case .failed, .retried: if let error = event.error { write(event.id) { $0.entry(of: error) } }
        default: break
        }
    }

    private func write(_ id: LogEvent.ID, _ entry: (HARExchange) -> JSON) {
        guard let exchange = state.withLock({ $0.hasFailed ? nil : $0.pending.removeValue(forKey: id) }) else { return }
        do { try file.append(entry(exchange)) } catch {
            state.withLock { $0.hasFailed = true }
            StandardError.write("Halyard: the archive cannot be written, and gets no more entries: \(error)\n")
        }
    }

    private func limited(_ data: Data) -> Data? { data.count > bodyLimit ? nil : data }
}
