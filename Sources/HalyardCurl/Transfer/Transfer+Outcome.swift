import CHalyardCurl
import HalyardHTTP

// The response or the error, after libcurl has completed a transfer.
extension Transfer {
    func outcome(_ result: halyard_result) -> Result<HTTPResponse, any Error> {
        isHTTP3Failure = result == HALYARD_E_HTTP3
        do {
            if let failure { throw failure }
            if let failure = fileWriter?.failure { throw failure }
            if !isResponseComplete, let error = error(for: result) { throw error }
            guard let receiver else { throw HTTPError(.connectionLost) }
            if !isStoppedEarly && !needsOnlyHead { try receiver.finish() }
            return .success(response(receiver))
        } catch { return .failure(error) }
    }

    /// Whether all that is needed of the response has arrived, so that libcurl's result does not matter.
    private var isResponseComplete: Bool {
        isStoppedEarly || isUploadRejected || needsOnlyHead || request.method == .head && head.isFinal
    }

    /// Whether the server has answered `Expect` with a 417. If libcurl read on, it would send the request again itself.
    var isExpectationRefused: Bool {
        pending.context.expectsContinue && request.body != nil && head.isFinal && head.status == 417
    }

    /// Makes the response from the parts that have arrived.
    func response(_ receiver: ResponseBodyReceiver) -> HTTPResponse {
        var response = emptyResponse.take() ?? HTTPResponse(status: 0, from: request.address)
        response.status = head.status
        response.headers = head.headers
        response.informational = head.informational.map { .init(status: $0, headers: $1, from: request.address) }
        response.metrics = metrics
        // A delivered stream must not be put into a second response, which would end the stream when it is freed.
        if !isDelivered {
            response.trailers = head.trailers
            if fileWriter == nil { receiver.fill(&response) }
        }
        return response
    }

    /// Records when the server closes an HTTP/1.1 connection, and which socket an HTTP/2 connection has. `socket`
    /// returns the socket of a connection: libcurl itself names it only if no other transfer uses the connection.
    func learnConnection(_ socket: (ConnectionEndpoints) -> CInt?) {
        if head.connection == .http1 {
            loopContext.keepAliveEnds.learn(head.headers, loopContext.iteration.now) {
                halyard_easy_active_socket(easy.pointer)
            }
        } else if head.isMultiplexed {
            loopContext.batch.learn(queue, port: ports.local) { endpoints.flatMap(socket) }
        }
    }

    /// What the reader of a stream receives at its end.
    var streamEnding: BytePipe.Ending {
        var ending = BytePipe.Ending()
        ending.trailers = head.trailers
        ending.metrics = metrics
        return ending
    }

    private var metrics: TransferMetrics {
        var metrics = TransferMetrics()
        metrics.isConnectionReused = easy.long(HALYARD_INFO_NUM_CONNECTS) == 0
        let lookup = easy.offset(HALYARD_INFO_NAMELOOKUP_TIME_T)
        metrics.nameLookup = .microseconds(lookup)
        metrics.connect = metrics.nameLookup
        // Old releases of libcurl report times of their own for a reused connection.
        if !metrics.isConnectionReused {
            metrics.connect = .microseconds(max(lookup, easy.offset(HALYARD_INFO_CONNECT_TIME_T)))
            metrics.tls = .microseconds(easy.offset(HALYARD_INFO_APPCONNECT_TIME_T))
        }
        metrics.firstByte = .microseconds(easy.offset(HALYARD_INFO_STARTTRANSFER_TIME_T))
        metrics.total = .microseconds(easy.offset(HALYARD_INFO_TOTAL_TIME_T))
        metrics.bytesSent = upload.completed
        metrics.bytesReceived = receiver?.received ?? 0
        metrics.httpVersion =
            switch Int32(truncatingIfNeeded: easy.long(HALYARD_INFO_HTTP_VERSION)) {
            case HALYARD__HTTP_VERSION_3: "HTTP/3"
            case HALYARD__HTTP_VERSION_2_0: "HTTP/2"
            default: "HTTP/1.1"
            }
        metrics.resends = max(0, sends - 1)
        metrics.remoteAddress = easy.remoteAddress
        return metrics
    }

