import HalyardHTTP

extension Chain {
    /// Sends the request through all of the pipeline, by the deadline.
    ///
    /// Engines, waits and lines keep to it themselves. Who else has a hand in the request, an interceptor or whoever
    /// renews a token, knows of none, and is cancelled when it comes.
    package nonisolated(nonsending) func run(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let time = plan.remaining, hasGuests else { return try await goOn(with: request) }
        return try await withThrowingTaskGroup(of: HTTPResponse?.self) { group in
            group.addTask { try await proceed(request) }
            group.addTask {
                try? await plan.time.sleep(time)
                return nil
            }
            defer { group.cancelAll() }
            if let first = try await group.next(), let response = first { return response }
            // Nobody sleeps longer who is cancelled, and a test's clock may not let sleep at all.
            guard let left = plan.remaining, left <= .zero else { return try await group.response() }
            group.cancelAll()
            var attempts = 0
            do { try await group.response().discard() } catch { attempts = (error as? HTTPError)?.attempts ?? 0 }
            throw plan.overdueError.of(request, attempts: attempts)
        }
    }
}

extension ThrowingTaskGroup<HTTPResponse?, any Error> {
    fileprivate mutating func response() async throws -> HTTPResponse {
        guard let next = try await next(), let response = next else { throw CancellationError() }
        return response
    }
}
