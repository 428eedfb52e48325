import HalyardHTTP

/// What callers hand to the loop thread. The only thing that the two share.
final class Mailbox: Sendable {
    enum Command: Sendable {
        case start(Start)
        case cancel(UInt64)
        /// The user's side of a stream can go on, or has left.
        case streamChanged(UInt64)
        /// Nobody can send any more: end when all is done.
        case release
        /// End everything now.
        case shutdown
    }

    private struct State: Sendable {
        var commands: [Command] = []
        var lastID: UInt64 = 0
        /// The loop sleeps: whoever posts must wake it, once.
        var isAsleep = false
        /// Nil when the loop has ended.
        var bell: Bell?
    }

    private let state: Lock<State>

    init(_ bell: Bell) { state = Lock(State(bell: bell)) }

    func nextID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Hands a command over. False when the loop has ended, and nobody will read it.
    @discardableResult
    func post(_ command: Command) -> Bool {
        state.withLock { state in
            guard let bell = state.bell else { return false }
            state.commands.append(command)
            // Under the lock, for the bell is gone when `close` has had it.
            if state.isAsleep {
                state.isAsleep = false
                bell.ring()
            }
            return true
        }
    }

    /// What was posted since the last time. The array that is handed in is used for the next.
    func take(reusing spent: [Command]) -> [Command] {
        state.withLock { state in
            state.isAsleep = false
            let commands = state.commands
            state.commands = spent
            return commands
        }
    }

    /// Says that the loop goes to sleep; false when there is something to do first.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.commands.isEmpty
            return state.isAsleep
        }
    }

    /// Takes nothing more, and gives what nobody has read.
    func close() -> [Command] {
        state.withLock { state in
            state.bell = nil
            defer { state.commands = [] }
            return state.commands
        }
    }
}
