import HalyardHTTP
import HalyardSystem

/// The thread-safe part of an event loop: the queue of commands, and the record of which thread owns the loop.
///
/// The loop has one owner at a time. Usually that is its own thread. While that thread sleeps in ``EventLoop``'s poll, the
/// loop has no owner, and a thread that submits a request may take it and start the request itself. Waking the loop's
/// thread and switching to it takes longer. While the process exits, the exit handler owns the loop and keeps
/// it.
///
/// One lock protects all of this state. The owner uses the loop without the lock.
final class EventLoopHandle: Sendable {
    private enum Owner { case none, loopThread, submitter, processExit }

    private struct State: Sendable {
        var commands: [LoopCommand] = []
        var lastID: UInt64 = 0
        var owner = Owner.loopThread
        /// The time at which the sleeping loop thread wakes without a signal, to within a millisecond.
        var wakeTime = MonotonicInstant.now
        /// Whether the loop thread is awake and waits for the submitter that owns the loop.
        var isThreadWaiting = false
        /// Whether the process is exiting, so that no thread may take the loop any more.
        var isExiting = false
        /// The loop; `nil` before it runs and after it has ended.
        ///
        /// `nonisolated(unsafe)` is sound: a thread that takes the loop from here becomes its owner under the lock, and
        /// there is only one owner.
        nonisolated(unsafe) var loop: EventLoop?
        /// Wakes the loop thread; `nil` after the loop has ended, when the descriptor is closed.
        var wakeup: WakeupDescriptor?

        mutating func append(_ command: LoopCommand) {
            commands.append(command)
            if owner == .none { wakeThread() }
        }

        /// Gives the loop to its thread, which sleeps or waits. This is done under the lock, because ``close()`` closes
        /// the descriptor.
        mutating func wakeThread() {
            owner = .loopThread
            isThreadWaiting = false
            wakeup?.signal()
        }
    }

    private let state: Lock<State>
    private let allowsInlineSubmission: Bool
    /// The process that made the engine. A forked child has a copy of this object, but no loop thread, and the parent's
    /// connections.
    private let process = getpid()

    /// Makes the handle of a loop that does not run yet. `allowsInlineSubmission` says whether submitting threads may
    /// start requests themselves.
    init(_ wakeup: WakeupDescriptor, allowsInlineSubmission: Bool) {
        state = Lock(State(wakeup: wakeup))
        self.allowsInlineSubmission = allowsInlineSubmission
    }

    private var isInOwnProcess: Bool { getpid() == process }
}

// For any thread.
extension EventLoopHandle {
    /// Returns a number for a new request. Numbers increase.
    func nextID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Appends a command to the queue, and wakes the loop's thread if it sleeps. Returns `false` if the loop has ended
    /// and ignores the command.
    @discardableResult
    func post(_ command: LoopCommand) -> Bool {
        guard isInOwnProcess else { return false }
        return state.withLock { state in
            guard state.wakeup != nil else { return false }
            state.append(command)
            return true
        }
    }

    /// Queues a command. Throws ``HTTPError`` of kind `shutDown` if the loop has ended, or `engineUnavailable` in a
    /// forked child.
    func submit(_ command: LoopCommand) throws(HTTPError) {
        try checkProcess()
        guard post(command) else { throw HTTPError(.shutDown) }
    }

    /// Checks that this process has made the engine.
    private func checkProcess() throws(HTTPError) {
        guard !isInOwnProcess else { return }
        throw HTTPError(
            .engineUnavailable, reason: "the engine was made before the process forked",
            suggestion: "Make clients and engines after the fork")
    }

    /// Submits a request. It is started on this thread if the loop has no owner, and otherwise queued. Throws
    /// ``HTTPError`` of kind `shutDown` if the loop has ended, or `engineUnavailable` in a forked child.
    func submit(_ pending: PendingTransfer) throws(HTTPError) {
        try checkProcess()
        let mayStartInline = allowsInlineSubmission && !pending.mayBlock
        let (isOpen, loop) = state.withLock { state -> (Bool, EventLoop?) in
            guard state.wakeup != nil, !state.isExiting else { return (false, nil) }
            if mayStartInline, state.owner == .none, let loop = state.loop {
                state.owner = .submitter
                return (true, loop)
            }
            state.append(.start(pending))
            return (true, nil)
        }
        guard isOpen else { throw HTTPError(.shutDown) }
        loop?.submitInline(pending)
    }
}

extension EventLoopHandle {
    /// Takes the loop if it has no owner. Otherwise the owner gives it up at its next call of this handle. Returns
    /// whether the exit handler owns the loop. `true` in a forked child, which has no loop thread.
    func stopForExit() -> Bool {
        guard isInOwnProcess else { return true }
        return state.withLock { state in
            state.isExiting = true
            if state.owner == .none { state.owner = .processExit }
            return state.owner == .processExit
        }
    }
}

// For the submitting thread that owns the loop.
extension EventLoopHandle {
    /// Gives the loop back after a request was submitted inline.
    ///
    /// - Parameters:
    ///   - due: The time at which the loop's thread must run again if nothing else happens.
    ///   - command: A command that is left to the loop's thread. It precedes all queued commands.
    func endInlineSubmission(due: MonotonicInstant?, _ command: LoopCommand? = nil) {
        state.withLock { state in
            if state.isExiting { return state.owner = .processExit }
            if let command { state.commands.insert(command, at: 0) }
            // The thread sleeps in whole milliseconds.
            let mustWakeEarlier = due.map { $0.advanced(milliseconds: 1) < state.wakeTime } ?? false
            if state.isThreadWaiting || mustWakeEarlier || !state.commands.isEmpty {
                state.wakeThread()
            } else {
                state.owner = .none
            }
        }
    }
}

// For the loop's thread.
extension EventLoopHandle {
    /// Records that the loop runs.
    func open(_ loop: EventLoop) { state.withLock { $0.loop = loop } }

    /// Takes the queued commands. If the process is exiting, the call does not return. `storage` is an empty array,
    /// whose storage the queue uses next.
    func takeCommands(reusing storage: [LoopCommand]) -> [LoopCommand] {
        let commands = state.withLock { state -> [LoopCommand]? in
            if state.isExiting {
                state.owner = .processExit
                return nil
            }
            let commands = state.commands
            state.commands = storage
            return commands
        }
        guard let commands else { ProcessExit.park() }
        return commands
    }

    /// Gives up the loop before the thread sleeps. Returns `false` if there are commands to execute first. The thread
    /// then keeps the loop.
    func beginSleep(until wakeTime: MonotonicInstant) -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty else { return false }
            state.owner = .none
            state.wakeTime = wakeTime
            return true
        }
    }

    /// Takes the loop after the thread has slept. Returns `false` if another thread owns the loop. A submitter signals
    /// the wakeup descriptor when it gives the loop back; call this function again then. The exit handler never gives
    /// the loop back.
    func endSleep() -> Bool {
        state.withLock { state in
            state.isThreadWaiting = state.owner == .submitter || state.owner == .processExit
            if !state.isThreadWaiting { state.owner = .loopThread }
            return !state.isThreadWaiting
        }
    }

    /// Refuses commands from now on. Returns the commands that were not executed.
    func close() -> [LoopCommand] {
        state.withLock { state in
            state.wakeup = nil
            state.loop = nil
            defer { state.commands = [] }
            return state.commands
        }
    }
}
