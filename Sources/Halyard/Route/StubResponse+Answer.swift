import HalyardFoundation
package import HalyardHTTP

extension StubResponse {
    /// Returns the response with its value as bytes, after checking its header fields. Throws ``HTTPError`` of kind
    /// `invalidHeader`, or `encoding`.
    package func written(by codec: Codec = .standard) throws -> StubResponse {
        if let rejection = headers.rejection {
            throw HTTPError(
                rejection.kind, reason: rejection.reason, suggestion: "Correct the headers of the StubResponse")
        }
        guard case .body(let body) = content else { return self }
        let made = try body.make(codec)
        guard let data = made.map(\.body.dataInMemory) ?? Data() else {
            throw HTTPError(.encoding("the body"), reason: "a StubResponse has no files or streams")
        }
        var written = self
        written.content = .data(data)
        if !headers.contains("Content-Type") { written.headers[.contentType] = made?.contentType }
        return written
    }

    /// Returns the body of the response to a request with a method. `nil` if the method or the status allows no body.
    package func body(to method: HTTPMethod) -> [Chunk]? {
        guard allowsBody, method != .head else { return nil }
        return switch content {
        case .data(let data): [Chunk(data)]
        case .chunks(let chunks): chunks
        case .body, .raw: nil
        }
    }

    package var allowsBody: Bool { status >= 200 && status != 204 && status != 304 }

    /// Answers a request as a transport. `count` is the number of bytes of the request's body. Throws the response's
    /// own error; ``HTTPError`` of kind `timedOut` for a delay that is longer than the context's timeout, or
    /// `bodyTooLarge`; `CancellationError`.
    package func answer(
        to request: HTTPRequest, uploading count: Int64, _ context: TransferContext, _ time: PipelineTime
    ) async throws -> HTTPResponse {
        try await reportUpload(of: request, count, context, time)
        try await wait(delay, context, time)
        if let failure, failureOffset == nil { throw failure }
        if let fault, fault.byteCount != nil {
            guard case .stall = fault.end else { throw HTTPError.connectionLost }
            try await wait(.seconds(1 << 30), context, time)
        }
        if case .raw = content {
            throw HTTPError(
                .invalidResponse, reason: "raw bytes need a connection",
                suggestion: "Send raw bytes from a LoopbackServer")
        }
        let body = StubBody(
            chunks: body(to: request.method) ?? [], failure: failure, failureOffset: failureOffset, time: time)
        var response = try await HTTPResponse(
            receiving: body, status: status, headers: headers, for: request, context: context)
        response.notes.isStub = true
        return response
    }

    private func reportUpload(
        of request: HTTPRequest, _ count: Int64, _ context: TransferContext, _ time: PipelineTime
    ) async throws {
        var upload = ProgressMeter(.upload, total: request.body?.length, step: 1, context.progress)
        if count > 0 {
            for step in 1...uploadReports {
                if step > 1, uploadInterval > .zero { try await time.sleep(uploadInterval) }
                upload.advance(to: count * Int64(step) / Int64(uploadReports))
            }
        }
        upload.finish()
    }

    private func wait(_ delay: Duration, _ context: TransferContext, _ time: PipelineTime) async throws {
        guard delay > .zero else { return }
        try await time.sleep(context.timeout.map { min($0, delay) } ?? delay)
        guard let timeout = context.timeout, timeout < delay else { return }
        throw HTTPError.exceeded(
            .request, reason: "it took longer than \(timeout): the stub's response is delayed by \(delay)")
    }
}

/// The body of a stub's response, as a transport receives it: chunks over time, and an error in place of the rest.
private struct StubBody: AsyncSequence, Sendable {
    let chunks: [StubResponse.Chunk]
    let failure: HTTPError?
    /// The number of bytes before the error. `nil` without an error.
    let failureOffset: Int?
    let time: PipelineTime

    struct Iterator: AsyncIteratorProtocol {
        let body: StubBody
        var index = 0
        var sent = 0

        mutating func next() async throws -> Data? {
            let rest = body.failureOffset.map { $0 - sent }
            guard index < body.chunks.count, rest != 0 else {
                if rest != nil, let failure = body.failure { throw failure }
                return nil
            }
            let chunk = body.chunks[index]
            if chunk.wait > .zero { try await body.time.sleep(chunk.wait) }
            let data = chunk.data.prefix(rest ?? .max)
            index += 1
            sent += data.count
            return Data(data)
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }
}
