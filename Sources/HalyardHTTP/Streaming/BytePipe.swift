#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Bytes on their way between an engine's thread and a task, or two tasks, with room for so many and no more.
///
/// Each end has two forms: a task waits (``write(_:)``, ``read()``); an engine's thread must not, and is told by
/// ``onChange(_:)`` when trying again is worth it (``tryWrite(_:)``, ``tryRead(_:)``). There is one writer and one
/// reader.
package final class BytePipe: Sendable {
    package enum Reading: Sendable {
        case bytes(Int)
        case nothingYet
        case end
    }

    private let capacity: Int
    private let limit: Int
    private static let part = 16 << 10
    private let state = Lock(PipeState())

    /// - Parameters:
    ///   - capacity: bytes; a write is taken while fewer than that wait.
    ///   - reserve: bytes; so many more are taken of an engine, which asks ``isFull()`` before it reads on: what it has
    ///     read need not be cut.
    package init(capacity: Int, reserve: Int = 0) {
        self.capacity = capacity
        limit = capacity + reserve
    }

    /// What to call, on any thread, when an engine's end that was refused can go on, or when the reader has left.
    ///
    /// It is let go when either end is done: whatever it holds may hold the pipe.
    package func onChange(_ action: @escaping @Sendable () -> Void) {
        state.withLock { if $0.end == nil && !$0.isClosed { $0.onChange = action } }
    }

    /// What to call, on any thread, when a reader that is no task can go on: more has come, or the end.
    package func onArrival(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onArrival = action } }

    /// Whether the reader has left.
    package var isClosed: Bool { state.withLock { $0.isClosed } }
}

// The writer's end.
extension BytePipe {
    /// What became of bytes that an engine's thread had.
    package enum Writing: Sendable { case taken, full, closed }

    /// Adds bytes unless it is full, in which case ``onChange(_:)`` will tell. The reader is not woken: ``flush()`` does
    /// that, once for as much as has come.
    package func tryWrite(_ chunk: UnsafeRawBufferPointer) -> Writing {
        state.withLock { state in
            if state.isClosed { return .closed }
            guard state.bytes.count < limit else {
                state.isEngineWaiting = true
                return .full
            }
            state.bytes.append(chunk)
            return .taken
        }
    }

    /// Tells the reader of what was added by ``tryWrite(_:)``.
    package func flush() {
        let (task, arrival) = state.withLock { ($0.wake(.reader), $0.onArrival) }
        task?.resume()
        arrival?()
    }

    /// Whether so much waits that the reader should begin, lest the writer be held up.
    package var isHalfFull: Bool { state.withLock { $0.bytes.count >= capacity / 2 } }

    /// Whether what waits is no message but a part of something large, of which more can wait.
    package var isGathering: Bool { state.withLock { (Self.part..<capacity / 2).contains($0.bytes.count) } }

    /// Whether as much waits as should; if so, ``onChange(_:)`` will tell when there is room.
    package func isFull() -> Bool {
        state.withLock { state in
            let isFull = !state.isClosed && state.bytes.count >= capacity
            if isFull { state.isEngineWaiting = true }
            return isFull
        }
    }

    /// Adds bytes when there is room. Returns false when the reader has left, or the task is cancelled.
    package func write(_ chunk: Data) async -> Bool {
        while !Task.isCancelled {
            let (isDone, wakes) = state.withLock { state -> (Bool?, PipeState.Wakes) in
                if state.isClosed { return (false, (nil, nil)) }
                guard state.bytes.count < capacity else { return (nil, (nil, nil)) }
                state.bytes.append(chunk)
                return (true, (state.wake(.reader), state.wakeEngine()))
            }
            wakes.task?.resume()
            wakes.engine?()
            if let isDone { return isDone }
            await wait(as: .writer) { [capacity] in $0.bytes.count >= capacity && !$0.isClosed }
        }
        return false
    }

    /// What a body ends with, beside its last byte.
    package struct Ending: Sendable {
        package var trailers: HTTPHeaders = [:]
        package var metrics: TransferMetrics?

        package init() {}
    }

    /// What the body ended with; empty until it has.
    package var ending: Ending { state.withLock { $0.ending } }

    /// Says that no more bytes come, and why, if there is a reason. Only the first call counts.
    package func finish(throwing error: (any Error)? = nil, with ending: Ending = Ending()) {
        let (wakes, arrival) = state.withLock { state -> (PipeState.Wakes, (@Sendable () -> Void)?) in
            if state.end == nil {
                state.end = error.map { .failure($0) } ?? .success(())
                state.ending = ending
            }
            defer { state.onChange = nil }
            return ((state.wake(.reader), state.wakeEngine()), state.onArrival)
        }
        wakes.task?.resume()
        wakes.engine?()
        arrival?()
    }
}

