import Halyard

// Futures made of futures. What the closures throw is the new future's error. They run off the main actor.
extension Future {
    /// The value, made into another.
    public func map<Other: Sendable>(_ transform: @escaping @Sendable (Value) throws -> Other) -> Future<Other> {
        derived { result, future, cascade in
            future.complete(result.flatMap { value in Result { try transform(value) } }, &cascade)
        }
    }

    /// The value, made into another future, whose outcome becomes that of this one.
    ///
    /// A failure ends the chain: `transform` is not called then. Progress is that of both, each report with its request.
    public func flatMap<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Future<Other>
    ) -> Future<Other> {
        let relay = ProgressRelay(of: progress)
        return derived(progress: relay) { result, future, cascade in
            switch result.flatMap({ value in Result { try transform(value) } }) {
            case .failure(let error): future.complete(.failure(error), &cascade)
            case .success(let next): future.follow(next, relay)
            }
        }
    }

    /// A value in place of an error.
    public func recover(_ transform: @escaping @Sendable (any Error) throws -> Value) -> Future {
        derived { result, future, cascade in
            future.complete(result.flatMapError { error in Result { try transform(error) } }, &cascade)
        }
    }

    /// Another future in place of an error: a second try, a cache.
    public func flatMapError(_ transform: @escaping @Sendable (any Error) throws -> Future) -> Future {
        let relay = ProgressRelay(of: progress)
        return derived(progress: relay) { result, future, cascade in
            guard case .failure(let error) = result else { return future.complete(result, &cascade) }
            switch Result(catching: { try transform(error) }) {
            case .failure(let error): future.complete(.failure(error), &cascade)
            case .success(let next): future.follow(next, relay)
            }
        }
    }

    /// Another error in place of an error.
    public func mapError(_ transform: @escaping @Sendable (any Error) -> any Error) -> Future {
        derived { result, future, cascade in future.complete(result.mapError(transform), &cascade) }
    }

    /// The value, where it passes a test; else an error.
    ///
    /// - Parameter error: ``FilterError`` unless given.
    public func filter(
        orThrow error: any Error = FilterError(), _ isIncluded: @escaping @Sendable (Value) throws -> Bool
    ) -> Future {
        map { value in
            guard try isIncluded(value) else { throw error }
            return value
        }
    }

    /// Takes over the outcome of another future, and its progress; cancellation goes there from now on.
    private func follow(_ next: Future, _ relay: ProgressRelay) {
        relay.add(next.progress)
        let id = next.listen { self.complete($0, &$1) }
        onCancel { next.leave(id) }
    }
}

/// A value did not pass the test of ``Future/filter(orThrow:_:)``.
public struct FilterError: Error, Equatable {
    /// Makes the error.
    public init() {}
}
