import Dispatch
import HalyardHTTP

/// A request on its way to the event loop, and the place for its outcome.
///
/// The caller's thread makes this object with everything that it refers to, and usually also frees it, after the event
/// loop has released its own reference. Memory that one thread allocates and another frees makes both wait for the same
/// lock of the allocator. That was a tenth of the cost of a small request.
final class PendingTransfer: Sendable {
    let id: UInt64
    let request: HTTPRequest
    let context: TransferContext
    /// The pipes that the body's streams are written into, one for each.
    let pipes: [BytePipe]
    /// The task that writes into the pipes. It is cancelled when the transfer ends.
    let bodyTask: Task<Void, Never>?
    private let outcome = OneShot<Result<HTTPResponse, any Error>>()
    /// The storage for the response, until the transfer takes it.
    ///
    /// `nonisolated(unsafe)` is sound: it is made before the request is submitted, and only the owner of the event loop
    /// uses it afterwards.
    private nonisolated(unsafe) var storage: ResponseStorage?

    /// Makes a pending transfer, and starts to read the streams of its body.
    ///
    /// The user's sequences run in a task, never on the event loop. The task is cancelled when the transfer ends.
    init(id: UInt64, _ request: HTTPRequest, _ context: TransferContext) {
        self.id = id
        self.request = request
        self.context = context
        let streams = request.body?.streams ?? []
        let pipes = streams.map { _ in BytePipe(capacity: 256 << 10) }
        self.pipes = pipes
        bodyTask =
            streams.isEmpty ? nil : Task { for (stream, pipe) in zip(streams, pipes) { await stream.run(into: pipe) } }
        storage = ResponseStorage(for: request)
    }

    /// Whether starting the transfer may block. libcurl then reads the beginning of the body, which may be a file.
    var mayBlock: Bool { CurlLibrary.failsAfterPauses && hasFiles }

    /// Whether the upload is paused while bytes are missing.
    var mayPauseUpload: Bool { !pipes.isEmpty || hasFiles }

    private var hasFiles: Bool { request.body?.segments.contains(where: \.isFile) ?? false }

    /// Makes the cursor that reads the request's body; `nil` without a body. `post` is called on any thread when more of
    /// a file was read.
    func makeUploadCursor(_ post: @escaping @Sendable (LoopCommand) -> Void) -> BodyCursor? {
        guard let body = request.body else { return nil }
        // Where pausing may fail a transfer, the loop's thread reads the file itself.
        guard hasFiles, !CurlLibrary.failsAfterPauses else { return BodyCursor(body, pipes: pipes) }
        let reader = FileReader { [id] in post(.streamChanged(id)) }
        return BodyCursor(body, pipes: pipes) { try reader.read($0, at: $1, into: $2) }
    }

    /// The error of a transfer that has exceeded its time limit.
    var timeoutError: HTTPError {
        .exceeded(.request, reason: "it took longer than \(context.timeout.map { "\($0)" } ?? "")")
            .adding(request: request)
    }

    /// Fails a request for which no transfer was started.
    func fail(with error: any Error) {
        endStreams()
        complete(with: .failure(error))
    }

    /// Closes the pipes of the body's streams and cancels the task that writes into them.
    ///
    /// The task is cancelled on another thread: a cancellation handler of the user's sequence may wait for another
    /// request of this event loop. It is not cancelled in a task, because the cooperative pool has few threads.
    func endStreams() {
        for pipe in pipes { pipe.close() }
        guard let bodyTask else { return }
        DispatchQueue.global().async { bodyTask.cancel() }
    }

    /// Sets the outcome and resumes the caller. Only the first call has an effect.
    ///
    /// The event loop completes every request before it ends.
    func complete(with outcome: Result<HTTPResponse, any Error>) {
        self.outcome.fulfill(outcome)
    }

    /// Waits for the outcome. Call it once.
    ///
    /// The outcome is not kept: a streamed response must have no other reference than its reader's.
    nonisolated(nonsending) func response() async throws -> HTTPResponse {
        try await outcome.take().get()
    }

    /// Returns the storage for the response. Call it once.
    func takeStorage() -> ResponseStorage { storage.take() ?? ResponseStorage(for: request) }
}

/// A command to the event loop.
enum LoopCommand: Sendable {
    case start(PendingTransfer)
    /// Ends a transfer, or a connection that is handed over as bytes, or the attempt to make one.
    case cancel(UInt64)
    /// The user's end of a stream or of such a connection can continue, or was closed.
    case streamChanged(UInt64)
    /// The file of a response is complete, or was removed.
    case fileWritten(UInt64)
    /// Makes a connection that is handed over as bytes.
    case connect(PendingConnection)
    /// The engine was freed. The loop ends after its last transfer.
    case release
    /// Ends all transfers and the loop now.
    case shutdown
}

/// An empty response and empty header fields, allocated in advance on the caller's thread.
struct ResponseStorage {
    var response: HTTPResponse
    var headers = HTTPHeaders(reserving: 8)

    init(for request: HTTPRequest) { response = HTTPResponse(status: 0, from: request.address) }
}

extension HTTPBody {
    fileprivate var streams: [BodyStream] {
        segments.compactMap { if case .stream(let stream) = $0 { stream } else { nil } }
    }
}

extension HTTPBody.Segment {
    fileprivate var isFile: Bool { if case .file = self { true } else { false } }
}
