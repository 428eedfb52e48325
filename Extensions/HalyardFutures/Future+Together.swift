import Halyard

// Several futures combined. When the combined future has its outcome, or is cancelled, the other futures are cancelled
// unless something else listens to them.
extension Future {
    /// Returns a future with all values, in the order of the futures. It fails with the first error.
    public static func all(_ futures: [Future]) -> Future<[Value]> {
        guard !futures.isEmpty else { return Future<[Value]>(value: []) }
        let values = Lock([Value?](repeating: nil, count: futures.count))
        return combine(futures) { index, result, future, trampoline in
            switch result {
            case .failure(let error): future.complete(.failure(error), &trampoline)
            case .success(let value):
                let all = values.withLock { values in
                    values[index] = value
                    return values.allSatisfy { $0 != nil } ? values.compactMap(\.self) : nil
                }
                if let all { future.complete(.success(all), &trampoline) }
            }
        }
    }

    /// Returns a future with the first value. It fails with the last error if all futures fail, and with
    /// ``NoFuturesError`` if there are none.
    public static func any(_ futures: [Future]) -> Future {
        let remaining = Lock(futures.count)
        return combine(futures) { _, result, future, trampoline in
            let isLast = remaining.withLock { remaining in
                remaining -= 1
                return remaining == 0
            }
            if case .failure = result, !isLast { return }
            future.complete(result, &trampoline)
        }
    }

    /// Returns a future with the first value or error. It fails with ``NoFuturesError`` if there are no futures.
    public static func race(_ futures: [Future]) -> Future {
        combine(futures) { $2.complete($1, &$3) }
    }

    /// Returns a future that listens to several futures until it has its outcome.
    private static func combine<Other: Sendable>(
        _ futures: [Future],
        _ forward: @escaping @Sendable (Int, Result<Value, any Error>, Future<Other>, inout Trampoline) -> Void
    ) -> Future<Other> {
        guard !futures.isEmpty else { return Future<Other>(error: NoFuturesError()) }
        let relay = ProgressRelay()
        let future = Future<Other>(progress: relay)
        let listeners = futures.enumerated().map { index, source in
            relay.add(source.progress)
            return (source, source.listen { forward(index, $0, future, &$1) })
        }
        // It stops listening when it has its outcome or is cancelled.
        let leaveAll: @Sendable () -> CancellationStep? = {
            for (source, id) in listeners { CancellationStep.run(from: source.removeListener(id)) }
            return nil
        }
        future.onCancel(leaveAll)
        future.whenDone { _ = leaveAll() }
        return future
    }
}

/// The error of ``Future/any(_:)`` and ``Future/race(_:)`` for an empty list of futures.
public struct NoFuturesError: Error, Equatable {
    /// Creates the error.
    public init() {}
}

// Combines futures of several types. The combined future fails with the first error; the others are then cancelled
// unless something else listens to them. There is an overload for each number of futures instead of a parameter pack,
// because with a pack the compiler reports misleading errors about `$0.0`.

/// Returns a future that waits for both values.
public func zip<A, B>(_ a: Future<A>, _ b: Future<B>) -> Future<(A, B)> {
    typealias Both = (first: A?, second: B?)
    return Future.all([a.map { Both($0, nil) }, b.map { Both(nil, $0) }]).map { values in
        guard let first = values[0].first, let second = values[1].second else { throw NoFuturesError() }
        return (first, second)
    }
}

/// Returns a future that waits for all three values.
public func zip<A, B, C>(_ a: Future<A>, _ b: Future<B>, _ c: Future<C>) -> Future<(A, B, C)> {
    zip(zip(a, b), c).map { ($0.0, $0.1, $1) }
}

/// Returns a future that waits for all four values.
public func zip<A, B, C, D>(
    _ a: Future<A>, _ b: Future<B>, _ c: Future<C>, _ d: Future<D>
) -> Future<(A, B, C, D)> {
    zip(zip(a, b, c), d).map { ($0.0, $0.1, $0.2, $1) }
}

/// Returns a future that waits for all five values.
public func zip<A, B, C, D, E>(
    _ a: Future<A>, _ b: Future<B>, _ c: Future<C>, _ d: Future<D>, _ e: Future<E>
) -> Future<(A, B, C, D, E)> {
    zip(zip(a, b, c, d), e).map { ($0.0, $0.1, $0.2, $0.3, $1) }
}

/// Returns a future that waits for all six values.
public func zip<A, B, C, D, E, F>(
    _ a: Future<A>, _ b: Future<B>, _ c: Future<C>, _ d: Future<D>, _ e: Future<E>, _ f: Future<F>
) -> Future<(A, B, C, D, E, F)> {
    zip(zip(a, b, c, d, e), f).map { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
}
