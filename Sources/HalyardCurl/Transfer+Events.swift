import CHalyardCurl
import HalyardHTTP
import HalyardFoundation

// What libcurl tells, and what it is answered.
extension Transfer {
    /// How a callback goes on.
    enum Answer { case goOn, pause, stop }

    /// A connection stands. A request that is not idempotent goes over one at most: where a kept connection turns out
    /// to be dead libcurl would send it again, and the server might have had it already.
    ///
    /// - Parameter isEnded: whether this side has ended the connection. Nothing can be sent over it: libcurl finds that out,
    ///   and takes another.
    func maySend(overEnded isEnded: Bool) -> Bool {
        isCertainlyUnsent = isEnded && !wasSent
        if isCertainlyUnsent { return true }
        defer { wasSent = true }
        if wasSent { easy.isSpoilt = true }  // libcurl counts for as long as a handle is not reset, and allows five
        return !wasSent || request.method.isIdempotent
    }

    /// libcurl has a header line, and makes nothing of it yet.
    func shown(headerLine line: UnsafeMutableRawBufferPointer) {
        if easy.foldGuard?.unfold(line) == true { failure = failure ?? ResponseHead.foldedFirst }
    }

    func received(headerLine line: UnsafeRawBufferPointer) -> Answer {
        touch()
        easy.guardFields(line, isStatus: head.isAtStatus)
        do {
            if head.isFinal {
                // Trailers: those that came while a stream was full libcurl hands over in one piece.
                for line in line.split(separator: 0x0A) { try head.read(line: UnsafeRawBufferPointer(rebasing: line)) }
            } else {
                try head.read(line: line)
                if head.isFinal { try receivedHead() }
            }
            return isOverEarly || isRefused ? .stop : .goOn
        } catch { return fail(error) }
    }

    /// The server has said no while there is more of the body to send. Where it also says that it will close, libcurl goes
    /// on for as long as there is more, and waits where the user's side has nothing yet; a 417 it answers itself.
    var isRefusing: Bool {
        guard head.isFinal, head.status >= 300, head.status != 417, let body = request.body else { return false }
        return !hasEnded && upload.completed != body.length
    }

    private func receivedHead() throws {
        if head.isHTTP2 && !line.isShared { turn.shared.append(line) }
        let hasBody = request.method != .head && ![204, 304].contains(head.status)
        if let coding = head.transferCoding, hasBody {
            throw HTTPError.transferCoding(coding)
        }
        let isFollowed = start.context.followsRedirects && head.headers.redirection(of: head.status) != nil
        let isCoded = offersCompression && hasBody && !isFollowed
        let inflater = isCoded ? try Inflater(head.headers.contentCodings) : nil
        let sink = try makeSink(isFollowed: isFollowed)
        if isFollowed { turn.timetable.note(beginDropping()) }
        var intake = Intake(sink, offset: download.offset, inflater, settings.configuration)
        if request.method == .head {
            // With a body of its own libcurl would wait for one of the response, which never comes.
            isOverEarly = request.body != nil
        } else if let length = head.contentLength {
            if !isFollowed { try intake.expect(length) }
            download.total = length
        }
        self.intake = intake
        isRefused = isRefusing && (!hasBody || head.contentLength == 0)
        guard let pipe = intake.pipe else { return }
        if fileWriter == nil { beginStream(pipe, response(intake)) } else { listen(to: pipe) }
    }

    /// Where the body goes: of a redirect that is followed its start, of a download a file, by way of the disk's own thread.
    private func makeSink(isFollowed: Bool) throws(HTTPError) -> ResponseSink {
        if isFollowed { return .excerpt(Data()) }
        // A transfer that fails after it was paused must not be paused by a slow disk.
        let opening =
            CurlLibrary.failsAfterPauses
            ? nil : try BodyFileOpening(for: request, status: head.status, head.headers)
        guard let opening else {
            let sink = try ResponseSink(for: request, status: head.status, head.headers)
            download.offset = sink.offset
            return sink
        }
        download.offset = opening.offset
        let writer = FileWriter(opening, capacity: 1 << 20, reserve: 512 << 10)
        fileWriter = writer
        return .stream(writer.pipe)
    }

    func received(body bytes: UnsafeRawBufferPointer) -> Answer {
        touch()
        do {
            let taking = try intake?.take(bytes)
            if intake?.pipe != nil { turn.wrote(to: self) }
            download.advance(to: intake?.received ?? 0)
            if download.isReportDue { turn.noteNews() }
            if isRefusing, let received = intake?.received, received == head.contentLength { isRefused = true }
            switch taking {
            case .taken, nil: return isRefused ? .stop : .goOn
            case .full:
                isPaused = true
                return .pause
            case .enough:
                isOverEarly = true
                return .stop
            }
        } catch { return fail(error) }
    }

