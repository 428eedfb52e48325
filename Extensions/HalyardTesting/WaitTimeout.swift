import HalyardHTTP

/// The error of a test that has waited too long for a request or for sleeping tasks.
///
/// It is not an `HTTPError`: a test that expects a timeout of a request does not pass because of it.
public struct WaitTimeout: Error, CustomStringConvertible {
    /// What the test has waited for, and how long.
    public let description: String
}

extension CancellableWaiter {
    /// Waits for the result, but not longer than a limit.
    ///
    /// - Throws: ``WaitTimeout``, or the error of the result.
    func value(within limit: Duration, _ description: @escaping @Sendable () -> String) async throws -> Value {
        let timer = Task {
            try await Task.sleep(for: limit)
            end(with: .failure(WaitTimeout(description: description())))
        }
        defer { timer.cancel() }
        return try await value()
    }
}
