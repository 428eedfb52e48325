import CHalyardCurl
import HalyardHTTP

/// One running request: the options that libcurl was given, and what has arrived so far.
///
/// Only the owner of the event loop uses it. Overlapping accesses to the properties that every header line and
/// every piece of a body touches are not checked at run time: libcurl makes one callback at a time. The checks were a
/// twentieth of the cost of a small request.
///
/// A transfer ends with three calls. ``end(with:)`` comes first: it records the outcome, and ends a stream.
/// ``detach()`` releases the easy handle, and ``deliverOutcome()`` resumes the caller; the event loop chooses the order
/// of these two.
final class Transfer {
    let pending: PendingTransfer
    let request: HTTPRequest
    let settings: EngineSettings
    /// The queue in which the transfer occupies a connection.
    let queue: OriginQueue
    let easy: EasyHandle
    let loopContext: LoopContext
    @exclusivity(unchecked) var head: ResponseHead
    /// The response to fill in, until it is used.
    var emptyResponse: HTTPResponse?
    @exclusivity(unchecked) var receiver: ResponseBodyReceiver?
    /// Whether the receiver has a pipe.
    var isStreaming = false
    /// The position in the request's body.
    var uploadCursor: BodyCursor?
    var upload: ProgressMeter
    @exclusivity(unchecked) var download: ProgressMeter
    /// Writes the response's body to a file on another thread; `nil` for other destinations.
    var fileWriter: FileWriter?
    /// The error that a callback has found. It takes precedence over libcurl's result.
    var failure: (any Error)?
    /// Whether the engine has aborted the transfer because it needs no more of the response.
    var isStoppedEarly = false
    /// Whether the complete response has arrived, and rejects a request whose body is not completely sent.
    var isUploadRejected = false
    /// Whether the end of the request's body was reached.
    var isUploadComplete = false
    /// Whether the transfer waits for the user: for more bytes to send, or for room in the response's stream.
    var isPaused = false {
        didSet { wasPaused = wasPaused || isPaused }
    }
    /// Whether the transfer has ever been paused. It may then have a connection that libcurl does not watch.
    private(set) var wasPaused = false
    /// Whether the stream's reader is to be woken. ``StreamNotifier`` maintains this.
    var awaitsFlush = false
    /// Whether libcurl may use HTTP/2 or HTTP/3 for the request.
    let mayMultiplex: Bool
    /// Whether libcurl tries HTTP/3 for the request if it makes a connection.
    let triesHTTP3: Bool
    /// The number of the request's stream on its connection; `nil` if the connection is not HTTP/2.
    var stream: UInt32?
    /// The number of GOAWAY frames that the engine had received when the request got its stream.
    var goAwayCount = 0
    /// The ports of the connection that the request was sent over.
    var ports: (remote: CInt, local: CInt) = (0, 0)
    /// The number of connections that the request was sent over, without those that surely took nothing of it.
    var sends = 0
    /// Whether libcurl names an error of HTTP/3, such as a stream that the server has reset: QUIC itself works.
    var isHTTP3Failure = false
    /// How often the transfer was started again, because its QUIC connection had ended before.
    var moves = 0
    /// Whether the request was sent only over a connection that the engine had shut down, so that no server has it.
    var isKnownUnsent = false
    /// Whether the server has announced the end of its TLS connection.
    var isCloseNotified = false
    /// Whether the server has asked for the request over HTTP/1.1. It may have processed it.
    var isDowngraded = false
    /// Whether libcurl was about to send the request over a connection of HTTP/1.1 as if it were HTTP/2.
    var isMisdirected = false
    /// Whether the request offers gzip and deflate.
    var offersCompression = false

    /// Whether the caller has its outcome. A streamed response is delivered when its head is complete.
    private(set) var isDelivered = false
    var outcome: Result<HTTPResponse, any Error>?
    var deadline: MonotonicInstant?
    /// The end of the time in which the body of a redirect is read, so that the connection can be used again.
    var redirectBodyDeadline: MonotonicInstant?
    @exclusivity(unchecked) var lastActivity: MonotonicInstant

