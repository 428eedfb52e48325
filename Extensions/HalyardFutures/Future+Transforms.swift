import Halyard

// Futures derived from futures. The closures do not run on the main actor. An error that a closure throws is the error
// of the new future.
extension Future {
    /// Transforms the value. A failure is passed on.
    public func map<Other: Sendable>(_ transform: @escaping @Sendable (Value) throws -> Other) -> Future<Other> {
        derived { result, future, trampoline in
            future.complete(result.flatMap { value in Result { try transform(value) } }, &trampoline)
        }
    }

    /// Starts another future with the value and takes on its outcome. A failure is passed on.
    ///
    /// The new future reports the progress of both, each report with its request.
    public func flatMap<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Future<Other>
    ) -> Future<Other> {
        let relay = ProgressRelay(of: progress)
        return derived(progress: relay) { result, future, trampoline in
            switch result.flatMap({ value in Result { try transform(value) } }) {
            case .failure(let error): future.complete(.failure(error), &trampoline)
            case .success(let next): future.follow(next, relay)
            }
        }
    }

    /// Replaces an error with a value.
    public func recover(_ transform: @escaping @Sendable (any Error) throws -> Value) -> Future {
        derived { result, future, trampoline in
            future.complete(result.flatMapError { error in Result { try transform(error) } }, &trampoline)
        }
    }

    /// Replaces an error with the outcome of another future, such as a second attempt or a cached value.
    public func flatMapError(_ transform: @escaping @Sendable (any Error) throws -> Future) -> Future {
        let relay = ProgressRelay(of: progress)
        return derived(progress: relay) { result, future, trampoline in
            guard case .failure(let error) = result else { return future.complete(result, &trampoline) }
            switch Result(catching: { try transform(error) }) {
            case .failure(let error): future.complete(.failure(error), &trampoline)
            case .success(let next): future.follow(next, relay)
            }
        }
    }

    /// Replaces an error with another error.
    public func mapError(_ transform: @escaping @Sendable (any Error) -> any Error) -> Future {
        derived { result, future, trampoline in future.complete(result.mapError(transform), &trampoline) }
    }

    /// Fails if the value does not pass a test, by default with a ``FilterError``.
    public func filter(
        orThrow error: any Error = FilterError(), _ isIncluded: @escaping @Sendable (Value) throws -> Bool
    ) -> Future {
        map { value in
            guard try isIncluded(value) else { throw error }
            return value
        }
    }

    /// Adopts the outcome and the progress of another future. A cancellation is passed to it from now on.
    private func follow(_ next: Future, _ relay: ProgressRelay) {
        relay.add(next.progress)
        let id = next.listen { self.complete($0, &$1) }
        onCancel { next.removeListener(id) }
    }
}

/// The error for a value that does not pass the test of ``Future/filter(orThrow:_:)``.
public struct FilterError: Error, Equatable {
    /// Creates the error.
    public init() {}
}
