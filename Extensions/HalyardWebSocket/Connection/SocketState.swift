import HalyardHTTP

/// The state that the reader, the senders and the receiving task of a socket share. It decides; ``SocketCore`` acts.
///
/// A task that waits for a change looks at the state again when it is resumed.
struct SocketState: Sendable {
    /// The receiving task stops at this number of messages, or of their bytes, until the reader takes some.
    static let messageCountLimit = 256
    static let byteLimit = 256 << 10

    /// Waiters to resume after unlocking.
    typealias Waiters = [CancellableWaiter<Void>]

    /// What a reader gets.
    enum Next: Sendable {
        case message(WebSocketMessage, Waiters)
        case end(Result<Void, WebSocketError>)
        case wait(CancellableWaiter<Void>)
    }

    private var messages = FIFO<WebSocketMessage>()
    private var byteCount = 0
    /// Whether a message has arrived.
    private(set) var hasReceived = false
    /// Those that wait for a change.
    private var waiters: Waiters = []
    private var pings: [(number: UInt64, waiter: CancellableWaiter<Void>)] = []
    private var lastPing: UInt64 = 0
    /// How the messages end. `nil` while the socket is open.
    private(set) var end: Result<Void, WebSocketError>?
    /// Whether this side has begun to close, so that messages are no longer wanted.
    private(set) var isClosing = false
    /// The server's close code and reason; 1006 for a connection that ended without them. `nil` while it is open.
    private(set) var close: (code: WebSocketCloseCode, reason: String)?
    /// The tasks that wait for a time. They are cancelled at the end.
    private var timers: [Task<Void, Never>] = []
    /// Whether the receiving task waits for the reader, and the number of times that it has done so.
    private(set) var isPaused = false
    private(set) var pauseCount = 0

    private var isFull: Bool { messages.count >= Self.messageCountLimit || byteCount >= Self.byteLimit }
    private var isOpen: Bool { !isClosing && end == nil }

    private mutating func wait() -> CancellableWaiter<Void> {
        let waiter = CancellableWaiter<Void>()
        waiters.append(waiter)
        return waiter
    }

    private mutating func takeWaiters() -> Waiters {
        defer { waiters = [] }
        return waiters
    }
}

// Messages.
extension SocketState {
    /// Adds messages. Those that come after a `close` of this side are dropped.
    mutating func add(_ new: [WebSocketMessage]) -> Waiters {
        guard isOpen else { return [] }
        hasReceived = true
        for message in new {
            messages.append(message)
            byteCount += message.byteCount
        }
        return takeWaiters()
    }

    /// Returns what a reader gets next.
    mutating func next() -> Next {
        if let message = messages.removeFirst() {
            byteCount -= message.byteCount
            return .message(message, isPaused && !isFull ? takeWaiters() : [])
        }
        return end.map { .end($0) } ?? .wait(wait())
    }

    /// Returns a waiter for the receiving task. `nil` if there is room.
    mutating func waitForRoom() -> CancellableWaiter<Void>? {
        isPaused = isFull && isOpen
        guard isPaused else { return nil }
        pauseCount += 1
        return wait()
    }
}

// Pings.
extension SocketState {
    /// Returns the number of a new ping, and the waiter for its pong. `nil` if the socket is closing or has ended.
    mutating func beginPing() -> (number: UInt64, waiter: CancellableWaiter<Void>)? {
        guard isOpen else { return nil }
        lastPing += 1
        pings.append((lastPing, CancellableWaiter()))
        return pings.last
    }

    /// Returns the waiters of a ping and of those before it, which the server need not answer (RFC 6455 section 5.5.3).
    mutating func pong(_ number: UInt64) -> Waiters {
        guard pings.contains(where: { $0.number == number }) else { return [] }
        defer { pings.removeAll { $0.number <= number } }
        return pings.filter { $0.number <= number }.map(\.waiter)
    }

    /// Forgets a ping whose caller waits no longer.
    mutating func forgetPing(_ number: UInt64) { pings.removeAll { $0.number == number } }
}

// The end.
extension SocketState {
    /// What is to be done at the end.
    struct Effects: Sendable {
        /// Resumed with success: they look at the state again.
        var waiters: Waiters = []
        /// The callers of pings, which fail.
        var pings: Waiters = []
        var timers: [Task<Void, Never>] = []
    }

    /// Keeps a task that is cancelled at the end. Returns `false` if the socket has ended.
    mutating func add(_ timer: Task<Void, Never>) -> Bool {
        if end == nil { timers.append(timer) }
        return end == nil
    }

    /// Begins to close from this side. Returns `nil` if it has begun before, or the socket has ended.
    mutating func beginClosing() -> Waiters? {
        guard isOpen else { return nil }
        isClosing = true
        return takeWaiters()
    }

    /// Ends the messages. Only the first end counts; after a `close` of this side it is a success.
    mutating func finish(
        _ end: Result<Void, WebSocketError>, close: (code: WebSocketCloseCode, reason: String)
    ) -> Effects {
        guard self.end == nil else { return Effects() }
        self.end = isClosing ? .success(()) : end
        self.close = close
        defer { (pings, timers) = ([], []) }
        return Effects(waiters: takeWaiters(), pings: pings.map(\.waiter), timers: timers)
    }

    /// Returns a waiter for the end. `nil` if the socket has ended.
    mutating func waitForEnd() -> CancellableWaiter<Void>? { end == nil ? wait() : nil }
}
