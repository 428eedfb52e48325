import HalyardHTTP

/// The state that the reader, the senders and the receiving task of a socket share. It decides; ``SocketCore`` acts.
struct SocketState: Sendable {
    /// The receiving task stops at this number of messages, or of their bytes, until the reader takes some.
    static let messageCountLimit = 256
    static let byteLimit = 256 << 10

    /// How the messages end.
    enum End: Sendable {
        case normal
        case failure(WebSocketError)
    }

    /// Waiters to resume after unlocking.
    typealias Waiters = [CancellableWaiter<Void>]

    /// What a reader gets.
    enum Next: Sendable {
        /// A message, and the receiving task if there is room again.
        case message(WebSocketMessage, CancellableWaiter<Void>?)
        case end(End)
        case wait(CancellableWaiter<Void>)
    }

    private var messages = FIFO<WebSocketMessage>()
    private var messageCount = 0
    private var byteCount = 0
    /// Whether a message has arrived.
    private(set) var hasReceived = false
    private var readers = FIFO<CancellableWaiter<Void>>()
    /// The receiving task, while it waits for room.
    private var receiver: CancellableWaiter<Void>?
    private var pings: [(number: UInt64, waiter: CancellableWaiter<Void>)] = []
    private var lastPing: UInt64 = 0
    private var closing: Waiters = []
    private(set) var end: End?
    /// Whether this side has begun to close, so that messages are no longer wanted.
    private(set) var isClosing = false
    /// The server's close code and reason; 1006 for a connection that ended without them. `nil` while it is open.
    private(set) var close: (code: WebSocketCloseCode, reason: String)?
    /// The tasks that wait for a time. They are cancelled at the end.
    private var timers: [Task<Void, Never>] = []

    private var isFull: Bool { messageCount >= Self.messageCountLimit || byteCount >= Self.byteLimit }
    /// The number of times that the receiving task has waited for the reader.
    private(set) var pauseCount = 0
    /// Whether the receiving task waits for the reader.
    var isPaused: Bool { receiver != nil }
}

// Messages.
extension SocketState {
    /// Adds messages, and returns the readers to wake. Messages that come after a `close` of this side are dropped.
    mutating func add(_ new: [WebSocketMessage]) -> Waiters {
        guard !isClosing, end == nil else { return [] }
        hasReceived = true
        for message in new {
            messages.append(message)
            messageCount += 1
            byteCount += message.byteCount
        }
        return takeReaders()
    }

    private mutating func takeReaders() -> Waiters {
        var waiters: Waiters = []
        while let reader = readers.removeFirst() { waiters.append(reader) }
        return waiters
    }

    /// Returns what a reader gets next.
    mutating func next() -> Next {
        if let message = messages.removeFirst() {
            messageCount -= 1
            byteCount -= message.byteCount
            return .message(message, isFull ? nil : receiver.take())
        }
        if let end { return .end(end) }
        let waiter = CancellableWaiter<Void>()
        readers.append(waiter)
        return .wait(waiter)
    }

    /// Returns a waiter for the receiving task. `nil` if there is room.
    mutating func waitForRoom() -> CancellableWaiter<Void>? {
        guard isFull, !isClosing, end == nil else { return nil }
        let waiter = CancellableWaiter<Void>()
        receiver = waiter
        pauseCount += 1
        return waiter
    }
}

// Pings.
extension SocketState {
    /// Returns the number of a new ping, and the waiter for its pong. `nil` if the socket is closing or has ended.
    mutating func beginPing() -> (number: UInt64, waiter: CancellableWaiter<Void>)? {
        guard !isClosing, end == nil else { return nil }
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
    /// What is to be done after a change.
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
    mutating func beginClosing() -> Effects? {
        guard !isClosing, end == nil else { return nil }
        isClosing = true
        return Effects(waiters: receiver.take().map { [$0] } ?? [])
    }

    /// Ends the messages. Only the first end counts; after a `close` of this side it is normal.
    mutating func finish(
        _ end: End, close: (code: WebSocketCloseCode, reason: String) = (.abnormalClosure, "")
    ) -> Effects {
        guard self.end == nil else { return Effects() }
        self.end = isClosing ? .normal : end
        self.close = close
        defer { (closing, pings, timers) = ([], [], []) }
        return Effects(
            waiters: takeReaders() + closing + (receiver.take().map { [$0] } ?? []), pings: pings.map(\.waiter),
            timers: timers)
    }

    /// Returns a waiter for the end. `nil` if the socket has ended.
    mutating func waitForEnd() -> CancellableWaiter<Void>? {
        guard end == nil else { return nil }
        let waiter = CancellableWaiter<Void>()
        closing.append(waiter)
        return waiter
    }
}
