import CHalyardCurl
import HalyardHTTP

/// One request on its way: what libcurl was told, and what it has told so far. It lives on the loop.
///
/// What each header line and each piece of a body touches is not checked for overlapping use at run time: one has
/// the loop, and no callback of libcurl's comes while another runs. The checks were a twentieth of a small request.
final class Transfer {
    let easy: EasyHandle
    let start: Start
    /// By which it was let in.
    let line: Admission.Line
    let settings: EngineSettings
    @exclusivity(unchecked) var lines = LineList()

    @exclusivity(unchecked) var head: ResponseHead
    /// The response, to be filled.
    var blank: HTTPResponse?
    @exclusivity(unchecked) var intake: Intake?
    var cursor: BodyCursor?
    var upload: ProgressMeter
    @exclusivity(unchecked) var download: ProgressMeter
    /// What writes the body to a file, where it goes to one.
    var fileWriter: FileWriter?
    /// What went wrong here rather than in libcurl.
    var failure: (any Error)?
    /// All that is wanted of the response is there, though libcurl would go on.
    var isOverEarly = false
    /// The whole response is there, and refuses a body of which the rest is still to come.
    var isRefused = false
    /// The request's body came to its end.
    var hasEnded = false
    /// It waits for the user's side: for the next chunk to send, or for the last one to be read.
    var isPaused = false {
        didSet { wasPaused = wasPaused || isPaused }
    }
    /// It has a connection, of which libcurl may have let go meanwhile.
    private(set) var wasPaused = false
    /// Its reader is to be told of what came.
    var isNoted = false
    /// The request was handed to a connection once.
    var wasSent = false
    /// It was handed to a connection that this side had ended, and to no other.
    var isCertainlyUnsent = false
    /// gzip and deflate were offered.
    var offersCompression = false

    /// Nobody waits for the response any more: it was handed over at its head, as a stream, or the transfer has ended.
    private(set) var isHandedOver = false
    private var outcome: Result<HTTPResponse, any Error>?
    let turn: Turn
    private var deadline: Instant?
    /// When enough has come of a redirect that is followed. Its body is read for a little, so that the connection can be
    /// used again.
    private var enough: Instant?
    @exclusivity(unchecked) private var lastActivity: Instant
    /// Told when the user's side of a stream can go on, or has left.
    private let mailbox: Mailbox

    var id: UInt64 { start.id }
    var request: HTTPRequest { start.request }

    init(
        _ start: Start, _ line: Admission.Line, _ easy: EasyHandle, _ settings: EngineSettings, _ turn: Turn,
        _ mailbox: Mailbox, since: Instant
    ) {
        self.start = start
        self.line = line
        self.easy = easy
        self.settings = settings
        self.turn = turn
        self.mailbox = mailbox
        let room = start.takeRoom()
        blank = room.response
        head = ResponseHead(
            room.headers, limit: settings.configuration.headerLimit,
            mayBeHTTP2: settings.mayBeHTTP2(start.request.origin))
        cursor = start.request.body.map { BodyCursor($0, pipes: start.pipes) }
        upload = ProgressMeter(.upload, total: start.request.body?.length, start.context.progress)
        download = ProgressMeter(.download, total: nil, start.context.progress)
        deadline = start.context.timeout.flatMap(since.advanced(by:))
        lastActivity = turn.now
        easy.transfer = self
        for pipe in start.pipes { listen(to: pipe) }
        configure()
    }

    /// Asks to be told when the user's side of a stream can go on, or has left.
    func listen(to pipe: BytePipe) {
        pipe.onChange { [mailbox, id] in mailbox.post(.streamChanged(id)) }
        // A file that could not be opened has closed it before.
        if pipe.isClosed { mailbox.post(.streamChanged(id)) }
    }

    /// Whether the server may speak on the connection at any time, as over HTTP/2: before the head has come nobody knows.
    var mayBeMultiplexed: Bool { head.isHTTP2 || head.status == 0 && settings.mayBeHTTP2(request.origin) }

    /// Takes back what libcurl was lent, once the handle is off the loop.
    func release() {
        easy.transfer = nil
        easy.forgetWords()
        lines.free()
        intake?.free()
    }
}

// Who waits, and for how long.
extension Transfer {
    /// Notes that something moved.
    func touch() { lastActivity = turn.now }

    /// Reports what has moved since the last report.
    func tellNews() {
        upload.catchUp()
        download.catchUp()
    }

