import Testing

@testable import HalyardFutures

/// All states of a future.
struct FutureStateTests {
    /// A state in a class, so that an expectation may change it.
    private final class State {
        private var state = FutureState<Int, String>()
        var result: Result<Int, any Error>? { state.result }
        func add(_ listener: String) -> (id: UInt64, known: Result<Int, any Error>?) {
            let id = state.nextID()
            return (id, state.add(listener, as: id))
        }
        func remove(_ id: UInt64) -> Bool { state.remove(id) }
        func complete(_ value: Int) -> [String]? { state.complete(.success(value)) }
    }

    private let state = State()

    @Test func `listeners are notified in order, and a second outcome is ignored`() throws {
        #expect(state.add("a").known == nil)
        #expect(state.add("b").known == nil)
        #expect(state.complete(1) == ["a", "b"])
        #expect(state.complete(2) == nil)
        #expect(try state.result?.get() == 1)
    }

    @Test func `a late listener is notified at once`() throws {
        #expect(state.complete(1) == [])
        #expect(try state.add("late").known?.get() == 1)
        #expect(state.complete(2) == nil)
    }

    @Test func `removing the last listener is reported once, and only before the outcome`() {
        let (a, b) = (state.add("a").id, state.add("b").id)
        #expect(!state.remove(a))
        #expect(!state.remove(a))
        #expect(state.remove(b))
        #expect(!state.remove(b))
        #expect(!state.remove(99))
        let c = state.add("c").id
        #expect(state.complete(1) == ["c"])
        #expect(!state.remove(c))
    }
}
