/// What completing one future brings about: a list of steps, worked off one after another.
///
/// A future that completes another adds a step instead of calling it, so that a chain of any length needs no stack.
struct Cascade {
    typealias Step = (inout Cascade) -> Void

    private var steps: [Step] = []

    private init() {}

    mutating func add(_ step: @escaping Step) { steps.append(step) }

    /// Runs a step and all that it brings about.
    static func run(_ first: Step) {
        var cascade = Cascade()
        first(&cascade)
        var done = 0
        while done < cascade.steps.count {
            let step = cascade.steps[done]
            cascade.steps[done] = { _ in }
            done += 1
            step(&cascade)
            // What is done goes in bulk, so that a long chain is no long list.
            if done > 64 {
                cascade.steps.removeFirst(done)
                done = 0
            }
        }
    }
}
