import HalyardHTTP

/// A value that expires and is renewed: a token, or the keys of an account. All requests share one.
///
/// It is renewed once for any number of requests, which wait for the result. Cancelling them does not stop the renewal.
package final class Renewable<Value: Sendable & Equatable>: Sendable {
    /// A new value, and how long it is valid. `nil` if that is not known: it is renewed when it is refused.
    package typealias Renewed = (value: Value, lifetime: Duration?)
    /// Receives the value, or `nil` after it was removed.
    private typealias Waiter = CancellableWaiter<Value?>

    private struct State: Sendable {
        var value: Value?
        /// When the value expires, and from when on it is renewed. `nil` if that is not known.
        var end: (expiry: Duration, renewal: Duration)?
        /// A number that changes when the value is set. The result of a renewal that began before is dropped.
        var generation: UInt64 = 0
        var isRenewing = false
        /// Whether an early renewal has failed. The next one begins when the value has expired.
        var hasFailedEarly = false
        var waiters: [UInt64: Waiter] = [:]
        var lastID: UInt64 = 0

        mutating func set(_ renewed: Renewed?, _ leeway: Duration, now: Duration) {
            (value, hasFailedEarly) = (renewed?.value, false)
            end = renewed?.lifetime.map { (now + $0, now + $0 - min(leeway, $0 / 2)) }
        }

        /// Ends the renewal, and returns the waiting requests.
        mutating func endRenewal() -> [Waiter] {
            isRenewing = false
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    private let state: Lock<State>
    private let renew: @Sendable (Value?) async throws -> Renewed
    private let leeway: Duration
    private let now: @Sendable () -> Duration

    /// Makes a value. From `leeway` before its end on, the next request starts a renewal. All requests use the old value
    /// until it expires, and then wait. `renew` receives the value that was refused or has expired.
    package init(
        _ first: Renewed?, leeway: Duration, now: @escaping @Sendable () -> Duration,
        renew: @escaping @Sendable (Value?) async throws -> Renewed
    ) {
        (self.leeway, self.renew, self.now) = (leeway, renew, now)
        var state = State()
        state.set(first, leeway, now: now())
        self.state = Lock(state)
    }

    /// The value, which may have expired.
    package var value: Value? { state.withLock { $0.value } }

    /// Sets the value. It cancels any renewal in progress, and waiting requests get the new value, unless the renewal
    /// itself sets it.
    package func update(_ renewed: Renewed?) {
        let (isOfRenewal, now) = (isRenewedByThisTask, now())
        let waiters = state.withLock { state -> [Waiter] in
            state.set(renewed, leeway, now: now)
            if isOfRenewal { return [] }
            state.generation += 1
            return state.endRenewal()
        }
        for waiter in waiters { waiter.end(with: .success(renewed?.value)) }
    }

    /// Whether the current task is the renewal, whose own requests have no value yet.
    package var isRenewedByThisTask: Bool { RenewalScope.renewing.contains(ObjectIdentifier(self)) }

    /// Returns the value. If there is none, or it has expired, it is renewed first. `nil` if it was removed meanwhile, and
    /// in the renewal itself, which would wait for its own end.
    package func current() async throws -> Value? {
        if isRenewedByThisTask { return nil }
        let (current, expired) = valid()
        return if let current { current } else { try await renewed(refused: expired) }
    }

    /// Returns the value, and starts a renewal if it expires soon. `nil` if there is none, or it has expired.
    private func valid() -> (current: Value?, expired: Value?) {
        let now = now()
        let (result, generation) = state.withLock { state -> ((Value?, Value?), UInt64?) in
            guard let value = state.value else { return ((nil, nil), nil) }
            guard let end = state.end, now >= end.renewal else { return ((value, nil), nil) }
            if now >= end.expiry { return ((nil, value), nil) }
            guard !state.isRenewing, !state.hasFailedEarly else { return ((value, nil), nil) }
            state.isRenewing = true
            return ((value, nil), state.generation)
        }
        if let generation { start(result.0, generation) }
        return result
    }

    /// Returns a value other than the refused one. `nil` if it was removed.
    package func renewed(refused: Value?) async throws -> Value? {
        let waiter = Waiter()
        let (current, id, renewal) = add(waiter, refused: refused)
        if let current { return current }
        if let renewal { start(refused, renewal) }
        return try await waiter.value { state.withLock { $0.waiters[id] = nil } }
    }

    /// Adds a waiter, or returns a value that has replaced the refused one.
    private func add(_ waiter: Waiter, refused: Value?) -> (current: Value?, id: UInt64, renewal: UInt64?) {
        state.withLock { state in
            if let value = state.value, value != refused, !state.isRenewing { return (value, 0, nil) }
            state.lastID += 1
            state.waiters[state.lastID] = waiter
            defer { state.isRenewing = true }
            return (nil, state.lastID, state.isRenewing ? nil : state.generation)
        }
    }

    /// Starts the renewal in a task of its own, which the cancellation of a request does not end.
    private func start(_ refused: Value?, _ generation: UInt64) {
        let renewing = RenewalScope.renewing.union([ObjectIdentifier(self)])
        Task {
            let result: Result<Renewed, any Error>
            do {
                result = .success(try await RenewalScope.$renewing.withValue(renewing) { try await renew(refused) })
            } catch { result = .failure(error) }
            let now = now()
            let waiters = state.withLock { state -> [Waiter] in
                guard state.generation == generation else { return [] }
                switch result {
                case .success(let renewed): state.set(renewed, leeway, now: now)
                case .failure: state.hasFailedEarly = true
                }
                return state.endRenewal()
            }
            for waiter in waiters { waiter.end(with: result.map(\.value)) }
        }
    }
}

/// What the current task renews. A generic type has no variables of its own.
private enum RenewalScope {
    @TaskLocal static var renewing: Set<ObjectIdentifier> = []
}
