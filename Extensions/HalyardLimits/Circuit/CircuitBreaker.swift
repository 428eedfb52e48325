import Halyard
import HalyardHTTP

/// The circuits of all origins, for two stages.
final class CircuitBreaker: Sendable {
    fileprivate struct State: Sendable {
        var circuits: [Origin: Circuit] = [:]
        /// The number of circuits at which idle ones are removed.
        var sweepCount = 128
    }

    private let rules: Circuit.Rules
    private let outcome: @Sendable (Result<HTTPResponse, any Error>) -> CircuitOutcome
    private let state = Lock(State())

    init(_ rules: Circuit.Rules, _ outcome: @escaping @Sendable (Result<HTTPResponse, any Error>) -> CircuitOutcome) {
        self.rules = rules
        self.outcome = outcome
    }

    /// The number of origins whose circuits are kept.
    var originCount: Int { state.withLock { $0.circuits.count } }

    /// Refuses a request to an origin whose circuit is open.
    func check(_ request: HTTPRequest, _ context: RequestContext) throws {
        let now = context.time.now()
        let refusal = state.withLock { $0.circuits[request.origin]?.refusal(at: now) }
        if let refusal { throw error(refusal, request) }
    }

    func pass(_ request: HTTPRequest, _ context: RequestContext) throws -> Circuit.Pass {
        let now = context.time.now()
        let result = state.withLock { state in
            if state.circuits[request.origin] == nil { state.sweep(at: now) }
            return Result { () throws(Circuit.Refusal) in
                try state.circuits[request.origin, default: Circuit(rules)].pass(at: now)
            }
        }
        do throws(Circuit.Refusal) {
            let (pass, transition) = try result.get()
            log(transition, request, context)
            return pass
        } catch { throw self.error(error, request) }
    }

    func record(
        _ result: Result<HTTPResponse, any Error>, of pass: Circuit.Pass, _ request: HTTPRequest,
        _ context: RequestContext
    ) {
        var result = result
        // The deadline cancels the stages of a client with interceptors. The origin was too slow all the same.
        if case .failure(is CancellationError) = result, let remaining = context.remaining, remaining <= .zero {
            result = .failure(context.timeoutError)
        }
        let outcome = outcome(result)
        let now = context.time.now()
        let transition = state.withLock { $0.circuits[request.origin]?.record(outcome, of: pass, at: now) }
        log(transition, request, context)
    }

    private func error(_ refusal: Circuit.Refusal, _ request: HTTPRequest) -> HTTPError {
        let reason = refusal.delay.map { "requests to it have failed, and it is tried again in \($0.logText)" }
        return HTTPError(
            .circuitOpen("\(request.origin)"),
            reason: reason ?? "requests to it have failed, and others are trying it now", request: request
        ).with { $0.retryDelay = refusal.delay }
    }

    private func log(_ transition: Circuit.Transition?, _ request: HTTPRequest, _ context: RequestContext) {
        guard let log = context.log, let transition else { return }
        let circuit = "the circuit of \(request.origin)"
        switch transition {
        case .opened(let failures, let all):
            log.log(
                .circuit, request, delay: rules.pause, note: "\(circuit) is open, after \(failures) failures of \(all),"
            )
        case .halfOpened: log.log(.circuit, request, note: "\(circuit) is half-open")
        case .closed: log.log(.circuit, request, note: "\(circuit) is closed")
        }
    }
}

extension CircuitBreaker.State {
    /// Removes the circuits that are as new ones, if there are many.
    fileprivate mutating func sweep(at now: Duration) {
        guard circuits.count >= sweepCount else { return }
        circuits = circuits.filter { !$0.value.isIdle(at: now) }
        sweepCount = max(128, circuits.count * 2)
    }
}

/// Refuses a request to an origin whose circuit is open, before it waits for anything.
struct CircuitGate: Interceptor {
    let breaker: CircuitBreaker

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        try breaker.check(request, next.context)
        return try await next.proceed(request)
    }
}

/// Counts the outcomes of requests, and refuses those whose circuit has opened while they waited.
///
/// It is below everything that waits, so that waiting is not taken for a slow origin, and so that a request that tries a
/// half-open circuit is sent at once.
struct CircuitMeter: Interceptor {
    let breaker: CircuitBreaker

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let pass = try breaker.pass(request, next.context)
        do {
            let response = try await next.proceed(request)
            breaker.record(.success(response), of: pass, request, next.context)
            return response
        } catch {
            breaker.record(.failure(error), of: pass, request, next.context)
            throw error
        }
    }
}
