import HalyardHTTP

/// Ends a request at its deadline, even if code of the user's is running.
///
/// Engines, delays before retries and the concurrency limit respect the deadline themselves. An interceptor or an
/// authenticator does not know it. This stage cancels it at the deadline.
struct Deadline: Interceptor {
    /// Whether the client has interceptors.
    let hasUserCode: Bool

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let context = next.context
        guard let time = context.remaining, hasUserCode || context.authentication.authenticator != nil else {
            return try await next.proceed(request)
        }
        return try await withThrowingTaskGroup(of: HTTPResponse?.self) { group in
            group.addTask { try await next.proceed(request) }
            group.addTask {
                try? await context.time.sleep(time)
                return nil
            }
            defer { group.cancelAll() }
            if let first = try await group.next(), let response = first { return response }
            // The timer also returns when the task is cancelled, and at once with some clocks of tests.
            guard let remaining = context.remaining, remaining <= .zero else { return try await group.response() }
            group.cancelAll()
            var sends = 0
            do { try await group.response().discard() } catch { sends = (error as? HTTPError)?.attempts ?? 0 }
            throw context.timeoutError.adding(request: request, sends: sends)
        }
    }
}

extension ThrowingTaskGroup<HTTPResponse?, any Error> {
    fileprivate mutating func response() async throws -> HTTPResponse {
        guard let next = try await next(), let response = next else { throw CancellationError() }
        return response
    }
}
