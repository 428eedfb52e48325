/// A bounded queue of messages that tasks write and an engine sends as bytes.
///
/// The bytes of a message are sent together. Several tasks may write: while the queue is full they wait, first in, first
/// out. A few urgent messages may overtake those that were not begun.
package final class SendQueue: Sendable {
    private struct State: Sendable {
        var messages = FIFO<[UInt8]>()
        var urgent = FIFO<[UInt8]>()
        /// The message that is being sent, and the number of its bytes that were.
        var current: [UInt8] = []
        var offset = 0
        var isCurrentUrgent = false
        /// The number of bytes of all messages but urgent ones that were not read.
        var count = 0
        var waiters = FIFO<CancellableWaiter<Void>>()
        /// The number of writers that have begun to wait. For tests.
        var waitingCount = 0
        /// Whether a waiter was woken that has not added its message yet.
        var isGranted = false
        /// Whether no more messages are accepted.
        var isSealed = false
        /// Whether the writing direction ends after the last message.
        var isFinished = false
        var failure: (any Error)?
        /// Whether the engine found no bytes, and waits for a call of `onChange`.
        var isEngineWaiting = false
        var onChange: (@Sendable () -> Void)?

        /// Takes the next message unless one is being sent. Returns `false` if there is none.
        mutating func beginMessage() -> Bool {
            guard offset == current.count else { return true }
            isCurrentUrgent = !urgent.isEmpty
            guard let next = urgent.removeFirst() ?? messages.removeFirst() else { return false }
            (current, offset) = (next, 0)
            return true
        }

        /// Moves bytes of the current message. Returns their number.
        mutating func move(into room: Slice<UnsafeMutableRawBufferPointer>) -> Int {
            let taken = min(room.count, current.count - offset)
            current.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: room).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + taken]))
            }
            offset += taken
            if !isCurrentUrgent { count -= taken }
            if offset == current.count { (current, offset) = ([], 0) }
            return taken
        }

        mutating func wakeEngine() -> (@Sendable () -> Void)? {
            guard isEngineWaiting else { return nil }
            isEngineWaiting = false
            return onChange
        }
    }

    private let capacity: Int
    private let state = Lock(State())

    /// Makes an empty queue.
    ///
    /// - Parameter capacity: Bytes. The queue is full when it has this many; the last message may exceed it.
    package init(capacity: Int) { self.capacity = capacity }

    /// Sets the action that runs, on any thread, when there is something to read after the result `nothingYet`.
    package func onChange(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = action } }
}

// The tasks' end.
extension SendQueue {
    /// The error of a message that comes after the last one.
    package struct Sealed: Error {}

    /// Adds a message, and waits before that while the queue is full. Throws ``Sealed``; the error of
    /// ``fail(throwing:)``; `CancellationError` if the task is cancelled while it waits. The message is not sent then.
    package nonisolated(nonsending) func write(_ message: [UInt8]) async throws {
        try Task.checkCancellation()
        let waiter = try state.withLock { state -> CancellableWaiter<Void>? in
            if let failure = state.failure { throw failure }
            if state.isSealed { throw Sealed() }
            if state.count < capacity, !state.isGranted, state.waiters.isEmpty { return nil }
            let waiter = CancellableWaiter<Void>()
            state.waiters.append(waiter)
            state.waitingCount += 1
            return waiter
        }
        try await waiter?.value()
        try append(message, isGranted: waiter != nil)
    }

    /// Adds a message, although the queue may be full. For messages of limited number and size. Throws ``Sealed``, or
    /// the error of ``fail(throwing:)``.
    package func append(_ message: [UInt8]) throws { try append(message, isGranted: false) }

    /// Adds the last message, although the queue may be full. Returns whether it was added. `false` if there was a last
    /// message before.
    @discardableResult
    package func seal(with message: [UInt8]) -> Bool {
        (try? append(message, isGranted: false, isLast: true)) != nil
    }

    private func append(_ message: [UInt8], isGranted: Bool, isLast: Bool = false) throws {
        let (result, wake) = state.withLock { state -> (Result<Void, any Error>, (@Sendable () -> Void)?) in
            if isGranted { state.isGranted = false }
            if let failure = state.failure { return (.failure(failure), nil) }
            if state.isSealed { return (.failure(Sealed()), nil) }
            state.messages.append(message)
            state.count += message.count
            state.isSealed = isLast
            return (.success(()), state.wakeEngine())
        }
        wake?()
        if isGranted { grantNext() }
        try result.get()
    }

    /// The number of urgent messages that wait at most.
    package static let urgentLimit = 16

    /// Adds a message that precedes those that were not begun. At most ``urgentLimit`` wait: one more removes the first
    /// of them.
    package func writeUrgent(_ message: [UInt8]) {
        notifyEngine { state in
            guard !state.isSealed else { return }
            state.urgent.append(message)
            if state.urgent.count > Self.urgentLimit { _ = state.urgent.removeFirst() }
        }
    }

    /// Ends the queue. What it has is still sent, and then the end of the writing direction.
    package func finish() {
        notifyEngine { ($0.isSealed, $0.isFinished) = (true, true) }
    }

    private func notifyEngine(_ change: (inout State) -> Void) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            change(&state)
            return state.wakeEngine()
        }
        wake?()
    }

    /// Drops all messages. Waiting and later writes throw an error.
    package func fail(throwing error: any Error) {
        let waiters = state.withLock { state -> FIFO<CancellableWaiter<Void>> in
            guard state.failure == nil else { return FIFO() }
            let waiters = state.waiters
            state = State()
            (state.failure, state.isSealed, state.isFinished) = (error, true, true)
            return waiters
        }
        for waiter in waiters { waiter.end(with: .failure(error)) }
    }

    /// Whether everything was handed to the engine.
    package var isEmpty: Bool {
        state.withLock { $0.count == 0 && $0.urgent.isEmpty && $0.current.isEmpty }
    }

    /// The number of writers that have begun to wait so far. For tests.
    package var waitingCount: Int { state.withLock { $0.waitingCount } }

    /// Wakes the next waiter if there is room. One that was cancelled does not take the room.
    private func grantNext() {
        while true {
            let waiter = state.withLock { state -> CancellableWaiter<Void>? in
                guard !state.isGranted, state.count < capacity, let waiter = state.waiters.removeFirst() else {
                    return nil
                }
                state.isGranted = true
                return waiter
            }
            guard let waiter, !waiter.end(with: .success(())) else { return }
            state.withLock { $0.isGranted = false }
        }
    }
}

// The engine's end.
extension SendQueue {
    /// Moves bytes into a buffer, without waiting. After `nothingYet`, ``onChange(_:)`` says when to try again.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> BytePipe.ReadResult {
        let result = state.withLock { state -> BytePipe.ReadResult in
            var filled = 0
            while filled < buffer.count, state.beginMessage() { filled += state.move(into: buffer[filled...]) }
            if filled > 0 { return .bytes(filled) }
            if state.isFinished { return .end }
            state.isEngineWaiting = true
            return .nothingYet
        }
        grantNext()
        return result
    }
}
