import Halyard

// Several futures combined. When the combined future has its outcome, or is cancelled, the other futures are cancelled
// unless something else listens to them.
extension Future {
    /// Waits for all values.
    ///
    /// - Parameter futures: The futures.
    /// - Returns: A future with the values, in the order of the futures. It fails with the first error.
    public static func all(_ futures: [Future]) -> Future<[Value]> {
        guard !futures.isEmpty else { return Future<[Value]>(value: []) }
        let values = Lock([Value?](repeating: nil, count: futures.count))
        return gather(futures) { index, result, future, cascade in
            switch result {
            case .failure(let error): future.complete(.failure(error), &cascade)
            case .success(let value):
                let all = values.withLock { values in
                    values[index] = value
                    return values.allSatisfy { $0 != nil } ? values.compactMap(\.self) : nil
                }
                if let all { future.complete(.success(all), &cascade) }
            }
        }
    }

    /// Waits for the first value.
    ///
    /// - Parameter futures: The futures.
    /// - Returns: A future with the first value. It fails with the last error if all futures fail, and with
    ///   ``NoFuturesError`` if there are none.
    public static func any(_ futures: [Future]) -> Future {
        let left = Lock(futures.count)
        return gather(futures) { _, result, future, cascade in
            let isLast = left.withLock { left in
                left -= 1
                return left == 0
            }
            if case .failure = result, !isLast { return }
            future.complete(result, &cascade)
        }
    }

    /// Waits for the first outcome.
    ///
    /// - Parameter futures: The futures.
    /// - Returns: A future with the first value or error. It fails with ``NoFuturesError`` if there are no futures.
    public static func race(_ futures: [Future]) -> Future {
        gather(futures) { $2.complete($1, &$3) }
    }

    /// Returns a future that listens to several futures until it has its outcome.
    private static func gather<Other: Sendable>(
        _ futures: [Future],
        _ pass: @escaping @Sendable (Int, Result<Value, any Error>, Future<Other>, inout Cascade) -> Void
    ) -> Future<Other> {
        guard !futures.isEmpty else { return Future<Other>(error: NoFuturesError()) }
        let relay = ProgressRelay()
        let future = Future<Other>(progress: relay)
        var ways: [@Sendable () -> Departure?] = []
        for (index, source) in futures.enumerated() {
            relay.add(source.progress)
            let id = source.listen { pass(index, $0, future, &$1) }
            ways.append { source.leave(id) }
        }
        future.leaveTogether(ways)
        return future
    }

    /// Stops listening to several futures when this future has its outcome or is cancelled.
    func leaveTogether(_ ways: [@Sendable () -> Departure?]) {
        let leaveAll: @Sendable () -> Departure? = {
            for way in ways {
                var next = way()
                while let departure = next { next = departure.leave() }
            }
            return nil
        }
        onCancel(leaveAll)
        whenDone { _ = leaveAll() }
    }
}

/// The error of ``Future/any(_:)`` and ``Future/race(_:)`` without futures.
public struct NoFuturesError: Error, Equatable {
    /// Makes the error.
    public init() {}
}