    var id: UInt64 { pending.id }

    /// Makes a transfer and sets its options on the handle. The event loop then adds the handle to the multi handle.
    /// `since` is the time at which the request was submitted, from which its time limit counts.
    init(
        _ pending: PendingTransfer, _ queue: OriginQueue, _ easy: EasyHandle, _ loopContext: LoopContext,
        since: MonotonicInstant
    ) {
        self.pending = pending
        (request, settings) = (pending.request, loopContext.settings)
        let origin = request.origin
        self.queue = queue
        self.easy = easy
        self.loopContext = loopContext
        let storage = pending.takeStorage()
        emptyResponse = storage.response
        mayMultiplex = settings.mayMultiplex(origin) && !queue.usesOnlyHTTP1
        triesHTTP3 = mayMultiplex && queue.http3.isTried(since) && settings.allowsHTTP3(to: origin)
        head = ResponseHead(
            storage.headers, limit: settings.configuration.headerLimit,
            connection: mayMultiplex ? .unknown : .http1)
        uploadCursor = pending.makeUploadCursor(loopContext.post)
        upload = ProgressMeter(.upload, total: request.body?.length, pending.context.progress)
        download = ProgressMeter(.download, total: nil, pending.context.progress)
        deadline = pending.context.timeout.flatMap(since.advanced(by:))
        lastActivity = loopContext.iteration.now
        easy.delegate = self
        easy.id = pending.id
        for pipe in pending.pipes { observe(pipe) }
        configure()
    }

    /// Whether the transfer still has its easy handle.
    var isAttached: Bool { easy.delegate === self }

    /// Releases the easy handle, after it was removed from the multi handle.
    func detach() {
        easy.delegate = nil
        easy.clearErrorMessage()
        receiver?.free()
    }
}

// The end.
extension Transfer {
    /// Records how the transfer ended, and ends its streams. ``deliverOutcome()`` then resumes the caller.
    func end(with outcome: Result<HTTPResponse, any Error>) {
        switch outcome {
        // A cancelled request reports no more progress.
        case .failure(let error) where error is CancellationError: break
        case .failure(let error as HTTPError)
        where triesHTTP3 && !head.isFinal && !isHTTP3Failure && error.isTemporary:
            queue.http3.broke(loopContext.iteration.now)
            reportProgress()
        default: reportProgress()
        }
        if let pipe = receiver?.pipe, fileWriter == nil {
            if case .failure(let error) = outcome {
                pipe.finish(throwing: annotated(error))
            } else {
                pipe.finish(with: streamEnding)
            }
        }
        // The file is removed first: the caller must not find it.
        if case .failure = outcome { receiver?.discard() }
        if !isDelivered { self.outcome = outcome }
        pending.endStreams()
    }

    /// Resumes the caller with the outcome. It does so once; a response in a file is delivered when the file is
    /// complete.
    func deliverOutcome() {
        guard !isDelivered, let outcome else { return }
        isDelivered = true
        self.outcome = nil  // Only the reader may refer to a stream: the stream ends with the last reference.
        let annotated = outcome.mapError(annotated)
        guard let fileWriter else { return pending.complete(with: annotated) }
        fileWriter.finish(with: annotated) { [pending, post = loopContext.post, id] in
            pending.complete(with: $0)
            post(.fileWritten(id))
        }
    }

    /// Adds the request to an error, and the status and header fields of the response if they have arrived.
    private func annotated(_ error: any Error) -> any Error {
        guard let error = error as? HTTPError else { return error }
        // libcurl rejects a transfer coding when it reads that field, before the head is complete.
        var isAboutResponse = head.isFinal
        if case .unsupportedCoding = error.kind { isAboutResponse = true }
        guard isAboutResponse else { return error.adding(request: request) }
        var response = HTTPResponse(status: head.status, from: request.address)
        response.headers = head.headers
        return error.adding(request: request, response: response)
    }
}

