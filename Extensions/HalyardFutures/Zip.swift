import Halyard

// Futures of several types as one of all their values; the first error otherwise, and the others are left then. In fixed
// numbers: over parameter packs the compiler takes `$0.0` for a complaint about `Sequence`.

/// Both values.
public func zip<A, B>(_ a: Future<A>, _ b: Future<B>) -> Future<(A, B)> {
    let relay = ProgressRelay()
    let future = Future<(A, B)>(progress: relay)
    let values = Lock<(A?, B?)>((nil, nil))
    let check: @Sendable (inout Cascade) -> Void = { cascade in
        if case (let a?, let b?) = values.withLock({ $0 }) { future.complete(.success((a, b)), &cascade) }
    }
    relay.add(a.progress)
    relay.add(b.progress)
    let first = a.listen { result, cascade in
        switch result {
        case .failure(let error): future.complete(.failure(error), &cascade)
        case .success(let value):
            values.withLock { $0.0 = value }
            check(&cascade)
        }
    }
    let second = b.listen { result, cascade in
        switch result {
        case .failure(let error): future.complete(.failure(error), &cascade)
        case .success(let value):
            values.withLock { $0.1 = value }
            check(&cascade)
        }
    }
    future.leaveTogether([{ a.leave(first) }, { b.leave(second) }])
    return future
}

/// All three values.
public func zip<A, B, C>(_ a: Future<A>, _ b: Future<B>, _ c: Future<C>) -> Future<(A, B, C)> {
    zip(zip(a, b), c).map { ($0.0, $0.1, $1) }
}

/// All four values.
public func zip<A, B, C, D>(
    _ a: Future<A>, _ b: Future<B>, _ c: Future<C>, _ d: Future<D>
) -> Future<(A, B, C, D)> {
    zip(zip(a, b, c), d).map { ($0.0, $0.1, $0.2, $1) }
}

/// All five values.
public func zip<A, B, C, D, E>(
    _ a: Future<A>, _ b: Future<B>, _ c: Future<C>, _ d: Future<D>, _ e: Future<E>
) -> Future<(A, B, C, D, E)> {
    zip(zip(a, b, c, d), e).map { ($0.0, $0.1, $0.2, $0.3, $1) }
}

/// All six values.
public func zip<A, B, C, D, E, F>(
    _ a: Future<A>, _ b: Future<B>, _ c: Future<C>, _ d: Future<D>, _ e: Future<E>, _ f: Future<F>
) -> Future<(A, B, C, D, E, F)> {
    zip(zip(a, b, c, d, e), f).map { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
}
