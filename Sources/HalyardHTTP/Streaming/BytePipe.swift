package import HalyardFoundation

/// A bounded pipe of bytes between an engine's thread and a task, or between two tasks.
///
/// A task uses the forms that wait (``write(_:)``, ``read()``). An engine's thread must not wait: it uses the forms
/// that return at once (``tryWrite(_:)``, ``tryRead(_:announced:)``), and ``onChange(_:)`` says when to call them
/// again. A pipe has one writer and one reader.
package final class BytePipe: Sendable {
    /// The result of a read that does not wait.
    package enum ReadResult: Sendable {
        case bytes(Int)
        case nothingYet
        case end
    }

    private let capacity: Int
    private let limit: Int
    /// The number of bytes that only a large body leaves in the pipe.
    private static let gatheringThreshold = 16 << 10
    private let state = Lock(PipeState())

    /// Makes an empty pipe.
    ///
    /// - Parameters:
    ///   - capacity: Bytes. The pipe is full when it holds this many.
    ///   - reserve: Bytes that an engine may write beyond `capacity`. An engine checks ``isFull()`` before it reads
    ///     from the network, so what it has read is never split.
    package init(capacity: Int, reserve: Int = 0) {
        self.capacity = capacity
        limit = capacity + reserve
    }

    /// Sets the action that runs, on any thread, when an engine can continue after the result `full` or `nothingYet`,
    /// or when the reader closes the pipe.
    ///
    /// The pipe releases the action when either end is done, because the action may refer to the pipe.
    package func onChange(_ action: @escaping @Sendable () -> Void) {
        state.withLock { if $0.end == nil && !$0.isClosed { $0.onChange = action } }
    }

    /// Sets the action that runs, on any thread, when bytes or the end have arrived for a reader that is not a task.
    package func onArrival(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onArrival = action } }

    /// Whether the reader has closed the pipe.
    package var isClosed: Bool { state.withLock { $0.isClosed } }
}

// The writer's end.
extension BytePipe {
    /// The result of a write that does not wait. After `enough`, no more bytes are wanted.
    package enum WriteResult: Sendable { case accepted, full, enough }

    /// Adds bytes unless the pipe is full; then ``onChange(_:)`` says when there is room. It does not wake the reader:
    /// ``flush()`` does that once for several writes.
    package func tryWrite(_ chunk: UnsafeRawBufferPointer) -> WriteResult {
        state.withLock { state in
            if state.isClosed { return .enough }
            guard state.bytes.count < limit else {
                state.isEngineWaiting = true
                return .full
            }
            state.bytes.append(chunk)
            return .accepted
        }
    }

    /// Wakes the reader for the bytes that ``tryWrite(_:)`` added.
    package func flush() {
        state.withLock { PipeState.Wakes(task: $0.wake(.reader), arrival: $0.onArrival) }.run()
    }

    /// Whether the pipe is at least half full. The reader is then woken before the writer has to pause.
    package var isHalfFull: Bool { state.withLock { $0.bytes.count >= capacity / 2 } }

    /// Whether the pipe holds a part of a large body, and has room to gather more of it.
    package var isGathering: Bool {
        state.withLock { (Self.gatheringThreshold..<capacity / 2).contains($0.bytes.count) }
    }

    /// Whether the pipe is full. If it is, ``onChange(_:)`` says when there is room.
    package func isFull() -> Bool {
        state.withLock { state in
            let isFull = !state.isClosed && state.bytes.count >= capacity
            if isFull { state.isEngineWaiting = true }
            return isFull
        }
    }

    /// Adds bytes when there is room. Returns false when the reader has closed the pipe or the task is cancelled.
    package func write(_ chunk: Data) async -> Bool {
        while !Task.isCancelled {
            let (isDone, wakes) = state.withLock { state -> (Bool?, PipeState.Wakes) in
                if state.isClosed { return (false, PipeState.Wakes()) }
                guard state.bytes.count < capacity else { return (nil, PipeState.Wakes()) }
                state.bytes.append(chunk)
                return (true, state.wakesForReader())
            }
            wakes.run()
            if let isDone { return isDone }
            await wait(as: .writer) { [capacity] in $0.bytes.count >= capacity && !$0.isClosed }
        }
        return false
    }

    /// What follows the last byte of a body.
    package struct Ending: Sendable {
        package var trailers: HTTPHeaders = [:]
        package var metrics: TransferMetrics?

        package init() {}
    }

    /// What followed the last byte; empty until then.
    package var ending: Ending { state.withLock { $0.ending } }

    /// Ends the pipe, with an error if there is one. Later calls do nothing.
    package func finish(throwing error: (any Error)? = nil, with ending: Ending = Ending()) {
        state.withLock { state in
            if state.end == nil {
                state.end = error.map { .failure($0) } ?? .success(())
                state.ending = ending
            }
            defer { state.onChange = nil }
            return state.wakesForReader()
        }.run()
    }
}

// The reader's end.
extension BytePipe {
    /// More or fewer bytes were written than announced.
    package struct LengthMismatch: Error {}

