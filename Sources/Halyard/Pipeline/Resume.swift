import HalyardHTTP

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
        guard let partialFile = request.destination.partialFile else { return try await next.proceed(request) }
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
    /// Waits, but not beyond the deadline.
    ///
    /// - Throws: ``HTTPError`` of kind `timedOut` when no time is left.
    fileprivate nonisolated(nonsending) func pause(for duration: Duration) async throws {
        let limit = remaining ?? duration
        guard limit > .zero else { throw timeoutError }
        try await time.sleep(min(duration, limit))
    }
}
