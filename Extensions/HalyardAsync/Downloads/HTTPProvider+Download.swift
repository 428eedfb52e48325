public import HalyardCodable
public import HalyardFoundation
public import HalyardHTTP

extension HTTPProvider {
    /// Downloads a file over several connections at once, and continues a download that was interrupted.
    ///
    /// ```swift
    /// let file = try await api.download(.dump, to: place, connections: 4) { progress in
    ///     show(progress.fraction ?? 0)
    /// }
    /// ```
    ///
    /// That is faster where the server, or the way to it, limits each connection. The server must support ranges, and
    /// send a strong `ETag`, or a `Last-Modified` that is older than the response. Otherwise one connection gets the
    /// file, and an interruption loses it. Over HTTP/2, the parts share one connection. The client's limits of
    /// connections and requests apply.
    ///
    /// A part that breaks off continues by the retry policy of the route or the client. An incomplete file is kept beside
    /// the target; the next call for the same URL and target continues it, also in another process. If the file changes
    /// on the server, the download starts over once, with one connection. The file never has bytes of two versions.
    /// `validate` is called for the response of each part, and a `timeout` of the route limits the time until it begins.
    ///
    /// - Parameters:
    ///   - route: A GET without a `Range`.
    ///   - connections: The most parts at once, from 1 to 16.
    ///   - sha256: The SHA-256 that the file must have, as 64 hexadecimal digits. Defaults to the `Repr-Digest` of the
    ///     response or its parts (RFC 9530), if the server states one. It is computed when all bytes are there.
    ///   - onProgress: Receives the progress of the whole file, on any thread. Its fraction never decreases.
    /// - Throws: ``HTTPError`` of kind `configuration` for arguments that cannot be used, before anything is sent;
    ///   `unwritableFile`, also if another request is still downloading to the file after a second; `digestMismatch`, with
    ///   nothing left on the disk; `invalidResponse` if the file has changed again; `CancellationError`; or an error of a
    ///   request. All keep what can be continued, except `digestMismatch`, `decoding`, and an error of another type that is
    ///   thrown while a body arrives: its bytes may be refused, as by `.checkingDigests()`.
    public func download(
        _ route: Route, to file: URL, connections: Int, sha256: String? = nil,
        onProgress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws -> URL {
        guard 1...16 ~= connections else {
            throw HTTPError(
                .configuration("connections"), reason: "it is \(connections)", suggestion: "Use 1 to 16 connections")
        }
        let digest = try sha256.map { text throws(HTTPError) in try SHA256Digest.parse(text) }
        let request = try prepare(route)
        guard request.method == .get, request.body == nil, !request.headers.contains("Range"),
            !request.headers.contains("If-Range")
        else {
            throw HTTPError(
                .configuration("connections"), reason: "only a GET without a body and a Range has parts",
                suggestion: "Use request(route).download(to:)", request: request)
        }
        let requestHash = ResumeRecord.requestHash(request)
        let segments = try await request.partialFile(of: file, pausing: { try await client.time.sleep($0) }) { permit in
            try SegmentedFile(of: file, requestHash: requestHash, permit)
        }
        do {
            let run = DownloadRun(
                provider: self, route: route, request: request, requestHash: requestHash, digest: digest,
                file: segments,
                connections: connections, report: RisingProgress(onProgress))
            try await run.fill()
            try await blocking { try segments.finish(digest) }
            // A call that was cancelled puts no file in place.
            try Task.checkCancellation()
            try segments.commit()
            return file
        } catch {
            // When the call ends, the file is free. A cancelled call waits at most a second for the disk.
            let release = { @Sendable () async throws in try await blocking { segments.release() } }
            do { try await release() } catch {
                await Task { [client] in
                    try? await leavable(within: .seconds(1), client.time, release) { CancellationError() }
                }.value
            }
            throw (error as? HTTPError)?.adding(request: request) ?? error
        }
    }
}
