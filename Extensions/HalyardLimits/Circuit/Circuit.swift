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

    /// Lets a request pass.
    ///
    /// - Returns: The pass, and the change of the state if there is one.
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
