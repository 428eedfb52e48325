import CHalyardCurl
import HalyardHTTP

import HalyardFoundation

extension Transfer: EasyHandleDelegate {
    var mayBeMultiplexed: Bool { head.isMultiplexed || head.status == 0 && mayMultiplex }

    /// Decides whether the request is sent over a connection that is ready.
    ///
    /// A request that is not idempotent is sent over one connection at most. When a reused connection turns out to be
    /// dead, libcurl sends the request again over another, but the server may already have it. There is one exception:
    /// a connection that the engine itself has shut down. Nothing can be sent over it; libcurl notices that and takes
    /// another connection. An ended QUIC connection that took nothing does not count (``mustMove(after:)``). And where
    /// libcurl sends a request again only after the server has refused it, it may (``EasyHandle/resendsOnlyRefused``).
    func shouldSend(toAddress address: UnsafePointer<CChar>?, port: CInt, localPort: CInt) -> Bool {
        let isShutDown = loopContext.shutDownConnections.contains {
            guard let address else { return nil }
            return ConnectionEndpoints(remoteAddress: String(cString: address), remotePort: port, localPort: localPort)
        }
        // The claim of another response has made libcurl take the connection, which another request may use, for HTTP/2.
        isMisdirected = mayMultiplex && queue.usesOnlyHTTP1
        if isMisdirected { return false }
        isKnownUnsent = isShutDown && sends == 0
        if isKnownUnsent {
            easy.setResendsOnlyRefused(false)  // libcurl must take another connection when it notices.
            return true
        }
        if mayMultiplex {
            (stream, ports) = (nil, (port, localPort))
            if head.connection == .multiplexed { head.connection = .http1 }
        }
        sends += 1
        if sends == 1 {
            if mayMultiplex { easy.setResendsOnlyRefused(mustNotRepeat) }
            return restartBody()
        }
        // libcurl allows five attempts, which it counts until the handle is reset.
        easy.needsReset = true
        return (!mustNotRepeat || isRefused) && restartBody()
    }

    /// Goes back to the start of the body before the request is sent. Returns `false` if that is not possible.
    ///
    /// libcurl before 8.7 goes back only if it has sent a part of the body. What it has read and not sent, because the
    /// server refused the stream at once, it forgets: the server would get the rest of the body, or none.
    private func restartBody() -> Bool {
        guard let position = uploadCursor?.position, position > 0 else { return true }
        return restartBody(at: 0)
    }

    private func restartBody(at offset: Int64) -> Bool {
        upload.rewind(to: offset)
        isUploadComplete = false
        return uploadCursor?.rewind(to: offset) ?? true
    }

    /// Whether the server must not receive the request twice.
    var mustNotRepeat: Bool { !request.method.isIdempotent }

    /// Whether the server has refused the stream of the request, when libcurl is about to send it again.
    var isRefused: Bool { easy.resendsOnlyRefused && !isDowngraded }

    func inspect(remark: UnsafeRawBufferPointer) {
        if head.connection == .unknown { head.connection = .http1 }
        switch Remark(remark) {
        case .stream(let number):
            stream = number
            head.connection = .multiplexed
            goAwayCount = loopContext.goAways.count
            if !CurlLibrary.hasPrerequestCallback, !restartBody() { failure = failure ?? HTTPError.closed }
        case .http3Stream:
            // Without ports, no GOAWAY frame of HTTP/2 is taken to be about this connection.
            (head.connection, ports) = (.multiplexed, (0, 0))
        case .goAway(let lastStream, let code):
            guard let endpoints else { break }
            loopContext.goAways.add(.init(connection: endpoints, lastStream: lastStream, code: code))
        case .downgrade: isDowngraded = true
        case .handshake: loopContext.mentionsTLS = true
        case .closeNotify: isCloseNotified = true
        case nil: break
        }
    }

    /// The connection that the request was sent over, if it may be HTTP/2.
    var endpoints: ConnectionEndpoints? {
        guard ports.local != 0, let address = easy.string(HALYARD_INFO_PRIMARY_IP) else { return nil }
        return ConnectionEndpoints(remoteAddress: address, remotePort: ports.remote, localPort: ports.local)
    }

    func inspect(headerLine line: UnsafeMutableRawBufferPointer) {
        if easy.foldGuard?.neutralizeFold(line) == true { failure = failure ?? ResponseHead.leadingFoldError }
    }

    func receive(headerLine line: UnsafeRawBufferPointer) -> CallbackResult {
        recordActivity()
        easy.updateFoldGuard(line, isStatus: head.expectsStatusLine)
        do {
            if head.isFinal {
                // libcurl delivers trailers that arrived while a stream was paused in one piece.
                for line in line.split(separator: 0x0A) {
                    try head.read(line: UnsafeRawBufferPointer(rebasing: line), &loopContext.fieldMemory)
                }
            } else {
                try head.read(line: line, &loopContext.fieldMemory)
                if head.isFinal { try receiveHead() }
                if head.isInterim {
                    pending.context.informational?(
                        .init(status: head.status, headers: head.headers, from: request.address))
                }
            }
            return isStoppedEarly || isUploadRejected ? .abort : .proceed
        } catch {
            if head.hasFalseVersion && mayMultiplex { queue.usesOnlyHTTP1 = true }
            return fail(error)
        }
    }