    /// Gives the next bytes of the request's body.
    func send(into room: UnsafeMutableRawBufferPointer) -> (count: Int, answer: Answer) {
        touch()
        do {
            switch try cursor?.read(into: room) ?? .end {
            case .bytes(let count):
                upload.advance(to: cursor?.position ?? 0)
                if upload.isReportDue { turn.noteNews() }
                return (count, .goOn)
            case .nothingYet:
                isPaused = true
                return (0, .pause)
            case .end:
                hasEnded = true
                upload.finish()
                return (0, .goOn)
            }
        } catch { return (0, fail(error)) }
    }

    /// Goes back to where libcurl wants to start again: a connection kept too long broke before it was used.
    func rewind(to offset: Int64) -> Bool {
        guard request.method.isIdempotent || isCertainlyUnsent else { return false }
        upload.rewind(to: offset)
        hasEnded = false
        return cursor?.rewind(to: offset) ?? true
    }

    private func fail(_ error: any Error) -> Answer {
        failure = failure ?? error
        return .stop
    }
}

// How it ended, when libcurl has.
extension Transfer {
    func outcome(_ result: halyard_result) -> Result<HTTPResponse, any Error> {
        do {
            if let failure { throw failure }
            if let failure = fileWriter?.failure { throw failure }
            if !isWhole, let error = error(for: result) { throw error }
            guard let intake else { throw HTTPError(.connectionLost) }
            if !isOverEarly && !isHeadEnough { try intake.finish() }
            return .success(response(intake))
        } catch { return .failure(error) }
    }

    /// All of the response is there, whatever libcurl makes of what follows.
    private var isWhole: Bool { isOverEarly || isRefused || isHeadEnough || request.method == .head && head.isFinal }

    func response(_ intake: Intake) -> HTTPResponse {
        var response = blank.take() ?? HTTPResponse(status: 0, from: request.address)
        response.status = head.status
        response.headers = head.headers
        response.informational = head.informational
        response.metrics = metrics
        // A stream that was handed over has its owner: another would end it when it goes.
        if !isHandedOver {
            response.trailers = head.trailers
            if fileWriter == nil { intake.fill(&response) }
        }
        return response
    }

    /// What a stream's reader learns at its end.
    var ending: BytePipe.Ending {
        var ending = BytePipe.Ending()
        ending.trailers = head.trailers
        ending.metrics = metrics
        return ending
    }

    private var metrics: TransferMetrics {
        var metrics = TransferMetrics()
        let lookup = easy.offset(HALYARD_INFO_NAMELOOKUP_TIME_T)
        metrics.times.nameLookup = .init(microseconds: lookup)
        // Zero where there was nothing to connect.
        metrics.times.connect = .init(microseconds: max(lookup, easy.offset(HALYARD_INFO_CONNECT_TIME_T)))
        metrics.times.tls = .init(microseconds: easy.offset(HALYARD_INFO_APPCONNECT_TIME_T))
        metrics.times.firstByte = .init(microseconds: easy.offset(HALYARD_INFO_STARTTRANSFER_TIME_T))
        metrics.times.total = .init(microseconds: easy.offset(HALYARD_INFO_TOTAL_TIME_T))
        metrics.bytesSent = upload.completed
        metrics.bytesReceived = intake?.received ?? 0
        metrics.httpVersion =
            easy.long(HALYARD_INFO_HTTP_VERSION) == Int(HALYARD__HTTP_VERSION_2_0) ? "HTTP/2" : "HTTP/1.1"
        metrics.isConnectionReused = easy.long(HALYARD_INFO_NUM_CONNECTS) == 0
        metrics.remoteAddress = easy.remoteAddress
        return metrics
    }

    private func error(for result: halyard_result) -> HTTPError? {
        guard result != HALYARD_E_OK else {
            // libcurl takes a connection that closes inside the header block for the end of a response.
            return head.isFinal ? nil : HTTPError(.connectionLost, reason: "it closed inside the response's headers")
        }
        if result == HALYARD_E_ABORTED_BY_CALLBACK {
            return HTTPError(
                .connectionLost, reason: "it was closed by the server",
                suggestion: "It may have been done: make sure before it is sent again")
        }
        let words = easy.words(for: result)
        if let error = head.error(for: result, words) { return error }
        if result == HALYARD_E_SSL_CACERT_BADFILE, case .system = settings.configuration.tls.roots {
            return HTTPError(.tls(.unknownRoot), reason: words)  // what to do is the same: to install them
        }
        let connect = easy.long(HALYARD_INFO_HTTP_CONNECTCODE)
        if connect >= 300 {
            return HTTPError(.cannotConnect("\(request.origin)"), reason: "the proxy answered \(connect)")
        }
        return HTTPError.of(result, words, request.origin, verified: easy.long(HALYARD_INFO_SSL_VERIFYRESULT))
    }
}
