import CHalyardCurl
import HalyardHTTP

/// A transfer as it crosses to the loop.
struct Start: Sendable {
    let id: UInt64
    let request: HTTPRequest
    let context: TransferContext
    /// What the body's streams are poured into, one for each.
    let pipes: [BytePipe]
    /// Who pours; cancelled when the transfer ends.
    let pouring: Task<Void, Never>?
    let continuation: CheckedContinuation<HTTPResponse, any Error>
}

/// What callers hand to the loop thread. The only thing that the two share.
final class Mailbox: Sendable {
    enum Command: Sendable {
        case start(Start)
        case cancel(UInt64)
        /// The user's side of a stream can go on, or has left.
        case streamChanged(UInt64)
        case stop
    }

    private struct State: Sendable {
        var commands: [Command] = []
        var lastID: UInt64 = 0
        /// The loop sleeps in `poll`: whoever posts must wake it, once.
        var isAsleep = false
        /// The address of the multi handle while the loop lives: `wakeup` is the one call that any thread may make.
        var multi: UInt?
    }

    private let state: Lock<State>

    init(multi: UnsafeMutableRawPointer) { state = Lock(State(multi: UInt(bitPattern: multi))) }

    func nextID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    func post(_ command: Command) {
        state.withLock { state in
            state.commands.append(command)
            // Under the lock, for the handle is freed by `close`, which takes it as well.
            if state.isAsleep, let multi = state.multi {
                state.isAsleep = false
                _ = halyard_multi_wakeup(UnsafeMutableRawPointer(bitPattern: multi))
            }
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

    func close() { state.withLock { $0.multi = nil } }
}
