@testable import Halyard
import HalyardHTTP
import Testing

/// The states of a request and of a future, event by event.
struct OutcomeStateTests {
    typealias State = OutcomeState<Int, String>

    private func name(_ action: State.Action) -> String {
        switch action {
        case .start: "start"
        case .notify(let outcome): "notify \(outcome)"
        case .wait: "wait"
        }
    }

    private func readers(of completed: FIFO<State.Entry>?) -> [String]? { completed?.map(\.observer) }

    /// Every sequence of events that leads to a phase. The tests check the actions of the next events.
    enum Phase: CaseIterable { case cold, future, startedOnly, read, startedAndRead, readAndStarted, done, doneCold }

    private func state(_ phase: Phase) -> State {
        var state = State(isStarted: phase == .future)
        switch phase {
        case .cold, .future: break
        case .startedOnly: _ = state.start()
        case .read: _ = state.add("a", as: 1)
        case .startedAndRead: (_, _) = (state.start(), state.add("a", as: 1))
        case .readAndStarted: (_, _) = (state.add("a", as: 1), state.start())
        case .done: (_, _) = (state.add("a", as: 1), state.complete(1))
        case .doneCold: _ = state.complete(1)
        }
        return state
    }

    @Test(arguments: zip(Phase.allCases, ["start", "wait", "wait", "wait", "wait", "wait", "notify 1", "notify 1"]))
    func `the first observer or start() starts a request; later ones wait or get the outcome immediately`(
        _ phase: Phase, _ action: String
    ) {
        var (started, read) = (state(phase), state(phase))
        #expect(name(started.start()) == action)
        #expect(name(read.add("b", as: 2)) == action)
        #expect(!started.isCold && !read.isCold)
    }

    @Test(arguments: Phase.allCases)
    func `a request without observers is not started`(_ phase: Phase) {
        #expect(state(phase).isCold == (phase == .cold))
        #expect(state(phase).isDone == (phase == .done || phase == .doneCold))
    }

    @Test(arguments: zip(Phase.allCases, [[], [], [], ["a"], ["a"], ["a"], nil, nil] as [[String]?]))
    func `completion notifies each observer once`(_ phase: Phase, _ expected: [String]?) {
        var state = state(phase)
        #expect(readers(of: state.complete(2)) == expected)
        #expect(readers(of: state.complete(3)) == nil)
        #expect(name(state.add("late", as: 9)) == (phase == .done || phase == .doneCold ? "notify 1" : "notify 2"))
        #expect(readers(of: state.complete(4)) == nil)
    }

    @Test(arguments: zip(Phase.allCases, [false, false, false, true, false, false, false, false]))
    func `a request is canceled when its only observer leaves, unless start() was called`(
        _ phase: Phase, _ isLast: Bool
    ) {
        var state = state(phase)
        let hadReader = [.read, .startedAndRead, .readAndStarted].contains(phase)
        let (reader, wasLast) = state.remove(1)
        #expect(reader == (hadReader ? "a" : nil))
        #expect(wasLast == isLast)
        #expect(state.remove(1) == (nil, false))
        #expect(state.complete(2)?.isEmpty != false)
    }

    @Test func `observers are notified in the order they were added`() {
        var state = State()
        for reader in ["a", "b", "c"] { _ = state.add(reader, as: state.nextID()) }
        #expect(readers(of: state.complete(1)) == ["a", "b", "c"])
    }

    @Test func `each observer has its own ID, even one removed before it is added`() {
        var state = State(isStarted: true)
        #expect([state.nextID(), state.nextID(), state.nextID()] == [1, 2, 3])
        #expect(state.remove(2) == (nil, false))
        for id in [1, 3] as [UInt64] { #expect(name(state.add("a", as: id)) == "wait") }
        #expect(state.remove(1) == ("a", false))
        #expect(state.remove(3) == ("a", true))
        #expect(state.nextID() == 4)
    }

    @Test(arguments: [[1, 2, 3], [3, 2, 1], [2, 1, 3]])
    func `the last of several readers cancels the request, in any order`(_ order: [UInt64]) {
        var state = State()
        for reader in ["a", "b", "c"] { _ = state.add(reader, as: state.nextID()) }
        #expect(order.map { state.remove($0).isLast } == [false, false, true])
    }

    @Test func `removing an unknown observer changes nothing`() {
        var state = state(.read)
        #expect(state.remove(0) == (nil, false))
        #expect(state.remove(99) == (nil, false))
        #expect(readers(of: state.complete(1)) == ["a"])
    }
}