    /// Moves bytes into a buffer. After `nothingYet`, ``onChange(_:)`` says when to try again. `announced` is the
    /// number of bytes still to come, if the writer announced it. The last byte is not returned until the writer has
    /// ended without error, because a receiver that has all announced bytes cannot be told that more came. Throws the
    /// writer's error; ``LengthMismatch``.
    package func tryRead(_ buffer: UnsafeMutableRawBufferPointer, announced: Int64? = nil) throws -> ReadResult {
        let (result, wake) = state.withLock { state -> (Result<ReadResult, any Error>, PipeState.Waiting?) in
            let waiting = Int64(state.bytes.count)
            let isWhole = if case .success? = state.end { true } else { false }
            if let announced, waiting > announced || isWhole && waiting < announced {
                return (.failure(LengthMismatch()), nil)
            }
            if waiting == 0, let end = state.end { return (end.map { .end }, nil) }
            let given = announced == waiting && !isWhole ? waiting - 1 : waiting
            guard given > 0 else {
                if case .failure(let error)? = state.end { return (.failure(error), nil) }
                state.isEngineWaiting = true
                return (.success(.nothingYet), nil)
            }
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(given)))
            let count = state.bytes.move(into: room)
            return (.success(.bytes(count)), state.bytes.count < capacity ? state.wake(.writer) : nil)
        }
        wake?.resume()
        return try result.get()
    }

    /// Returns the next bytes, waiting for them if necessary; `nil` at the end. Runs on the caller's executor.
    package nonisolated(nonsending) func read() async throws -> Data? {
        while true {
            try Task.checkCancellation()
            switch try tryNext() {
            case .chunk(let chunk): return chunk
            case .end: return nil
            case .nothingYet: await wait(as: .reader) { $0.bytes.isEmpty && $0.end == nil }
            }
        }
    }

    /// The next bytes, if there are any.
    package enum NextResult: Sendable {
        case chunk(Data)
        case nothingYet
        case end
    }

    /// Returns the next bytes without waiting. After `nothingYet`, ``onArrival(_:)`` says when to try again. Throws the
    /// writer's error.
    package func tryNext() throws -> NextResult {
        let (chunk, end, wakes) = state.withLock { state -> (Data?, Result<Void, any Error>?, PipeState.Wakes) in
            guard let chunk = state.bytes.next() else { return (nil, state.end, PipeState.Wakes()) }
            guard state.bytes.count < capacity else { return (chunk, nil, PipeState.Wakes()) }
            // An engine resumes only when half of the capacity is free: resuming costs it as much as a long read.
            let engine = state.bytes.count <= capacity / 2 ? state.wakeEngine() : nil
            return (chunk, nil, PipeState.Wakes(task: state.wake(.writer), engine: engine))
        }
        wakes.run()
        if let chunk { return .chunk(chunk) }
        guard let end else { return .nothingYet }
        try end.get()
        return .end
    }

    /// Closes the reader's end. Bytes in the pipe are dropped, and the writer is notified.
    package func close(throwing error: (any Error)? = nil) {
        state.withLock { state in
            guard !state.isClosed else { return PipeState.Wakes() }
            state.isClosed = true
            // A pipe whose writer has ended and whose bytes are all read keeps its end.
            if let error, state.end == nil || !state.bytes.isEmpty { state.end = .failure(error) }
            state.bytes = ChunkQueue()
            let reader = error == nil ? nil : state.wake(.reader)
            return PipeState.Wakes(task: reader, writer: state.wake(.writer), engine: state.onChange.take())
        }.run()
    }

    /// Waits, as the only task at an end, for the other end or for cancellation.
    private nonisolated(nonsending) func wait(as end: PipeState.End, while isWaiting: @Sendable (PipeState) -> Bool)
        async
    {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard isWaiting(state), !Task.isCancelled else { return false }
                    state[end] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.wake(end) }?.resume()
        }
    }
}

/// The state that both ends share. At most one of them is an engine's thread.
private struct PipeState: Sendable {
    typealias Waiting = CheckedContinuation<Void, Never>
    typealias Action = @Sendable () -> Void

    /// Whom a change wakes, after unlocking.
    struct Wakes {
        var task: Waiting?
        var writer: Waiting?
        var engine: Action?
        var arrival: Action?

        func run() {
            task?.resume()
            writer?.resume()
            engine?()
            arrival?()
        }
    }

    enum End: Sendable { case reader, writer }

    var bytes = ChunkQueue()
    /// Set when the writer has ended.
    var end: Result<Void, any Error>?
    var ending = BytePipe.Ending()
    /// The reader has closed the pipe: bytes that are written are dropped.
    var isClosed = false
    /// The tasks that wait.
    var reader: Waiting?
    var writer: Waiting?
    /// The engine found no bytes or no room, and waits for a call of `onChange`.
    var isEngineWaiting = false
    var onChange: Action?
    /// Notifies a reader that is not a task.
    var onArrival: Action?

    /// The task that waits at an end.
    subscript(end: End) -> Waiting? {
        get { end == .reader ? reader : writer }
        set { if end == .reader { reader = newValue } else { writer = newValue } }
    }

    /// Takes the task that waits at an end, to be resumed after unlocking.
    mutating func wake(_ end: End) -> Waiting? { self[end].take() }

    /// Whom new bytes or the end wake.
    mutating func wakesForReader() -> Wakes { Wakes(task: wake(.reader), engine: wakeEngine(), arrival: onArrival) }

    /// Returns the action that notifies the engine, to be called after unlocking. Each wait is notified once.
    mutating func wakeEngine() -> Action? {
        guard isEngineWaiting else { return nil }
        isEngineWaiting = false
        return onChange
    }
}
