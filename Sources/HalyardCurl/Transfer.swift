import CHalyardCurl
import HalyardHTTP

/// One request on its way: what libcurl was told, and what it has told so far. It lives on the loop thread.
final class Transfer {
    let id: UInt64
    let easy: EasyHandle
    let request: HTTPRequest
    let context: TransferContext
    private let pipes: [BytePipe]
    private let pouring: Task<Void, Never>?
    private var continuation: CheckedContinuation<HTTPResponse, any Error>?
    var headers = HeaderList()
    let errorText: UnsafeMutablePointer<CChar>

    var head = ResponseHead()
    var sink: ResponseSink?
    var cursor: BodyCursor?
    var upload: ProgressMeter
    var download: ProgressMeter
    /// What went wrong here rather than in libcurl.
    var failure: (any Error)?
    /// All that is wanted of the response is there, though libcurl would go on.
    var isOverEarly = false
    /// It waits for the user's side: for the next chunk to send, or for the last one to be read.
    var isPaused = false

    private var deadline: Instant?
    private var lastActivity: Instant
    /// Called when the user's side of a stream can go on, or has left.
    private let onStreamChange: @Sendable () -> Void

    init(_ start: Start, easy: EasyHandle, now: Instant, onStreamChange: @escaping @Sendable () -> Void) {
        id = start.id
        request = start.request
        context = start.context
        pipes = start.pipes
        pouring = start.pouring
        continuation = start.continuation
        self.easy = easy
        self.onStreamChange = onStreamChange
        cursor = start.request.body.map { BodyCursor($0, pipes: start.pipes) }
        for pipe in pipes { pipe.onChange(onStreamChange) }
        upload = ProgressMeter(.upload, total: start.request.body?.length, start.context.progress)
        download = ProgressMeter(.download, total: nil, start.context.progress)
        deadline = context.timeout.flatMap(now.advanced(by:))
        lastActivity = now
        errorText = .allocate(capacity: Int(HALYARD__ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(HALYARD__ERROR_SIZE))
        configure()
    }

    deinit { errorText.deallocate() }

    /// The transfer that a handle works for.
    static func of(_ easy: EasyHandle) -> Transfer? {
        halyard_easy_get_pointer(easy.pointer, HALYARD_INFO_PRIVATE).map(Transfer.of)
    }

    static func of(_ context: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Takes back what libcurl was lent, once the handle is off the loop.
    func release() {
        easy.reset()
        headers.free()
    }
}

// Who waits, and for how long.
extension Transfer {
    /// Nobody waits for the response any more: it was handed over at its head, as a stream, or the transfer has ended.
    var isHandedOver: Bool { continuation == nil }

    /// Notes that something moved.
    func touch() { lastActivity = .now }

    /// Lets libcurl try again what was refused before.
    func resume() {
        isPaused = false
        touch()
        _ = halyard_easy_resume(easy.pointer)
    }

    /// Whether the user's side of a stream has left, so that nobody wants the rest.
    var isAbandoned: Bool {
        if case .stream(let pipe) = sink { pipe.isClosed } else { false }
    }

    /// Hands over a response whose body is still to come.
    func beginStream(_ pipe: BytePipe, _ response: HTTPResponse) {
        pipe.onChange(onStreamChange)
        deadline = nil  // what the reader makes of it takes as long as it takes
        continuation?.resume(returning: response)
        continuation = nil
    }

    /// Tells whoever waits how it ended.
    func end(with outcome: Result<HTTPResponse, any Error>) {
        if case .stream(let pipe) = sink {
            if case .failure(let error) = outcome { pipe.finish(throwing: error) } else { pipe.finish() }
        }
        continuation?.resume(with: outcome)
        continuation = nil
        pouring?.cancel()
        for pipe in pipes { pipe.close() }
    }

    /// When the time may next be over.
    var expiry: Instant? {
        let idle = context.idleTimeout.flatMap(lastActivity.advanced(by:))
        guard let deadline, let idle else { return deadline ?? idle }
        return min(deadline, idle)
    }

    func overdue(_ now: Instant) -> HTTPError? {
        if let deadline, deadline <= now {
            return HTTPError(.timedOut, reason: "it took longer than \(words(context.timeout))", request: request)
        }
        // While the user's side holds it up, silence is no fault of the server's.
        if isPaused { lastActivity = now }
        if let idle = context.idleTimeout.flatMap(lastActivity.advanced(by:)), idle <= now {
            return HTTPError(.timedOut, reason: "nothing moved for \(words(context.idleTimeout))", request: request)
        }
        return nil
    }

    private func words(_ duration: Duration?) -> String { duration.map { "\($0)" } ?? "" }
}
