import Halyard

// Several futures as one. Where the outcome is known before all have ended, and where it is cancelled, the others are
// left, which cancels those that nobody else listens to.
extension Future {
    /// All values, in the order of the futures; the first error otherwise.
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

    /// The first value; the last error when there is none, ``NoFuturesError`` when there are no futures.
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

    /// The first outcome, value or error; ``NoFuturesError`` when there are no futures.
    public static func race(_ futures: [Future]) -> Future {
        gather(futures) { $2.complete($1, &$3) }
    }

    /// A future that listens to several, until it has its outcome.
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

    /// Leaves all of several when this future has its outcome, or is cancelled.
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

/// There was nothing to choose from: ``Future/any(_:)`` or ``Future/race(_:)`` of no futures.
public struct NoFuturesError: Error, Equatable {
    /// Makes the error.
    public init() {}
}
