import HalyardHTTP

/// Continues a download where an earlier one broke off: reserves the part that is already on disk, once for all attempts.
struct Resume: Interceptor {
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        guard request.isResuming else { return try await next.proceed(request) }
        let context = next.context
        return try await request.withPart(pausing: { try await context.pause(for: $0) }) { try await next.proceed($0) }
    }
}

/// Asks for the bytes of a resumed download that are missing, in each attempt (RFC 9110 section 14).
///
/// A 416 says that the part on disk is of no use: the request is sent again for the whole body, once.
struct RangeRequest: Interceptor {
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        guard let part = request.part else { return try await next.proceed(request) }
        do {
            var response = try await next.proceed(request.withRange)
            if response.status == 416, part.startOver() {
                response = try await next.proceed(request.withRange, again: response.attempts)
            }
            return try request.withWholeBody(response)
        } catch { throw request.explaining(error) }
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
        let left = remaining ?? duration
        guard left > .zero else { throw timeoutError }
        try await time.sleep(min(duration, left))
    }
}
