import HalyardHTTP
import HalyardSystem

/// What callers hand to the loop, and who has the loop: its own thread, or, while that sleeps, a caller for as long as
/// it takes to begin a request. Whoever has it is alone with it.
final class Mailbox: Sendable {
    enum Command: Sendable {
        case start(Start)
        case cancel(UInt64)
        /// The user's side of a stream can go on, or has left.
        case streamChanged(UInt64)
        /// The file that a response went to is whole, or gone.
        case written(UInt64)
        /// Nobody can send any more: end when all is done.
        case release
        /// End everything now.
        case shutdown
    }

    private enum Holder { case nobody, thread, caller, processExit }

    private struct State: Sendable {
        var commands: [Command] = []
        var lastID: UInt64 = 0
        var holder = Holder.thread
        /// When the loop's thread, which sleeps, wakes by itself, but for what is left of a millisecond.
        var alarm = Instant.now
        /// The loop's thread is awake, and waits for the caller who has the loop.
        var isAwaited = false
        /// The process is exiting: nobody may take the loop any more.
        var isHalting = false
        /// Nil until the loop runs, and when it has ended.
        /// Unsafe, and sound: who takes it from here is noted as its holder, under the lock, and is the only one.
        nonisolated(unsafe) var loop: EventLoop?
        /// Nil when the loop has ended.
        var bell: Bell?

        mutating func add(_ command: Command) {
            commands.append(command)
            if holder == .nobody { wakeThread() }
        }

        /// Gives the loop to its thread, which sleeps or waits. Under the lock, for the bell is gone when `close` has had it.
        mutating func wakeThread() {
            holder = .thread
            isAwaited = false
            bell?.ring()
        }
    }

    private let state: Lock<State>
    /// Whether a caller may have the loop.
    private let isLent: Bool
    /// A child of the process has a copy of all this, and nothing behind it: no thread, and the parent's connections.
    private let process = getpid()

    init(_ bell: Bell, isLent: Bool) {
        state = Lock(State(bell: bell))
        self.isLent = isLent
    }

    func nextID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    private var isAtHome: Bool { getpid() == process }

    /// Hands a command over. False when the loop has ended, and nobody will read it.
    @discardableResult
    func post(_ command: Command) -> Bool {
        guard isAtHome else { return false }
        return state.withLock { state in
            guard state.bell != nil else { return false }
            state.add(command)
            return true
        }
    }

    /// Hands a request over. While the loop's thread sleeps it is begun here and now: to wake that and to change over to
    /// it takes longer.
    ///
    /// - Throws: ``HTTPError`` of kind `shutDown` when the loop has ended, `engineUnavailable` in a child of its process.
    func post(_ start: Start) throws(HTTPError) {
        guard isAtHome else {
            throw HTTPError(
                .engineUnavailable, reason: "the engine was made before the process forked",
                suggestion: "Make clients and engines after the fork")
        }
        let mayVisit = isLent && !start.mayBlock
        let (isOpen, loop) = state.withLock { state -> (Bool, EventLoop?) in
            guard state.bell != nil, !state.isHalting else { return (false, nil) }
            if mayVisit, state.holder == .nobody, let loop = state.loop {
                state.holder = .caller
                return (true, loop)
            }
            state.add(.start(start))
            return (true, nil)
        }
        guard isOpen else { throw HTTPError(.shutDown) }
        loop?.visit(with: start)
    }

    /// Says that a caller is done with the loop.
    ///
    /// - Parameters:
    ///   - due: when the loop's thread is to look at it, if nothing happens before.
    ///   - rest: what the caller leaves to that thread.
    func leave(due: Instant?, _ rest: Command? = nil) {
        state.withLock { state in
            if state.isHalting { return state.holder = .processExit }
            if let rest { state.commands.insert(rest, at: 0) }
            // It sleeps in whole milliseconds.
            let isEarly = due.map { $0.advanced(milliseconds: 1) < state.alarm } ?? false
            if state.isAwaited || isEarly || !state.commands.isEmpty {
                state.wakeThread()
            } else {
                state.holder = .nobody
            }
        }
    }

    /// Says that the loop runs, on its thread.
    func open(_ loop: EventLoop) { state.withLock { $0.loop = loop } }

    /// What was posted since the last time. The array that is handed in is used for the next.
    func take(reusing spent: [Command]) -> [Command] {
        let commands = state.withLock { state -> [Command]? in
            if state.isHalting {
                state.holder = .processExit
                return nil
            }
            let commands = state.commands
            state.commands = spent
            return commands
        }
        guard let commands else { ProcessExit.park() }
        return commands
    }

    /// Says that the loop's thread goes to sleep; false when there is something to do first.
    func fallAsleep(until alarm: Instant) -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty else { return false }
            state.holder = .nobody
            state.alarm = alarm
            return true
        }
    }

    /// Gives the loop to its thread, which has woken; false while a caller has it, who will ring.
    func wakeUp() -> Bool {
        state.withLock { state in
            state.isAwaited = state.holder == .caller || state.holder == .processExit
            if !state.isAwaited { state.holder = .thread }
            return !state.isAwaited
        }
    }

    /// Takes the loop away from everybody, because the process is exiting.
    ///
    /// - Returns: false while somebody still has the loop, who gives it up soon; true in a child of the engine's process,
    ///   where no thread has it.
    func halt() -> Bool {
        guard isAtHome else { return true }
        return state.withLock { state in
            state.isHalting = true
            if state.holder == .nobody { state.holder = .processExit }
            return state.holder == .processExit
        }
    }

    /// Takes nothing more, and gives what nobody has read.
    func close() -> [Command] {
        state.withLock { state in
            state.bell = nil
            state.loop = nil
            defer { state.commands = [] }
            return state.commands
        }
    }
}
