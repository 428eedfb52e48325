import CHalyardCurl
import HalyardHTTP

// What libcurl tells, and what it is answered.
extension Transfer {
    /// How a callback goes on.
    enum Answer { case goOn, pause, stop }

    func received(headerLine line: UnsafeRawBufferPointer) -> Answer {
        touch()
        do {
            let wasFinal = head.isFinal
            try head.read(line: line)
            if head.isFinal && !wasFinal { try receivedHead() }
            return isOverEarly ? .stop : .goOn
        } catch { return fail(error) }
    }

    private func receivedHead() throws {
        let sink = try ResponseSink(for: request.destination, status: head.status)
        self.sink = sink
        if request.method == .head {
            // With a body of its own libcurl would wait for one of the response, which never comes.
            isOverEarly = request.body != nil
        } else if let length = head.contentLength {
            try sink.check(announced: length)
            download.total = Int64(length)
        }
        if case .stream(let pipe) = sink { beginStream(pipe, response(sink)) }
    }

    func received(body bytes: UnsafeRawBufferPointer) -> Answer {
        touch()
        do {
            switch try sink?.take(bytes) {
            case .taken, nil:
                download.advance(to: download.completed + Int64(bytes.count))
                return .goOn
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
                return (count, .goOn)
            case .nothingYet:
                isPaused = true
                return (0, .pause)
            case .end:
                upload.finish()
                return (0, .goOn)
            }
        } catch { return (0, fail(error)) }
    }

    /// Goes back to where libcurl wants to start again: a connection kept too long broke before it was used.
    func rewind(to offset: Int64) -> Bool {
        upload.rewind(to: offset)
        return cursor?.rewind(to: offset) ?? true
    }

    private func fail(_ error: any Error) -> Answer {
        failure = failure ?? error
        return .stop
    }

    /// How it ended, when libcurl has.
    func outcome(_ result: halyard_result) -> Result<HTTPResponse, any Error> {
        if let error = failure ?? (isOverEarly ? nil : error(for: result)) {
            return .failure((error as? HTTPError)?.of(request) ?? error)
        }
        guard let sink else { return .failure(HTTPError(.connectionLost, request: request)) }
        if download.completed > 0 { download.finish() }
        return .success(response(sink))
    }

    private func response(_ sink: ResponseSink) -> HTTPResponse {
        var response = HTTPResponse(status: head.status, headers: head.headers, url: request.url)
        // A stream that was handed over has its owner: another would end it when it goes.
        if !isHandedOver { sink.fill(&response) }
        return response
    }

    private func error(for result: halyard_result) -> HTTPError? {
        guard result != HALYARD_E_OK else {
            // libcurl takes a connection that closes inside the header block for the end of a response.
            return head.isFinal ? nil : HTTPError(.connectionLost, reason: "it closed inside the response's headers")
        }
        let text = String(cString: errorText)
        let words = text.isEmpty ? String(cString: halyard_easy_strerror(result)) : text
        return HTTPError.of(result, words, request.origin, verified: easy.long(HALYARD_INFO_SSL_VERIFYRESULT))
    }
}