    /// Lets libcurl read no more while enough waits for the stream's reader: what it has read and is refused it copies.
    ///
    /// Over HTTP/2 it is refused: there libcurl reads for others too, and what comes for this one it would keep. Over TLS
    /// as well: before 8.21 libcurl may want to hear of its socket though it reads no more, again and again
    /// (https://github.com/curl/curl/issues/21671). And where a sequence is uploaded meanwhile: what lets that go on lets
    /// others (8.16) read as if nothing were paused.
    func holdBack() {
        guard !isPaused, isOnLoop, !head.isHTTP2, start.pipes.isEmpty, intake?.pipe?.isFull() ?? false,
            settings.isPlain(to: request.origin)
        else { return }
        isPaused = true
        _ = halyard_easy_pause(easy.pointer)
    }

    /// Lets libcurl try again what was refused before.
    func resume() {
        isPaused = false
        touch()
        _ = halyard_easy_resume(easy.pointer)
    }

    /// It has its handle, until it has ended.
    var isOnLoop: Bool { easy.transfer === self }

    /// Whether the user's side of a stream has left, so that nobody wants the rest.
    var isAbandoned: Bool { intake?.pipe?.isClosed ?? false }

    /// Only the head is wanted, and it is there.
    var isHeadEnough: Bool { enough != nil }

    /// Notes that only the head is wanted. Returns when waiting for the body ends.
    func beginDropping() -> Instant {
        let enough = turn.now.advanced(milliseconds: 100)
        self.enough = enough
        return enough
    }

    /// Hands over a response whose body is still to come.
    func beginStream(_ pipe: BytePipe, _ response: HTTPResponse) {
        listen(to: pipe)
        deadline = nil  // what the reader makes of it takes as long as it takes
        outcome = .success(response)
        answer()
    }

    /// Notes how it ended, for a stream's reader at once.
    func settle(_ outcome: Result<HTTPResponse, any Error>) {
        switch outcome {
        // Nobody is told any more of what was called off.
        case .failure(let error) where error is CancellationError: break
        default: tellNews()
        }
        if let pipe = intake?.pipe, fileWriter == nil {
            if case .failure(let error) = outcome {
                pipe.finish(throwing: complete(error))
            } else {
                pipe.finish(with: ending)
            }
        }
        // Before anybody is told: nobody finds a file that is no more.
        if case .failure = outcome { intake?.discard() }
        if !isHandedOver { self.outcome = outcome }
        start.endStreams()
    }

    /// Tells whoever waits, once.
    func answer() {
        guard !isHandedOver, let outcome else { return }
        isHandedOver = true
        self.outcome = nil  // a stream is let go by its reader, and nobody else may hold it
        let answer = outcome.mapError(complete)
        guard let fileWriter else { return start.answer(answer) }
        fileWriter.finish(with: answer) { [start, mailbox, id] in
            start.answer($0)
            mailbox.post(.written(id))
        }
    }

    /// An error with its request, and with the status and the header fields of the response once they have come.
    private func complete(_ error: any Error) -> any Error {
        guard let error = error as? HTTPError else { return error }
        // libcurl refuses a transfer coding when it reads the field, before the head has come to its end.
        var isAboutResponse = head.isFinal
        if case .unsupportedCoding = error.kind.code { isAboutResponse = true }
        guard isAboutResponse else { return error.of(request) }
        var response = HTTPResponse(status: head.status, from: request.address)
        response.headers = head.headers
        return error.of(request, response)
    }

    /// When the time may next be over.
    var expiry: Instant? {
        let idle = start.context.idleTimeout.flatMap(lastActivity.advanced(by:))
        var times = Timetable()
        times.note(deadline)
        times.note(idle)
        times.note(enough)
        return times.earliest
    }

    /// How it ends, when its time is over.
    func overdueOutcome(_ now: Instant) -> Result<HTTPResponse, any Error>? {
        if let enough, enough <= now, let intake { return .success(response(intake)) }
        return overdue(now).map { .failure($0) }
    }

    private func overdue(_ now: Instant) -> HTTPError? {
        if let deadline, deadline <= now { return start.overdue }
        // While the user's side holds it up, silence is no fault of the server's, unless that has refused what is to come.
        if isPaused && !isRefusing { lastActivity = now }
        if let idle = start.context.idleTimeout.flatMap(lastActivity.advanced(by:)), idle <= now {
            return HTTPError(
                .timedOut, reason: "nothing moved for \(start.context.idleTimeout.map { "\($0)" } ?? "")",
                suggestion: "Raise the idleTimeout of the client's configuration, or try again later")
        }
        return nil
    }
}

extension Start {
    /// What is said when the time for all of it is over.
    var overdue: HTTPError {
        HTTPError(.timedOut, reason: "it took longer than \(context.timeout.map { "\($0)" } ?? "")", request: request)
    }
}
