import Halyard
import HalyardHTTP

/// Limits how many requests are sent in a time, for each key. The others wait by priority.
///
/// The stage is below the limits for requests at once: a request is sent as soon as it has its token, so that the server
/// sees no more than the rate. It holds its slot of those limits while it waits.
final class RateLimiting: Interceptor {
    fileprivate struct State: Sendable {
        var places: [RequestKey.Value: RatePlace<Turn>] = [:]
        /// The tasks that give turns, for the keys with requests that wait.
        var pumps: [RequestKey.Value: (number: Int, task: Task<Void, Never>)] = [:]
        var lastPump = 0
        /// The number of places at which idle ones are removed.
        var sweepCount = 128
    }

    private let key: RequestKey
    private let bucket: TokenBucket
    private let maximumWait: Duration
    private let state = Lock(State())

    init(_ bucket: TokenBucket, maximumWait: Duration, by key: RequestKey) {
        self.key = key
        self.bucket = bucket
        self.maximumWait = max(.zero, maximumWait)
    }

    /// The number of keys whose state is kept.
    var keyCount: Int { state.withLock { $0.places.count } }

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        guard let key = key.value(request) else { return try await next.proceed(request) }
        try await acquire(request, key, next.context)
        do {
            let response = try await next.proceed(request)
            learn(response, key, next.context)
            return response
        } catch {
            state.withLock { $0.places[key]?.inFlight -= 1 }
            throw error
        }
    }

    private func learn(_ response: HTTPResponse, _ key: RequestKey.Value, _ context: RequestContext) {
        let quotas = RateLimitFields(response.headers).quotas
        let pause =
            [429, 503].contains(response.status)
            ? RetryAfter.delay(response.headers, now: context.time.date()) : nil
        let now = context.time.now()
        state.withLock { state in
            state.places[key]?.inFlight -= 1
            if let pause { state.places[key]?.pause(pause, at: now) }
            if !quotas.isEmpty { state.places[key]?.learn(quotas, at: now) }
        }
    }

    private enum Admission {
        case granted
        case waiting(WaitingLine<Turn>.Ticket)
        case refused(after: Duration)
    }

    private nonisolated(nonsending) func acquire(
        _ request: HTTPRequest, _ key: RequestKey.Value, _ context: RequestContext
    ) async throws {
        let turn = Turn()
        let time = context.time
        @Sendable func refusal(_ delay: Duration) -> HTTPError {
            HTTPError(
                .rateLimited("\(key)"), reason: "the request would wait longer than \(maximumWait.logText)",
                request: request
            ).with { $0.retryDelay = delay }
        }
        switch admit(turn, key, context) {
        case .granted: return
        case .refused(let delay): throw refusal(delay)
        case .waiting(let ticket):
            try await context.wait(
                for: turn, request, "the rate limit of \(key)",
                atMost: (
                    maximumWait,
                    { [state] in
                        let now = time.now()
                        return refusal(state.withLock { $0.places[key]?.delay(at: now) ?? .zero })
                    }
                )
            ) { [weak self] in self?.leave(ticket, key) }
        }
    }

    private func admit(_ turn: Turn, _ key: RequestKey.Value, _ context: RequestContext) -> Admission {
        let now = context.time.now()
        return state.withLock { state in
            if state.places[key] == nil { state.sweep(at: now) }
            var place = state.places.removeValue(forKey: key) ?? RatePlace(bucket)
            defer { state.places[key] = place }
            if place.takeNow(at: now) { return .granted }
            let estimate = place.estimate(context.priority, at: now)
            if estimate > maximumWait { return .refused(after: estimate) }
            if state.pumps[key] == nil {
                state.lastPump += 1
                state.pumps[key] = (state.lastPump, pump(state.lastPump, key, context.time))
            }
            return .waiting(place.line.append(turn, context.priority))
        }
    }

    private func leave(_ ticket: WaitingLine<Turn>.Ticket, _ key: RequestKey.Value) {
        // Cancelling may run code of the clock, which must not run under the lock.
        let pump = state.withLock { state -> Task<Void, Never>? in
            guard state.places[key]?.line.remove(ticket) == true, state.places[key]?.line.isEmpty == true else {
                return nil
            }
            return state.pumps.removeValue(forKey: key)?.task
        }
        pump?.cancel()
    }

    /// Starts a task that gives turns to the requests of a key, while there are any.
    private func pump(_ number: Int, _ key: RequestKey.Value, _ time: PipelineTime) -> Task<Void, Never> {
        Task { [weak self] in
            while !Task.isCancelled, let step = self?.step(number, key, at: time.now()) {
                switch step {
                case .turn(let turn): if !turn.end(with: .success(())) { self?.giveBack(key) }
                case .wait(let delay): try? await time.sleep(delay)
                case .done: return
                }
            }
        }
    }

    private func step(_ number: Int, _ key: RequestKey.Value, at now: Duration) -> RatePlace<Turn>.Step {
        state.withLock { state in
            // Another task has taken over after this one was cancelled.
            guard state.pumps[key]?.number == number else { return .done }
            let step = state.places[key]?.step(at: now) ?? .done
            if case .done = step { state.pumps[key] = nil }
            return step
        }
    }

    private func giveBack(_ key: RequestKey.Value) { state.withLock { $0.places[key]?.giveBack() } }
}

extension RateLimiting.State {
    /// Removes the places that are as new ones, if there are many.
    fileprivate mutating func sweep(at now: Duration) {
        guard places.count >= sweepCount else { return }
        places = places.filter { !$0.value.isIdle(at: now) }
        sweepCount = max(128, places.count * 2)
    }
}
