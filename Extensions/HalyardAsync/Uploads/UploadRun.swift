import HalyardCodable
import HalyardFoundation
import HalyardHTTP

/// One call of `upload`: creates the upload or finds where it ended, and sends parts until the server has all.
struct UploadRun<Provider: HTTPProvider> {
    let provider: Provider
    let file: URL
    /// The file, as it was when the call began.
    let source: FileSource
    let route: Route
    let options: ResumableUpload
    let dialect: UploadDialect
    let store: UploadRecordStore
    let report: UploadReport

    private var record: UploadRecord?
    /// The number of bytes that the server has. `nil` if it has to be asked.
    private var offset: Int64?
    private var partLimit: Int64?

    init(
        provider: Provider, file: URL, source: FileSource, route: Route, options: ResumableUpload,
        dialect: UploadDialect, store: UploadRecordStore, report: UploadReport
    ) {
        (self.provider, self.file, self.source, self.route) = (provider, file, source, route)
        (self.options, self.dialect, self.store, self.report) = (options, dialect, store, report)
        partLimit = options.partSize.map { max(1, $0) }
    }

    /// Uploads the file, and returns the last response.
    mutating func response() async throws -> HTTPResponse {
        try await takeUp()
        var attempts = ReconnectAttempts(options.reconnecting)
        /// The bytes of the server at the last interruption.
        var earlier: Int64 = -1
        var hasStartedOver = false
        while true {
            do {
                if let response = try await step() {
                    store.remove()
                    return response
                }
            } catch {
                let isForgotten = record != nil && [404, 410].contains((error as? HTTPError)?.status)
                guard let failure = error as? HTTPError, isForgotten || Self.mayPass(failure) else { throw error }
                let reached = offset ?? earlier
                var delay = Duration.zero
                // A server that forgets again and again has a limited number of attempts.
                if !isForgotten || hasStartedOver {
                    let time = provider.client.time
                    let next = attempts.delay(after: reached > earlier, requested: failure.retryDelay, time)
                    guard let next else { throw error }
                    delay = next
                }
                (earlier, offset) = (max(earlier, reached), nil)
                if isForgotten {
                    (record, hasStartedOver) = (nil, true)
                    store.remove()
                    report(.startedOver("the server does not have the beginning any more"))
                } else {
                    report(.interrupted(error, delay: delay))
                }
                try await provider.client.time.sleep(delay)
            }
        }
    }

    /// Whether another attempt may do better: the connection was lost, or the server has a momentary problem, is busy
    /// with the upload, or has another number of bytes.
    private static func mayPass(_ error: HTTPError) -> Bool {
        if case .status(let status) = error.kind { return [409, 423, 408, 429].contains(status) || status >= 500 }
        return error.isTemporary
    }

    /// Takes up the upload of the record, if it is one of the same file.
    private mutating func takeUp() async throws {
        guard let known = try store.load() else { return }
        guard known.file != source.version || known.dialect != dialect else {
            record = known
            return
        }
        report(.startedOver(known.dialect == dialect ? "the file has changed" : "the last call used another protocol"))
        store.remove()
        // What the server has is of no use any more. It removes it by itself some day.
        _ = try? await provider.request(known.dialect.request(.delete, known.url, from: route)).response()
    }

    /// Sends the next request. Returns the response that ends the upload.
    private mutating func step() async throws -> HTTPResponse? {
        guard let record else {
            try await create()
            return nil
        }
        guard let offset else { return try await ask(record.url) }
        return try await append(record.url, at: offset)
    }

    private mutating func create() async throws {
        let metadata =
            options.metadata
            ?? ["filename": file.lastPathComponent, "filetype": MIMEType.of(filename: file.lastPathComponent)]
        let creation = try dialect.creation(route, length: source.length, metadata: metadata)
        let response = try await provider.request(creation).response()
        guard let location = response.headers["Location"] else { throw invalid(response, "it has no Location") }
        limitParts(response)
        let record = UploadRecord(dialect: dialect, url: response.resolved(location), file: source.version)
        try store.save(record)
        (self.record, offset) = (record, 0)
    }

    /// Asks how many bytes the server has. Returns the response if it has all of them.
    private mutating func ask(_ url: String) async throws -> HTTPResponse? {
        let response = try await provider.request(dialect.request(.head, url, from: route)).response()
        guard let offset = UploadDialect.offset(response), offset <= source.length else {
            throw invalid(response, "its Upload-Offset is missing, or larger than the file")
        }
        limitParts(response)
        if dialect.isComplete(response, offset: offset, length: source.length, isLast: false) { return response }
        self.offset = offset
        report(.resumed(at: offset))
        report.progress(offset)
        return nil
    }

    private mutating func append(_ url: String, at offset: Int64) async throws -> HTTPResponse? {
        let end = min(source.length, partLimit.map { offset + min($0, source.length - offset) } ?? source.length)
        let part = try FileSource(file, bytes: offset..<end)
        // Otherwise the server would get a mixture of two files.
        guard part.version == source.version else {
            throw HTTPError(
                .unreadableFile(source.path), reason: "it changed while it was uploaded",
                suggestion: "Upload a copy that does not change")
        }
        let isLast = end == source.length
        if !(dialect == .tus && offset == end) {
            let body = HTTPBody(segments: [.file(part)])
            let request = dialect.append(body, at: offset, isLast: isLast, to: url, from: route)
            let response = try await provider.request(request)
                .uploadProgress { [report] in report.progress(offset + $0.completed) }.response()
            let reached = UploadDialect.offset(response) ?? (dialect == .draft ? end : nil)
            guard let reached, offset <= reached, reached <= source.length else {
                throw invalid(response, "its Upload-Offset is missing, or not that of the bytes that were sent")
            }
            limitParts(response)
            self.offset = reached
            report.progress(reached)
            guard dialect.isComplete(response, offset: reached, length: source.length, isLast: isLast) else {
                return nil
            }
            return response
        }
        return try await ask(url)
    }

    private mutating func limitParts(_ response: HTTPResponse) {
        guard let limit = UploadDialect.partLimit(response) else { return }
        partLimit = min(limit, options.partSize.map { max(1, $0) } ?? .max)
    }

    private func invalid(_ response: HTTPResponse, _ reason: String) -> HTTPError {
        HTTPError(
            .invalidResponse, reason: "\(reason), so that it does not follow the protocol \(dialect.rawValue)",
            response: response)
    }
}