    private func error(for result: halyard_result) -> HTTPError? {
        let frame = loopContext.goAways.isEmpty || head.isFinal ? nil : endpoints.flatMap { loopContext.goAways[$0] }
        if let stream, let frame, frame.number > goAwayCount, frame.lastStream < stream { return .refused }
        // The connection ended before the request got a stream.
        if result == HALYARD_E_HTTP2, stream == nil, head.connection != .unknown { return .refused }
        guard let error = describedError(for: result) else { return nil }
        guard let frame, frame.number > goAwayCount, frame.code != 0, error.kind == .connectionLost else {
            return error
        }
        return HTTPError(.connectionLost, reason: "the server ended it with \(HTTP2ErrorCode(number: frame.code))")
    }

    /// Whether the end of a body that ends with the connection may have been cut off: TLS shows by a message that the
    /// connection ends (RFC 9112 section 9.8). OpenSSL before 3.2 does not report that it is missing.
    private var isCutOff: Bool {
        loopContext.mentionsTLS && request.origin.scheme == "https" && !isCloseNotified && !head.isMultiplexed
            && head.contentLength == nil && ![204, 304].contains(head.status) && request.method != .head
            && !head.headers.contains("Transfer-Encoding")
    }

    private func describedError(for result: halyard_result) -> HTTPError? {
        guard result != HALYARD_E_OK else {
            // libcurl accepts a connection that closes inside the header fields as the end of a response.
            guard head.isFinal else {
                return HTTPError(.connectionLost, reason: "it closed before the response's header fields were complete")
            }
            return isCutOff ? HTTPError(.connectionLost, reason: "it ended without close_notify of TLS") : nil
        }
        if result == HALYARD_E_ABORTED_BY_CALLBACK {
            let isUnprocessed = isRefused && sends > 1 || moves > 0 && mustNotRepeat && sends == 1
            return isMisdirected ? .misdirected : isUnprocessed ? .refused : .closed
        }
        let message = easy.errorMessage(for: result)
        // libcurl has tried several connections, or cannot read the body again.
        let cannotRewind = result == HALYARD_E_SEND_FAIL_REWIND
        if easy.resendsOnlyRefused, cannotRewind || message.hasPrefix("Connection died, tried") { return .refused }
        if cannotRewind { return .closed }
        if let error = head.error(for: result, message) { return error }
        if result == HALYARD_E_SSL_CACERT_BADFILE, settings.configuration.tls.roots == .system {
            // The remedy is the same as for an unknown root: install the certificates.
            return HTTPError(.tls(.unknownRoot), reason: message)
        }
        let connectStatus = easy.long(HALYARD_INFO_HTTP_CONNECTCODE)
        if connectStatus >= 300 {
            return HTTPError(.cannotConnect("\(request.origin)"), reason: "the proxy answered \(connectStatus)")
        }
        return HTTPError.forCurl(
            result, message, request.origin, verification: easy.long(HALYARD_INFO_SSL_VERIFYRESULT))
    }
}

// Over a QUIC connection that the server has ended while it was idle, libcurl fails with an error, where over TCP it
// takes another connection.
extension Transfer {
    /// Whether the request is to be sent over another connection: one that may be sent twice (RFC 9110 section 9.2.2)
    /// after each loss of a reused connection before the response, as over TCP, and any other only if it is surely unsent.
    func mustMove(after result: halyard_result) -> Bool {
        guard result == HALYARD_E_RECV_ERROR || result == HALYARD_E_SEND_ERROR else { return false }
        return triesHTTP3 && moves < 2 && failure == nil && head.status == 0
            && easy.long(HALYARD_INFO_NUM_CONNECTS) == 0 && (!mustNotRepeat || isSurelyUnsent(result))
    }

    /// Whether the connection took no byte of the request. libcurl counts those that it has passed on without an error.
    ///
    /// The request got no stream, which libcurl would have mentioned, or the connection had ended before, so that nothing
    /// can be written (ngtcp2's state "draining", RFC 9000 section 10.2.2).
    private func isSurelyUnsent(_ result: halyard_result) -> Bool {
        guard easy.long(HALYARD_INFO_REQUEST_SIZE) == 0 else { return false }
        return head.connection == .http1
            || head.connection == .multiplexed && easy.errorMessage(for: result).contains("ERR_DRAINING")
    }

