public import Halyard

/// The circuit of one origin. It decides only: the time is a parameter.
struct Circuit: Sendable {
    /// When a circuit opens, and for how long.
    struct Rules: Sendable {
        /// The number of failures in the window at which the circuit opens.
        var failures: Int
        /// The share of failures in the window at which the circuit opens.
        var ratio: Double
        /// The time in which outcomes count.
        var window: Duration
        /// The time for which the circuit is open.
        var pause: Duration
        /// The number of requests at once that try a half-open circuit, and of successes that close it.
        var probes: Int
    }

    /// A request that a circuit let pass.
    struct Pass: Sendable {
        fileprivate let generation: Int
    }

    /// The change that an outcome makes.
    enum Transition: Equatable {
        case opened(failures: Int, of: Int)
        case halfOpened
        case closed
    }

    /// Why a request may not pass.
    struct Refusal: Error, Equatable {
        /// The time until the circuit lets a request pass. `nil` if it depends on requests that try it.
        let delay: Duration?
    }

    private enum State: Sendable {
        case closed
        case open(until: Duration)
        case halfOpen(trying: Int, successes: Int)
    }

    private let rules: Rules
    private var state = State.closed
    private var outcomes: OutcomeWindow
    /// The number of changes of the state. The outcome of a request that passed before the last one does not count.
    private var generation = 0

    init(_ rules: Rules) {
        self.rules = rules
        outcomes = OutcomeWindow(rules.window)
    }

    /// Whether the circuit is as a new one, so that it need not be kept.
    func isIdle(at now: Duration) -> Bool {
        if case .closed = state { outcomes.counts(at: now).all == 0 } else { false }
    }

    /// Returns why a request may not pass now. `nil` if it may.
    func refusal(at now: Duration) -> Refusal? {
        switch state {
        case .open(let end) where end > now: Refusal(delay: end - now)
        case .halfOpen(let trying, _) where trying >= rules.probes: Refusal(delay: nil)
        default: nil
        }
    }

    /// Lets a request pass. Returns the pass, and the change of the state if there is one.
    mutating func pass(at now: Duration) throws(Refusal) -> (Pass, Transition?) {
        if let refusal = refusal(at: now) { throw refusal }
        var transition: Transition?
        if case .open = state {
            change(to: .halfOpen(trying: 0, successes: 0))
            transition = .halfOpened
        }
        if case .halfOpen(let trying, let successes) = state {
            state = .halfOpen(trying: trying + 1, successes: successes)
        }
        return (Pass(generation: generation), transition)
    }

    /// Records the outcome of a request that passed.
    mutating func record(_ outcome: CircuitOutcome, of pass: Pass, at now: Duration) -> Transition? {
        guard pass.generation == generation else { return nil }
        switch state {
        case .open: return nil
        case .closed:
            outcomes.add(outcome, at: now)
            let (failures, all) = outcomes.counts(at: now)
            guard outcome == .failure, failures >= rules.failures, Double(failures) >= rules.ratio * Double(all) else {
                return nil
            }
            return open(failures, all, at: now)
        case .halfOpen(let trying, let successes):
            switch outcome {
            case .failure: return open(1, 1, at: now)
            case .ignored: state = .halfOpen(trying: trying - 1, successes: successes)
            case .success where successes + 1 >= rules.probes:
                change(to: .closed)
                return .closed
            case .success: state = .halfOpen(trying: trying - 1, successes: successes + 1)
            }
            return nil
        }
    }

    private mutating func open(_ failures: Int, _ all: Int, at now: Duration) -> Transition {
        change(to: .open(until: now + rules.pause))
        return .opened(failures: failures, of: all)
    }

    private mutating func change(to state: State) {
        self.state = state
        generation += 1
        outcomes = OutcomeWindow(rules.window)
    }
}

/// What the outcome of a request says about its origin, for a circuit breaker.
public enum CircuitOutcome: Sendable, Hashable {
    /// The origin is working.
    case success
    /// The origin is failing.
    case failure
    /// The outcome says nothing about the origin.
    case ignored

    /// Returns the default classification of an outcome.
    ///
    /// - A response with the status 500, 502, 503 or 504 is a failure. Any other response is a success: a 404 or a 429
    ///   comes from a working server.
    /// - An ``HTTPError`` without a response from the server is a failure: no such host, no connection, no TLS, a lost
    ///   connection, an invalid response, a timeout.
    /// - A cancelled request, and an error of the request itself or of its limits, is ignored.
    public static func standard(_ outcome: Result<HTTPResponse, any Error>) -> CircuitOutcome {
        switch outcome {
        case .success(let response): return [500, 502, 503, 504].contains(response.status) ? .failure : .success
        case .failure(let error as HTTPError):
            switch error.kind {
            case .hostNotFound, .cannotConnect, .tls, .timedOut, .connectionLost, .invalidResponse: return .failure
            default: return .ignored
            }
        case .failure: return .ignored
        }
    }
}

/// The outcomes of the last time, counted in ten parts of it. An outcome counts for at least nine tenths of the time,
/// and at most for all of it.
struct OutcomeWindow: Sendable {
    private struct Part: Sendable {
        var number = Int.min
        var failures = 0
        var all = 0
    }

    private var parts = Array(repeating: Part(), count: 10)
    private let length: Duration

    /// Makes a window without outcomes.
    init(_ time: Duration) { length = max(time / 10, .nanoseconds(1)) }

    mutating func add(_ outcome: CircuitOutcome, at now: Duration) {
        guard outcome != .ignored else { return }
        let number = number(at: now)
        let index = ((number % parts.count) + parts.count) % parts.count
        if parts[index].number != number { parts[index] = Part(number: number) }
        parts[index].all += 1
        if outcome == .failure { parts[index].failures += 1 }
    }

    /// Returns the number of failures, and of all outcomes.
    func counts(at now: Duration) -> (failures: Int, all: Int) {
        let last = number(at: now)
        return parts.filter { $0.number > last - parts.count }.reduce((0, 0)) { ($0.0 + $1.failures, $0.1 + $1.all) }
    }

    private func number(at now: Duration) -> Int { Int((now / length).rounded(.down)) }
}