// The reader's end.
extension BytePipe {
    /// More bytes were written than announced, or fewer.
    package struct LengthMismatch: Error {}

    /// Moves bytes into a buffer; `nothingYet` says that ``onChange(_:)`` will tell.
    ///
    /// - Parameter announced: how many are still to come, where the writer has said so. The last of them is given when
    ///   the writer has ended well: whoever has it has them all, and cannot be told any more that there were others.
    /// - Throws: what the writer ended with; ``LengthMismatch``.
    package func tryRead(_ buffer: UnsafeMutableRawBufferPointer, announced: Int64? = nil) throws -> Reading {
        let (result, wake) = state.withLock { state -> (Result<Reading, any Error>, PipeState.Waiting?) in
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

    /// The next bytes that are there, when there are any; nil at the end. It stays where the caller runs.
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

    package enum Piece: Sendable {
        case chunk(Data)
        case nothingYet
        case end
    }

    /// The next bytes that are there, for a reader that is no task; `nothingYet` says that ``onArrival(_:)`` will tell.
    ///
    /// - Throws: what the writer ended with.
    package func tryNext() throws -> Piece {
        let (chunk, end, wakes) = state.withLock { state -> (Data?, Result<Void, any Error>?, PipeState.Wakes) in
            guard let chunk = state.bytes.next() else { return (nil, state.end, (nil, nil)) }
            guard state.bytes.count < capacity else { return (chunk, nil, (nil, nil)) }
            // An engine is called back for half of the room at least: each time costs it as much as a long read.
            let engine = state.bytes.count <= capacity / 2 ? state.wakeEngine() : nil
            return (chunk, nil, (state.wake(.writer), engine))
        }
        wakes.task?.resume()
        wakes.engine?()
        if let chunk { return .chunk(chunk) }
        guard let end else { return .nothingYet }
        try end.get()
        return .end
    }

    /// Says that nobody reads any more. What waits is dropped, and the writer is told.
    ///
    /// - Parameter error: what a reader finds who does read on.
    package func close(throwing error: (any Error)? = nil) {
        let (reader, wakes) = state.withLock { state -> (PipeState.Waiting?, PipeState.Wakes) in
            guard !state.isClosed else { return (nil, (nil, nil)) }
            state.isClosed = true
            // One that has given all it had ends as it would have.
            if let error, state.end == nil || !state.bytes.isEmpty { state.end = .failure(error) }
            state.bytes = ChunkQueue()
            return (error == nil ? nil : state.wake(.reader), (state.wake(.writer), state.onChange.take()))
        }
        reader?.resume()
        wakes.task?.resume()
        wakes.engine?()
    }

    /// Waits, as the one task at an end, until the other end has done something or the task is cancelled.
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

/// What the two ends share. Each is a task or an engine's thread, one of them at most the latter.
private struct PipeState: Sendable {
    typealias Waiting = CheckedContinuation<Void, Never>
    typealias Wakes = (task: Waiting?, engine: (@Sendable () -> Void)?)
    enum End: Sendable { case reader, writer }

    var bytes = ChunkQueue()
    /// Set when the writer has ended, well or not.
    var end: Result<Void, any Error>?
    var ending = BytePipe.Ending()
    /// The reader has left: whatever is written goes nowhere.
    var isClosed = false
    /// The tasks that wait.
    var reader: Waiting?
    var writer: Waiting?
    /// The engine found nothing to read, or no room, and is to be told when that has changed.
    var isEngineWaiting = false
    var onChange: (@Sendable () -> Void)?
    /// What a reader that is no task is told by.
    var onArrival: (@Sendable () -> Void)?

    /// The task that waits at an end.
    subscript(end: End) -> Waiting? {
        get { end == .reader ? reader : writer }
        set { if end == .reader { reader = newValue } else { writer = newValue } }
    }

    /// Whom to resume, after unlocking, so that a task that waits at an end looks again.
    mutating func wake(_ end: End) -> Waiting? { self[end].take() }

    /// What to do, after unlocking, so that the engine tries again; each waiting is told once.
    mutating func wakeEngine() -> (@Sendable () -> Void)? {
        guard isEngineWaiting else { return nil }
        isEngineWaiting = false
        return onChange
    }
}
