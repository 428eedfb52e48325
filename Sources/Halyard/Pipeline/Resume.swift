package import HalyardFoundation
package import HalyardHTTP

/// Resumes a download that was interrupted. It opens the partial file, once for all retries and redirects.
struct Resume: Interceptor {
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        guard request.isResuming else { return try await next.proceed(request) }
        let context = next.context
        return try await request.withPartialFile(pausing: { try await context.pause(for: $0) }) {
            try await next.proceed($0)
        }
    }
}

/// Requests the missing bytes of a resumed download (RFC 9110 section 14). It runs again for each retry and redirect.
///
/// After a 416 the partial file is useless. The request is then sent again for the whole body, once.
struct RangeRequest: Interceptor {
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        guard let partialFile = request.partialFile else { return try await next.proceed(request) }
        do {
            var response = try await next.proceed(request.withRange)
            if response.status == 416, partialFile.startOver() {
                response = try await next.proceed(request.withRange, afterSends: response.sendCount)
            }
            return try await request.requiringCompleteBody(response)
        } catch { throw request.addingResumeNote(to: error) }
    }
}

extension HTTPRequest {
    fileprivate var withRange: HTTPRequest {
        var request = self
        request.addRange()
        return request
    }
}

extension RequestContext {
    /// Waits, but not beyond the deadline. Throws ``HTTPError`` of kind `timedOut` when no time is left.
    fileprivate nonisolated(nonsending) func pause(for duration: Duration) async throws {
        let limit = remaining ?? duration
        guard limit > .zero else { throw timeoutError }
        try await time.sleep(min(duration, limit))
    }
}

// Resuming a download that was interrupted (RFC 9110 sections 13.1.5 and 14).
extension HTTPRequest {
    /// The file of a resumable download; `nil` for any other request. Only a plain GET is resumed: a request with a
    /// `Range` of its own is not changed.
    private var resumedFile: URL? {
        guard case .file(let target, resuming: true) = destination, method == .get, body == nil,
            !headers.contains("Range"), !headers.contains("If-Range")
        else { return nil }
        return target
    }

    /// Whether the request is a resumable download.
    var isResuming: Bool { partialFile != nil || resumedFile != nil }

    /// Sends the request with the partial file of its download. `pause` waits. It throws if no time is left.
    nonisolated(nonsending) func withPartialFile(
        pausing pause: nonisolated(nonsending) (Duration) async throws -> Void,
        _ send: nonisolated(nonsending) (HTTPRequest) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        var request = self
        if request.partialFile != nil {
            // The request was sent before and was kept in an error: its range is not the caller's.
            request.partialFile = nil
            for name in ["Range", "If-Range"] { request.headers[name] = nil }
        }
        guard let target = request.resumedFile else { return try await send(request) }
        let requestHash = ResumeRecord.requestHash(request)
        let partialFile = try await request.partialFile(of: target, pausing: pause) { permit in
            try PartialFile(of: target, requestHash: requestHash, permit)
        }
        request.partialFile = partialFile
        do {
            let response = try await send(request)
            if !(response.downloadFile is ResumableDownloadFile) { await partialFile.releaseInBackground() }
            return response
        } catch {
            await partialFile.releaseInBackground()
            throw error
        }
    }

    /// Opens the partial file of a target. If another request has it, such as one that was just cancelled, this
    /// function waits. `open` returns `nil` while another request has it.
    package nonisolated(nonsending) func partialFile<File: Sendable>(
        of target: URL, pausing pause: nonisolated(nonsending) (Duration) async throws -> Void,
        _ open: @escaping @Sendable (DescriptorPermit) throws -> File?
    ) async throws -> File {
        do {
            var permit = DescriptorPermit.tryForPartialFile()
            while permit == nil {
                try await pause(.milliseconds(10))
                permit = DescriptorPermit.tryForPartialFile()
            }
            // Another request may hold the partial file for a second, and no descriptor may be free for five.
            var failure = HTTPError(
                .unwritableFile(target.path(percentEncoded: false)),
                reason: "another request is downloading to it")
            var (lockFailures, descriptorFailures) = (0, 0)
            while lockFailures < 100, descriptorFailures < 500 {
                do {
                    if let file = try await blocking({ [permit] in try permit.flatMap(open) }) { return file }
                    lockFailures += 1
                } catch let error as HTTPError {
                    guard error.fields.isMomentary else { throw error }
                    descriptorFailures += 1
                    if descriptorFailures == 500 { failure = error }
                }
                try await pause(.milliseconds(10))
            }
            throw failure
        } catch let error as HTTPError { throw error.adding(request: self) }
    }

    /// Requests only the missing bytes, without compression, which would change offsets.
    mutating func addRange() {
        guard let partialFile else { return }
        if !headers.contains("Accept-Encoding") { headers["Accept-Encoding"] = "identity" }
        guard let rest = partialFile.rest(from: ResumeRecord.source(self)) else { return }
        headers["Range"] = "bytes=\(rest.first)-"
        headers["If-Range"] = rest.known.validator.text
    }

    /// Returns an error that ended a transfer, with the reason why the next download starts over. Other errors are not
    /// changed.
    func addingResumeNote(to error: any Error) -> any Error {
        guard let note = partialFile?.note, note.losesPartialBody, let error = error as? HTTPError,
            [.connectionLost, .timedOut].contains(error.kind)
        else {
            return error
        }
        return error.adding(reason: "the download \(note)")
    }

    /// Checks that the whole body has arrived, and writes the body of a transport that does not support files. Throws
    /// ``HTTPError`` for an incomplete body, or for a 206 whose body did not go to the file.
    nonisolated(nonsending) func requiringCompleteBody(_ response: HTTPResponse) async throws -> HTTPResponse {
        guard let partialFile, response.isSuccessful else { return response }
        return try await completed(response, by: partialFile)
    }

    private nonisolated(nonsending) func completed(
        _ response: HTTPResponse, by partialFile: PartialFile
    ) async throws -> HTTPResponse {
        var response = response
        if response.downloadFile == nil, response.stream == nil {
            // From a transport or an interceptor that does not support files.
            let body = response.data
            response.data = Data()
            response.downloadFile = try await blocking { [response] in
                let file = try opening(partialFile, response.status, response.headers).open()
                try body.withUnsafeBytes { try file.write($0) }
                return file
            }
        }
        if let file = response.downloadFile as? ResumableDownloadFile {
            try file.checkComplete()
        } else if response.status == 206 {
            response.discard()
            throw ResumeDecision.mismatch("an interceptor has sent another request").adding(request: self)
        }
        return response
    }
}

extension PartialFile {
    /// Releases the file on a thread that may wait for the disk. A task that was cancelled does not wait for it.
    fileprivate nonisolated(nonsending) func releaseInBackground() async { try? await blocking { self.release() } }
}
