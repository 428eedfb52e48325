import Halyard
import HalyardHTTP

/// The turn of one request: another request, or the time, ends the wait for it.
typealias Turn = CancellableWaiter<Void>

extension RequestContext {
    /// Waits for a turn, and logs how long it took.
    ///
    /// - Parameters:
    ///   - turn: The turn.
    ///   - request: The request that waits.
    ///   - name: The name of the limit, for the log.
    ///   - limit: The longest time to wait, and the error after it. Defaults to none. The deadline of the request counts
    ///     as well.
    ///   - leave: Removes the turn from its queue, when the request stops waiting.
    /// - Throws: The error of the limit, ``HTTPError`` of kind `timedOut` at the deadline, or `CancellationError`.
    nonisolated(nonsending) func wait(
        for turn: Turn, _ request: HTTPRequest, _ name: String, atMost limit: (time: Duration, error: HTTPError)? = nil,
        leave: @escaping @Sendable () -> Void
    ) async throws {
        let start = time.now()
        let timer = shorter(limit).map { limit in
            Task { [time] in
                try await time.sleep(limit.time)
                leave()
                turn.end(with: .failure(limit.error))
            }
        }
        defer { timer?.cancel() }
        try await turn.value(onCancel: leave)
        log?.log(.delayed, request, delay: time.now() - start, note: name)
    }

    /// The shorter of a limit and the time until the deadline.
    private func shorter(_ limit: (time: Duration, error: HTTPError)?) -> (time: Duration, error: HTTPError)? {
        guard let remaining else { return limit }
        if let limit, limit.time < remaining { return limit }
        return (remaining, timeoutError)
    }
}
