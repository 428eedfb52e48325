/// The steps that follow from completing a future, executed one after another.
///
/// A future that completes another adds a step instead of calling it. So the depth of the stack does not depend on the
/// length of a chain.
struct Trampoline {
    typealias Step = (inout Trampoline) -> Void

    private var steps: [Step] = []

    private init() {}

    /// Adds a step at the end.
    mutating func add(_ step: @escaping Step) { steps.append(step) }

    /// Executes a step and all steps that follow from it.
    static func run(_ first: Step) {
        var trampoline = Trampoline()
        first(&trampoline)
        var done = 0
        while done < trampoline.steps.count {
            let step = trampoline.steps[done]
            trampoline.steps[done] = { _ in }
            done += 1
            step(&trampoline)
            // Executed steps are removed in batches, to limit the size of the list in a long chain.
            if done > 64 {
                trampoline.steps.removeFirst(done)
                done = 0
            }
        }
    }
}