    /// Prepares the request for another connection: first for any other, such as one that another request has made.
    func prepareMove() {
        moves += 1
        if mustNotRepeat { sends = 0 }
        (head.connection, isPaused) = (.unknown, false)
        easy.clearErrorMessage()
        easy.set(HALYARD_OPT_FRESH_CONNECT, moves > 1)
        easy.needsReset = true
    }
}

extension ResponseHead {
    /// Returns the error for header fields that libcurl rejects, or `nil` for another error.
    ///
    /// libcurl has limits that the engine's configuration cannot raise: a line of 100 KB; since 8.3, 300 KB in all;
    /// since 8.16, 5000 lines.
    fileprivate func error(for result: halyard_result, _ message: String) -> HTTPError? {
        guard status != 0 else { return nil }  // The error is about the request.
        return switch result {
        case HALYARD_E_TOO_LARGE where message.hasPrefix("Too many"): tooLarge(limit, because: message)
        case HALYARD_E_TOO_LARGE: tooLarge(100 << 10, because: "a single line is longer")
        // Before 8.6 this was the result for a line that is too long.
        case HALYARD_E_OUT_OF_MEMORY where !isFinal: tooLarge(100 << 10, because: "a single line is longer")
        case HALYARD_E_RECV_ERROR where message.hasPrefix("Too large response headers"):
            tooLarge(300 << 10, because: message)
        // Since 8.7: "Unsolicited Transfer-Encoding (gzip) found". Earlier releases return the coded bytes.
        case HALYARD_E_BAD_CONTENT_ENCODING where message.contains("Transfer-Encoding ("):
            .transferCoding(message.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }.lowercased())
        // The result for a header field, or a folded line, that libcurl cannot store.
        case HALYARD_E_BAD_FUNCTION_ARGUMENT:
            HTTPError(.invalidResponse, reason: "one of its header fields is not valid")
        default: nil
        }
    }

    private func tooLarge(_ limit: Int, because reason: String) -> HTTPError {
        HTTPError(
            .headersTooLarge(limit: limit), reason: reason,
            suggestion: "The limit is libcurl's: the server must send smaller header fields")
    }
}

// Time limits: of the whole transfer, of the time without any byte, and of the body of a redirect.
extension Transfer {
    /// Records that bytes have moved.
    func recordActivity() { lastActivity = loopContext.iteration.now }

    /// Whether only the head of the response is needed, because it is a redirect that is followed.
    var needsOnlyHead: Bool { redirectBodyDeadline != nil }

    /// Limits the time in which the body of a redirect is read to 100 milliseconds.
    func limitRedirectBody() -> MonotonicInstant {
        let end = loopContext.iteration.now.advanced(milliseconds: 100)
        redirectBodyDeadline = end
        return end
    }

    /// The earliest time at which a limit may be exceeded; `nil` without limits.
    var nextDeadline: MonotonicInstant? {
        let idle = pending.context.idleTimeout.flatMap(lastActivity.advanced(by:))
        var earliest = EarliestDeadline()
        earliest.include(deadline)
        earliest.include(idle)
        earliest.include(redirectBodyDeadline)
        return earliest.instant
    }

    /// Returns how the transfer ends if a limit is exceeded, or `nil`.
    func timeoutOutcome(_ now: MonotonicInstant) -> Result<HTTPResponse, any Error>? {
        if let redirectBodyDeadline, redirectBodyDeadline <= now, let receiver { return .success(response(receiver)) }
        return timeoutError(now).map { .failure($0) }
    }

    private func timeoutError(_ now: MonotonicInstant) -> HTTPError? {
        if let deadline, deadline <= now { return pending.timeoutError }
        // Time in which the transfer waits for the user does not count, unless the server has rejected the upload.
        if isPaused && !isRejectingUpload { lastActivity = now }
        if let idle = pending.context.idleTimeout.flatMap(lastActivity.advanced(by:)), idle <= now {
            return .exceeded(
                .idle, reason: "no data was transferred for \(pending.context.idleTimeout.map { "\($0)" } ?? "")")
        }
        return nil
    }
}
