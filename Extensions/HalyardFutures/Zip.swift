import Halyard

// Combines futures of several types. The combined future fails with the first error; the others are then cancelled
// unless something else listens to them. There is an overload for each number of futures instead of a parameter pack,
// because with a pack the compiler reports misleading errors about `$0.0`.

/// Waits for both values.
///
/// - Parameter b: The second future.
public func zip<A, B>(_ a: Future<A>, _ b: Future<B>) -> Future<(A, B)> {
    let relay = ProgressRelay()
    let future = Future<(A, B)>(progress: relay)
    let values = Lock<(A?, B?)>((nil, nil))
    let check: @Sendable (inout Trampoline) -> Void = { trampoline in
        if case (let a?, let b?) = values.withLock({ $0 }) { future.complete(.success((a, b)), &trampoline) }
    }
    relay.add(a.progress)
    relay.add(b.progress)
    let first = a.listen { result, trampoline in
        switch result {
        case .failure(let error): future.complete(.failure(error), &trampoline)
        case .success(let value):
            values.withLock { $0.0 = value }
            check(&trampoline)
        }
    }
    let second = b.listen { result, trampoline in
        switch result {
        case .failure(let error): future.complete(.failure(error), &trampoline)
        case .success(let value):
            values.withLock { $0.1 = value }
            check(&trampoline)
        }
    }
    future.cancelTogether([{ a.removeListener(first) }, { b.removeListener(second) }])
    return future
}

/// Waits for all three values.
///
/// - Parameter b: The second future.
public func zip<A, B, C>(_ a: Future<A>, _ b: Future<B>, _ c: Future<C>) -> Future<(A, B, C)> {
    zip(zip(a, b), c).map { ($0.0, $0.1, $1) }
}

/// Waits for all four values.
///
/// - Parameter b: The second future.
public func zip<A, B, C, D>(
    _ a: Future<A>, _ b: Future<B>, _ c: Future<C>, _ d: Future<D>
) -> Future<(A, B, C, D)> {
    zip(zip(a, b, c), d).map { ($0.0, $0.1, $0.2, $1) }
}

/// Waits for all five values.
///
/// - Parameter b: The second future.
public func zip<A, B, C, D, E>(
    _ a: Future<A>, _ b: Future<B>, _ c: Future<C>, _ d: Future<D>, _ e: Future<E>
) -> Future<(A, B, C, D, E)> {
    zip(zip(a, b, c, d), e).map { ($0.0, $0.1, $0.2, $0.3, $1) }
}

/// Waits for all six values.
///
/// - Parameter b: The second future.
public func zip<A, B, C, D, E, F>(
    _ a: Future<A>, _ b: Future<B>, _ c: Future<C>, _ d: Future<D>, _ e: Future<E>, _ f: Future<F>
) -> Future<(A, B, C, D, E, F)> {
    zip(zip(a, b, c, d, e), f).map { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
}
