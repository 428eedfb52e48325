import Testing

@testable import HalyardFutures

/// All states of a future.
struct FutureStateTests {
    /// A state in a class, so that an expectation may change it.
    private final class State {
        private var state = FutureState<String>()
        var isDone: Bool { state.isDone }
        func add(_ listener: String) -> (id: UInt64, waits: Bool) {
            let id = state.nextID()
            return (id, state.add(listener, as: id))
        }
        func remove(_ id: UInt64) -> Bool { state.remove(id).isLast }
        func complete() -> [String]? { state.complete() }
    }

    private let state = State()

    @Test func `listeners are notified in order, and a second outcome is ignored`() {
        #expect(state.add("a").waits)
        #expect(state.add("b").waits)
        #expect(!state.isDone)
        #expect(state.complete() == ["a", "b"])
        #expect(state.complete() == nil)
        #expect(state.isDone)
    }

    @Test func `a late listener does not wait`() {
        #expect(state.complete() == [])
        #expect(!state.add("late").waits)
        #expect(state.complete() == nil)
    }

    @Test func `removing the last listener is reported once, and only before the outcome`() {
        let (a, b) = (state.add("a").id, state.add("b").id)
        #expect(!state.remove(a))
        #expect(!state.remove(a))
        #expect(state.remove(b))
        #expect(!state.remove(b))
        #expect(!state.remove(99))
        let c = state.add("c").id
        #expect(state.complete() == ["c"])
        #expect(!state.remove(c))
    }
}
