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