    func receive(body bytes: UnsafeRawBufferPointer) -> CallbackResult {
        recordActivity()
        do {
            // Reading a property of the receiver or the meter would copy all of it, for each 16 KB of a body.
            let (result, received) = try receiver?.receive(bytes) ?? (.accepted, 0)
            if isStreaming { loopContext.notifier.bytesArrived(for: self) }
            if download.advance(to: received) { loopContext.iteration.scheduleProgressReport() }
            if isRejectingUpload, received == head.contentLength { isUploadRejected = true }
            switch result {
            case .accepted: return isUploadRejected ? .abort : .proceed
            case .full:
                isPaused = true
                return .pause
            case .enough:
                isStoppedEarly = true
                return .abort
            }
        } catch { return fail(error) }
    }

    func supplyBody(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, result: CallbackResult) {
        recordActivity()
        do {
            if let failure { throw failure }
            switch try uploadCursor?.read(into: buffer) ?? .end {
            case .bytes(let count):
                if upload.advance(to: uploadCursor?.position ?? 0) {
                    loopContext.iteration.scheduleProgressReport()
                }
                return (count, .proceed)
            case .nothingYet:
                isPaused = true
                return (0, .pause)
            case .end:
                isUploadComplete = true
                upload.finish()
                return (0, .proceed)
            }
        } catch { return (0, fail(error)) }
    }

    /// libcurl rewinds when a reused connection breaks before a response arrives.
    func rewind(to offset: Int64) -> Bool {
        guard !mustNotRepeat || isKnownUnsent || isRefused else { return false }
        return restartBody(at: offset)
    }

    private func fail(_ error: any Error) -> CallbackResult {
        failure = failure ?? error
        return .abort
    }
}

// The head of the response.
extension Transfer {
    /// Whether the server has rejected the request while there is more of its body to send.
    ///
    /// The engine then ends the transfer itself. If the server also announces that it will close the connection,
    /// libcurl would continue to send the body, and wait while the user has no more bytes. libcurl handles a 417
    /// response itself.
    var isRejectingUpload: Bool {
        guard head.isFinal, head.status >= 300, head.status != 417, let body = request.body else { return false }
        return !isUploadComplete && upload.completed != body.length
    }

    private func receiveHead() throws {
        if settings.mayUseHTTP3 && settings.allowsHTTP3(to: request.origin) { learnHTTP3() }
        if isExpectationRefused { isStoppedEarly = true }
        if head.isMultiplexed && !queue.isMultiplexed { loopContext.multiplexedQueues.append(queue) }
        let hasBody = request.method != .head && ![204, 304].contains(head.status)
        if let coding = head.transferCoding, hasBody {
            throw HTTPError.transferCoding(coding)
        }
        let isFollowed = pending.context.followsRedirects && head.headers.redirection(of: head.status) != nil
        let isCoded = offersCompression && hasBody && !isFollowed
        let decoder = isCoded ? try BodyDecoder(head.headers.contentCodings) : nil
        let sink = try makeSink(isFollowed: isFollowed)
        if isFollowed { loopContext.iteration.deadline.include(limitRedirectBody()) }
        var receiver = ResponseBodyReceiver(sink, offset: download.offset, decoder, settings.configuration)
        if request.method == .head {
            // If a HEAD request has a body, libcurl waits for a body of the response, which never comes.
            isStoppedEarly = request.body != nil
        } else if let length = head.contentLength {
            if !isFollowed { try receiver.expect(length) }
            download.total = length
        }
        self.receiver = receiver
        isUploadRejected = isRejectingUpload && (!hasBody || head.contentLength == 0)
        guard let pipe = receiver.pipe else { return }
        isStreaming = true
        if fileWriter == nil { beginStream(pipe, response(receiver)) } else { observe(pipe) }
    }

    /// Learns whether the server offers HTTP/3 and whether the network lets it through. A connection over TCP is closed
    /// after the response if the next request is to use QUIC: libcurl would prefer the open connection.
    private func learnHTTP3() {
        let now = loopContext.iteration.now
        if head.status == 421 {
            guard head.isHTTP3 else { return }
            queue.http3.misdirected(now)
            settings.configuration.alternativeServices?.learn([], of: request.origin)
            return
        }
        if head.isHTTP3 {
            queue.http3.succeeded(now)
        } else if triesHTTP3, easy.long(HALYARD_INFO_NUM_CONNECTS) > 0 {
            queue.http3.failed(now)
        }
        if let services = head.headers.alternativeServices {
            queue.http3.learn(services, of: request.origin, now)
            settings.configuration.alternativeServices?.learn(services, of: request.origin)
        }
        // One that has won against QUIC just now is kept.
        guard !head.isHTTP3, !triesHTTP3, queue.http3.isTried(now) else { return }
        easy.set(HALYARD_OPT_FORBID_REUSE, true)
        easy.needsReset = true
    }

    /// Makes the destination of the body. Files are written on another thread. If the response is a redirect that is
    /// followed, only the beginning of its body is kept.
    private func makeSink(isFollowed: Bool) throws(HTTPError) -> ResponseSink {
        if isFollowed { return .excerpt }
        // Where pausing may fail a transfer, the file is written directly: a slow disk must not pause the transfer.
        let opening =
            CurlLibrary.failsAfterPauses
            ? nil : try DownloadFileOpening(for: request, status: head.status, head.headers)
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
}
