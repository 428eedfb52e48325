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

    var record: UploadRecord?
    /// The number of bytes that the server has. `nil` if it has to be asked.
    private var offset: Int64?
    var limits: UploadLimits?
    /// The answer to HEAD that says that the upload is complete. Only the draft has it.
    var completion: HTTPResponse?
    /// Whether the server has all bytes, and has once refused the request without bytes that ends the upload.
    var hasRefusedEnd = false
    /// The most bytes of a part, after a server has refused larger ones.
    var partLimit = Int64.max
    /// Whether the answer to a request with the last byte was lost, and the server has not said since that bytes are
    /// missing.
    var mayHaveArrived = false
    /// How often the whole file was sent, and the server then did not know of it.
    var lostCopies = 0

    init(
        provider: Provider, file: URL, source: FileSource, route: Route, options: ResumableUpload,
        dialect: UploadDialect, limits: UploadLimits?, store: UploadRecordStore, report: UploadReport
    ) {
        (self.provider, self.file, self.source, self.route) = (provider, file, source, route)
        (self.options, self.dialect, self.limits) = (options, dialect, limits)
        (self.store, self.report) = (store, report)
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
            } catch let setback as UploadSetback {
                guard setback.isForgotten || setback.mayPass else { throw setback.error }
                // The server has removed an upload that it has called complete.
                if setback.isForgotten, let completion {
                    store.remove()
                    return completion
                }
                if setback.isForgotten || record == nil { try countCopy(setback) }
                let reached = offset ?? earlier
                var delay = Duration.zero
                // A server that forgets again and again has a limited number of attempts.
                if !setback.isSmaller, !setback.isForgotten || hasStartedOver {
                    let time = provider.client.time
                    let requested = setback.requestedDelay(time)
                    let next = attempts.delay(after: reached > earlier, requested: requested, time)
                    guard let next, requested ?? .zero <= options.reconnecting.maximumDelay else { throw setback.error }
                    delay = next
                }
                (earlier, offset) = (max(earlier, reached), nil)
                if setback.isForgotten {
                    // The record stays until there is another upload: the whole server may be at fault.
                    if !hasStartedOver { earlier = -1 }
                    (record, hasRefusedEnd, hasStartedOver) = (nil, false, true)
                    report(.startedOver("the server does not have the beginning any more"))
                } else {
                    report(.interrupted(setback.error, delay: delay))
                }
                try await provider.client.time.sleep(delay)
            }
        }
    }

    /// Takes up the upload of the record, if it is one of the same file to the same target.
    private mutating func takeUp() async throws {
        guard let known = try store.load() else { return }
        guard known.target == store.target else { return report(.startedOver("the record is of another target")) }
        guard known.file != source.version || known.dialect != dialect else {
            record = known
            return
        }
        report(.startedOver(known.dialect == dialect ? "the file has changed" : "the last call used another protocol"))
        store.remove()
        // What the server has is of no use any more. It removes it by itself some day.
        _ = await provider.request(known.dialect.request(.delete, known.url, from: route)).outcome()
    }

    /// Sends the next request. Returns the response that ends the upload.
    private mutating func step() async throws -> HTTPResponse? {
        guard let record else {
            return try await create()
        }
        guard let offset else { return try await ask(record.url) }
        return try await append(record.url, at: offset)
    }

    /// Sends a request. Throws an ``UploadSetback`` if it fails.
    private func send(_ request: Request, _ method: HTTPMethod) async throws -> HTTPResponse {
        let outcome = await request.outcome()
        do {
            let response = try outcome.get()
            // A provider may accept other statuses, but the server then has taken nothing.
            if !dialect.isFinal(response) { try response.requireSuccess() }
            return response
        } catch { throw UploadSetback(error, outcome.response, method, dialect) }
    }

    /// Sends a request with bytes of the file, and reports its progress.
    private mutating func send(
        _ request: Request, _ method: HTTPMethod, with chunk: UploadChunk
    ) async throws -> HTTPResponse {
        let hasSentAll = Lock(chunk.bytes.isEmpty)  // An empty body may report no progress.
        request.addProgressHandler(.upload) { [report] progress in
            hasSentAll.withLock { $0 = progress.total.map { $0 == progress.completed } ?? true }
            report.progress(chunk.bytes.lowerBound + progress.completed)
        }
        do { return try await send(request, method) } catch var setback as UploadSetback {
            setback.hasSentAll = chunk.isLast && hasSentAll.withLock(\.self)
            if setback.hasSentAll && setback.isUnanswered { mayHaveArrived = true }
            throw setback
        }
    }

    /// Creates the upload. Returns the response if it is complete.
    private mutating func create() async throws -> HTTPResponse? {
        let metadata =
            options.metadata
            ?? ["filename": file.lastPathComponent, "filetype": MIMEType.of(filename: file.lastPathComponent)]
        let chunk = createsWithBytes ? try await chunk(at: 0) : nil
        let creation = try dialect.creation(route, length: source.length, metadata: metadata, chunk)
        let response = try await send(creation, with: chunk)
        // A server that does not know the draft has taken an ordinary upload, and does not say Upload-Complete. One that
        // does may complete the upload early.
        if let chunk, dialect == .draft, dialect.isFinal(response) || chunk.isLast && !dialect.isUnfinished(response) {
            report.progress(source.length)
            return response
        }
        guard let location = response.headers["Location"], !dialect.isFinal(response) else {
            throw invalid(response, "it has no Location of an upload")
        }
        guard let record = record(of: location, in: response) else {
            throw invalid(response, "its Location is not an HTTP URL, or leads from https to http")
        }
        try limit(response)
        try store.save(record)
        self.record = record
        guard let chunk else {
            offset = 0
            return nil
        }
        // A server without this extension of tus ignores the bytes, and is asked.
        guard dialect == .draft || UploadDialect.offset(response) != nil else { return nil }
        return try proceed(response, after: chunk)
    }

    /// Sends the request that creates an upload. If it has bytes, the URL that a 104 names is recorded at once, so that
    /// not even the end of the process loses them.
    private mutating func send(_ creation: Route, with chunk: UploadChunk?) async throws -> HTTPResponse {
        guard let chunk else { return try await send(provider.request(creation), .post) }
        let saving = Lock<Task<UploadRecord?, Never>?>(nil)
        let request = creation.configured { [self] options in
            options.informational = { interim in
                guard let location = dialect.announcedLocation(interim),
                    let record = record(of: location, in: interim)
                else { return }
                saving.withLock { $0 = $0 ?? Task { (try? store.save(record)).map { record } } }
            }
        }
        do {
            let response = try await send(provider.request(request), .post, with: chunk)
            record = await saving.withLock(\.self)?.value
            return response
        } catch let setback as UploadSetback {
            record = await saving.withLock(\.self)?.value
            // A server that does not know the draft may have taken the whole file.
            let mayBeTaken = setback.hasSentAll && setback.mayHaveBeenProcessed
            if record == nil, dialect == .draft, mayBeTaken, setback.mayPass { throw unanswered(setback) }
            throw refusal(setback, chunk)
        }
    }

    /// Returns the record of an upload. `nil` if its location is not an HTTP URL, or leads from https to http.
    private func record(of location: String, in response: HTTPResponse) -> UploadRecord? {
        let url = response.resolved(location)
        let schemes = response.url.scheme == "https" ? ["https"] : ["https", "http"]
        guard let scheme = URL(string: url)?.scheme?.lowercased(), schemes.contains(scheme) else { return nil }
        return UploadRecord(dialect: dialect, url: url, target: store.target, file: source.version)
    }

    /// Asks how many bytes the server has. Returns the response if it has all of them.
    private mutating func ask(_ url: String) async throws -> HTTPResponse? {
        let response = try await send(provider.request(dialect.request(.head, url, from: route)), .head)
        let length = UploadDialect.length(response)
        guard length == nil || length == source.length else {
            throw UploadSetback(invalid(response, "its Upload-Length is another one"), response, isForgotten: true)
        }
        guard let offset = UploadDialect.offset(response), offset <= source.length else {
            throw invalid(response, "its Upload-Offset is missing, or larger than the file")
        }
        if offset < source.length { mayHaveArrived = false }
        if dialect == .tus, offset == source.length {
            report.progress(offset)
            return response
        }
        if dialect.isFinal(response) {
            guard offset == source.length else {
                store.remove()
                throw invalid(response, "the upload has ended with \(offset) of \(source.length) bytes")
            }
            // The answer of the target is still missing. It may be a refusal.
            completion = response
            report.progress(offset)
        }
        try limit(response)
        self.offset = offset
        report(.resumed(at: offset))
        report.progress(offset)
        return nil
    }

    /// Opens the next bytes of the file.
    private func chunk(at offset: Int64) async throws -> UploadChunk {
        let end = offset + min(source.length - offset, partSize)
        let part = try source.part(offset..<end, of: file)
        return UploadChunk(
            bytes: offset..<end, body: HTTPBody(segments: [.file(part)]), isLast: end == source.length,
            digest: options.sendsChecksums ? try await part.sha256() : nil)
    }

    private mutating func append(_ url: String, at offset: Int64) async throws -> HTTPResponse? {
        // With tus, the last byte completes the upload.
        if dialect == .tus, offset == source.length { return try await ask(url) }
        let chunk = try await chunk(at: offset)
        let request = provider.request(dialect.append(chunk, to: url, from: route))
        do {
            return try proceed(try await send(request, .patch, with: chunk), after: chunk)
        } catch let setback as UploadSetback {
            guard let response = setback.response else { throw setback }
            if chunk.bytes.isEmpty, !dialect.isFinal(response), let end = try end(after: setback, response) {
                return end
            }
            throw refusal(setback, chunk)
        }
    }

    /// Notes how many bytes the server has after a chunk. Returns the response if it has all of them.
    private mutating func proceed(_ response: HTTPResponse, after chunk: UploadChunk) throws -> HTTPResponse? {
        if dialect.isFinal(response) {
            report.progress(source.length)
            return response
        }
        let reached = UploadDialect.offset(response) ?? (dialect == .draft ? chunk.bytes.upperBound : nil)
        guard let reached, chunk.bytes.contains(reached) || reached == chunk.bytes.upperBound else {
            throw invalid(response, "its Upload-Offset is missing, or not that of the bytes that were sent")
        }
        try limit(response)
        // Otherwise a server could make the client send the same bytes for ever.
        guard reached > chunk.bytes.lowerBound, dialect == .tus || reached < source.length else {
            let error = invalid(response, "the upload is neither complete nor further than before")
            throw UploadSetback(error, response, mayPass: true)
        }
        offset = reached
        report.progress(reached)
        return reached == source.length ? response : nil
    }

    private func invalid(_ response: HTTPResponse, _ reason: String) -> HTTPError {
        HTTPError(
            .invalidResponse, reason: "\(reason), so that it does not follow the protocol \(dialect.rawValue)",
            suggestion: "Call discardUpload and upload the file again, or report it to the operator of the server",
            response: response)
    }
}
