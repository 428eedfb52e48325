public import HalyardCodable
public import HalyardFoundation
public import HalyardHTTP

extension HTTPProvider {
    /// Uploads a file, which an interruption does not lose, and returns the server's last response.
    ///
    /// The route creates the upload, usually with POST; its parameters go into the query. All requests have the route's
    /// options, and its headers, except those about the creation, such as preconditions. A `timeout` of the route or
    /// the client limits each request, and one that expires interrupts the upload: allow enough for the bytes of one
    /// request. ``ResumableUpload/timeout`` limits the whole call. A request with bytes is repeated by `resuming` only,
    /// and not by a retry policy. Credentials are sent to the provider's origin only, also if the server names an
    /// upload URL elsewhere.
    ///
    /// If the server has lost the beginning, or the file has changed since, the upload starts over. If it changes while
    /// it is sent, the call fails, so that the server never completes a mixture. Cancelling the task keeps what the server
    /// has.
    ///
    /// - Parameters:
    ///   - resuming: The protocol.
    ///   - onEvent: Receives what happens, in order, on any thread.
    /// - Returns: The response to the request that completed the upload. If its connection was lost, and the server does not
    ///   send it again, the response to the question whether the upload is complete.
    /// - Throws: ``HTTPError`` of kind `unreadableFile`; `encoding` for a file that is larger than the server
    ///   accepts, and for metadata that the protocol cannot send; `unwritableFile` if the record cannot be written, or
    ///   if another call is uploading the file; `invalidResponse` if the server does not follow the protocol; `status`,
    ///   or the provider's own error, for a refusal; `timedOut`; `CancellationError`; or the last error, after too many
    ///   attempts.
    @discardableResult
    public func upload(
        _ file: URL, to route: Route, resuming: ResumableUpload,
        onEvent: @escaping @Sendable (UploadEvent) -> Void = { _ in }
    ) async throws -> HTTPResponse {
        guard let timeout = resuming.timeout else { return try await uploadWhole(file, to: route, resuming, onEvent) }
        return try await withThrowingTaskGroup(of: HTTPResponse?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await uploadWhole(file, to: route, resuming, onEvent) }
            group.addTask { [time = client.time] in
                try await time.sleep(timeout)
                return nil
            }
            if let response = try await group.next().flatMap(\.self) { return response }
            group.cancelAll()
            // The upload may have ended at the same time.
            if let response = try? await group.next().flatMap(\.self) { return response }
            throw HTTPError.exceeded(.request, reason: "the upload took longer than \(timeout)")
        }
    }

    private func uploadWhole(
        _ file: URL, to route: Route, _ resuming: ResumableUpload, _ onEvent: @escaping @Sendable (UploadEvent) -> Void
    ) async throws -> HTTPResponse {
        let source = try FileSource(file)
        let store = try UploadRecordStore(file: file, route, of: self, at: resuming.record)
        defer { store.release() }
        let dialect: UploadDialect
        var limits: UploadLimits?
        if let known = try resuming.dialect ?? store.known().flatMap({ $0.file == source.version ? $0.dialect : nil }) {
            dialect = known
        } else {
            (dialect, limits) = try await UploadDialect.detect(route, self)
        }
        var run = UploadRun(
            provider: self, file: file, source: source, route: route, options: resuming, dialect: dialect,
            limits: limits, store: store, report: UploadReport(total: source.length, onEvent))
        return try await run.response()
    }

    /// Ends an incomplete upload of a file: asks the server to remove what it has (with tus, by the extension
    /// Termination), and removes the record. Does nothing if there is no record, or one of another target. A server that
    /// has no DELETE (405 or 501) forgets the upload by itself some day.
    ///
    /// - Throws: ``HTTPError`` or the provider's error if the server refuses. The record is then kept.
    public func discardUpload(_ file: URL, to route: Route, resuming: ResumableUpload) async throws {
        let store = try UploadRecordStore(file: file, route, of: self, at: resuming.record)
        defer { store.release() }
        guard let record = try store.known() else { return }
        let outcome = await request(record.dialect.request(.delete, record.url, from: route)).outcome()
        let isLeftToServer = outcome.response.map { [405, 501].contains($0.status) } ?? false
        if !isLeftToServer && !record.dialect.isForgotten(outcome.response, .delete) {
            // A provider may accept other statuses.
            try outcome.get().requireSuccess()
        }
        store.remove()
    }
}
