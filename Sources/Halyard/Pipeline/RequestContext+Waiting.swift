import HalyardHTTP

/// The turn of one request: another request, or the time, ends the wait for it.
package typealias Turn = CancellableWaiter<Void>

extension RequestContext {
    /// The priority of the request.
    package var priority: RequestPriority { value(of: RequestPriority.self) ?? .normal }

    /// A longest time to wait, and the error after it.
    package typealias WaitLimit = (time: Duration, error: @Sendable () -> HTTPError)

    /// Waits for a turn, and logs how long it took, also if the wait ends with an error.
    ///
    /// - Parameters:
    ///   - limit: The longest time to wait. Defaults to none. The deadline of the request counts as well.
    ///   - leave: Removes the turn from its queue, when the request stops waiting.
    /// - Throws: The error of the limit, ``HTTPError`` of kind `timedOut` at the deadline, or `CancellationError`.
    package nonisolated(nonsending) func wait(
        for turn: Turn, _ request: HTTPRequest, _ name: String, atMost limit: WaitLimit? = nil,
        leave: @escaping @Sendable () -> Void
    ) async throws {
        let start = time.now()
        defer { log?.log(.delayed, request, delay: time.now() - start, note: name) }
        try await value(of: turn, atMost: limit, leave: leave)
    }

    /// Waits for a value, but not beyond the deadline. See ``wait(for:_:_:atMost:leave:)``.
    package nonisolated(nonsending) func value<Value: Sendable>(
        of waiter: CancellableWaiter<Value>, atMost limit: WaitLimit? = nil, leave: @escaping @Sendable () -> Void
    ) async throws -> Value {
        let timer = shorter(limit).map { limit in
            Task { [time] in
                try await time.sleep(limit.time)
                leave()
                waiter.end(with: .failure(limit.error()))
            }
        }
        defer { timer?.cancel() }
        return try await waiter.value(onCancel: leave)
    }

    /// The shorter of a limit and the time until the deadline.
    private func shorter(_ limit: WaitLimit?) -> WaitLimit? {
        guard let remaining else { return limit }
        if let limit, limit.time < remaining { return limit }
        return (remaining, { self.timeoutError })
    }
}