// The options of one request. `EngineSettings` sets the options that all requests share.
extension Transfer {
    /// Sets the request's options on the easy handle.
    func configure() {
        easy.headerLines.removeAll()
        easy.set(HALYARD_OPT_URL, request.address.text)
        easy.set(HALYARD_OPT_PIPEWAIT, mayMultiplex)
        if settings.configuration.httpVersion == .http2, !CurlLibrary.multiplexesCleartextHTTP2,
            request.origin.scheme == "http"
        {
            easy.set(HALYARD_OPT_FRESH_CONNECT, true)
            easy.set(HALYARD_OPT_FORBID_REUSE, true)
            easy.needsReset = true
        }
        if !CurlLibrary.hasPrerequestCallback {
            // On a reused connection these releases do not report the local port, which `EventLoop.isInUse(_:)` needs
            // to distinguish the connection of a paused transfer from an idle one.
            let mayPause = request.destination.isLarge
            if !request.method.isIdempotent || mayPause { easy.set(HALYARD_OPT_FRESH_CONNECT, true) }
            easy.needsReset = true  // See `shouldSend`.
        }
        if let limit = pending.context.connectTimeout, limit != settings.configuration.connectTimeout {
            easy.set(HALYARD_OPT_CONNECTTIMEOUT_MS, limit.milliseconds)
            easy.needsReset = true
        }
        if request.destination.isLarge {
            // Measured: with 256 KB a stream costs a fifth more.
            easy.setIfSupported(HALYARD_OPT_BUFFERSIZE, 512 << 10)
            easy.isSingleUse = true  // The buffer is too large to keep.
        }
        configureMethodAndBody()
        configureHeaders()
    }

    private func configureMethodAndBody() {
        var options = EasyHandle.MessageOptions(method: request.method)
        options.bypassesProxy = settings.bypassesProxy(to: request.origin)
        options.sendsBody = uploadCursor != nil || request.method.anticipatesBody
        options.version = mayMultiplex ? settings.bestVersion : HALYARD__HTTP_VERSION_1_1
        if triesHTTP3 { options.version = HALYARD__HTTP_VERSION_3 }
        // Remarks cost a quarter of a small request. Over a connection that is known to be HTTP/2 or HTTP/3, only a request that must
        // not be sent twice needs them.
        options.isVerbose =
            queue.isMultiplexed
            ? mayMultiplex && !request.method.isIdempotent : mayMultiplex || request.origin.scheme == "https"
        easy.set(options)
        easy.setResendsOnlyRefused(mayMultiplex && !request.method.isIdempotent)
        guard options.sendsBody else { return }
        easy.set(HALYARD_OPT_INFILESIZE_LARGE, offset: uploadCursor == nil ? 0 : request.body?.length ?? -1)
        // libcurl waits for a 100 for up to a second. Without the empty field it does so before every large body.
        let asks = pending.context.expectsContinue && uploadCursor != nil
        easy.headerLines.append(asks ? "Expect: 100-continue" : "Expect:")
        if (request.body?.length ?? .max) > 1 << 20 {
            easy.set(HALYARD_OPT_UPLOAD_BUFFERSIZE, 256 << 10)
            easy.isSingleUse = true
        }
    }

    private func configureHeaders() {
        offersCompression = settings.configuration.decompresses && !ContentCoding.available.isEmpty
        // Without a line for this field, libcurl writes "Accept: */*" itself, before the other lines.
        let accept = request.headers["Accept"]
        if accept == nil { easy.headerLines.append("Accept:") }
        for field in request.headers {
            switch field.name.rawValue.utf8.count {
            case 6 where accept == "*/*" && field.name.rawValue == "Accept": continue
            case 5 where field.name.matches("Range"), 15 where field.name.matches("Accept-Encoding"):
                offersCompression = false
            default: break
            }
            easy.headerLines.append(field)
        }
        if offersCompression { easy.headerLines.append(ContentCoding.acceptEncodingLine) }
        if easy.headerLines.size > 16 << 10 { easy.isSingleUse = true }  // The lines are too large to keep.
        easy.set(HALYARD_OPT_HTTPHEADER, easy.headerLines.pointer)
    }
}
