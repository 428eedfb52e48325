public import HalyardFoundation

extension HTTPResponse {
    /// Receives the body of a response, for custom transports.
    ///
    /// The body goes to the request's ``HTTPRequest/destination``, by the same rules as with Halyard's engines:
    /// - Memory, up to the destination's limit, or a file: the call returns at the end of the body.
    /// - A stream: the call returns at once. A task reads `body` while the reader of the stream asks for more, and is
    ///   cancelled when the reader leaves the stream.
    /// - If the response is not a 2xx and the destination is a file or a stream, the first 64 KiB are kept in memory.
    ///
    /// Progress is reported to the context, with the `Content-Length` as the total.
    ///
    /// ```swift
    /// func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
    ///     let (status, headers, chunks) = try await tunnel.exchange(request)
    ///     return try await HTTPResponse(
    ///         receiving: chunks, status: status, headers: headers, for: request, context: context)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - body: The chunks of the body, decompressed. The sequence must throw if the body is cut off, because its end
    ///     is the end of the body.
    ///   - request: The request that the response belongs to.
    /// - Throws: ``HTTPError`` of kind `bodyTooLarge`, `unwritableFile`, or `invalidResponse` for a body that does not
    ///   fit a download; errors that `body` throws; `CancellationError`.
    public init<Body: AsyncSequence & Sendable>(
        receiving body: Body, status: Int, headers: HTTPHeaders = [:], for request: HTTPRequest,
        context: TransferContext
    ) async throws where Body.Element == Data {
        var head = HTTPResponse(status: status, headers: headers, from: request.address)
        do {
            // The field of a response to HEAD is the length that GET would have.
            let length = request.method == .head ? 0 : headers.bodyLength
            var meter = ProgressMeter(.download, total: length, context.progress)
            if let opening = try DownloadFileOpening(for: request, status: status, headers) {
                self = try await head.receive(body, intoFile: opening, meter)
                return
            }
            var sink = try ResponseSink(for: request, status: status, headers)
            if let pipe = sink.pipe {
                Self.stream(body, into: pipe, meter)
            } else {
                try sink.expect(Int(clamping: length ?? 0))
                try await meter.pass(body) { chunk in try chunk.withUnsafeBytes { try sink.write($0) } == .accepted }
            }
            sink.fill(&head)
            self = head
        } catch let error as HTTPError { throw error.adding(request: request, response: head) }
    }

    private func receive<Body: AsyncSequence>(
        _ body: Body, intoFile opening: DownloadFileOpening, _ meter: ProgressMeter
    ) async throws -> HTTPResponse where Body.Element == Data {
        var meter = meter
        meter.offset = opening.offset
        let writer = FileWriter(opening, capacity: 1 << 20, reserve: 0)
        var outcome = Result<HTTPResponse, any Error>.success(self)
        do { try await meter.pass(body) { await writer.pipe.write($0) } } catch { outcome = .failure(error) }
        let written = OneShot<Result<HTTPResponse, any Error>>()
        writer.finish(with: outcome) { written.fulfill($0) }
        return try await written.take().get()
    }

    private static func stream<Body: AsyncSequence & Sendable>(
        _ body: Body, into pipe: BytePipe, _ meter: ProgressMeter
    ) where Body.Element == Data {
        let task = Task {
            var meter = meter
            do {
                try await meter.pass(body) { await pipe.write($0) }
                pipe.finish()
            } catch { pipe.finish(throwing: error) }
        }
        pipe.onChange { task.cancel() }
        if pipe.isClosed { task.cancel() }
    }
}

extension ProgressMeter {
    /// Passes the chunks of a body on until no more are wanted, and reports them.
    fileprivate mutating func pass<Body: AsyncSequence>(
        _ body: Body, to write: (Data) async throws -> Bool
    ) async throws where Body.Element == Data {
        for try await chunk in body {
            let wantsMore = try await write(chunk)
            advance(to: completed + Int64(chunk.count))
            guard wantsMore else { break }
        }
        try Task.checkCancellation()
        finish()
    }
}

extension HTTPHeaders {
    /// The number of bytes of a body that is not compressed; `nil` if it is not known.
    fileprivate var bodyLength: Int64? {
        guard !contains("Content-Encoding"), !contains("Transfer-Encoding") else { return nil }
        return (try? statedLength()) ?? nil
    }
}

extension DownloadFileOpening {
    /// Makes the opening of the file that a request's destination names; `nil` when the body does not go to a file.
    /// Throws ``HTTPError`` of kind `invalidResponse` for a body that does not fit the partial file, or for a part of it
    /// that was not requested. A part of the body that does not fit a partial file fails when the file is opened, because
    /// it also removes the bytes.
    package init?(for request: HTTPRequest, status: Int, _ headers: HTTPHeaders) throws(HTTPError) {
        guard case .file(let url, _) = request.destination, (200..<300).contains(status) else { return nil }
        guard let partialFile = request.partialFile else {
            try request.requireWholeBody(status, headers)
            self.init { () throws(HTTPError) in
                try AtomicFile(url, permit: .forFile(), isPatient: true, isHashed: request.hashes(headers))
            }
            return
        }
        self = try request.opening(partialFile, status, headers)
    }
}

extension HTTPRequest {
    /// Throws ``HTTPError`` of kind `invalidResponse` for a part of the body, which would be taken for the whole file,
    /// unless the request has a `Range`.
    func requireWholeBody(_ status: Int, _ headers: HTTPHeaders) throws(HTTPError) {
        guard status == 206, !self.headers.contains("Range") else { return }
        let range = headers["Content-Range"].flatMap(ContentRange.init)
        if range?.first != 0 || range?.total != range.map({ $0.last + 1 }) { throw ResumeDecision.unrequestedPart }
    }

    /// Whether the file that receives the body computes its digest: to compare it with that of the caller, or of the
    /// server.
    func hashes(_ headers: HTTPHeaders) -> Bool { isHashed || headers.fileDigest != nil }

    /// Decides what to do with the body of a 2xx. See ``PartialFile/opening(_:_:source:isHashed:)``.
    package func opening(
        _ partialFile: PartialFile, _ status: Int, _ headers: HTTPHeaders
    ) throws(HTTPError) -> DownloadFileOpening {
        try partialFile.opening(status, headers, source: ResumeRecord.source(self), isHashed: hashes(headers))
    }
}

extension HTTPResponse {
    /// Compares the response's complete file with the SHA-256 that the caller knows, or else with that of the server.
    /// Throws ``HTTPError`` of kind `digestMismatch`. `request` is the request.
    @inline(never)
    package nonisolated(nonsending) func requireDigest(
        _ digest: Data? = nil, of file: any DownloadFile, _ request: HTTPRequest?
    ) async throws {
        guard let digest = digest ?? statedDigest(of: file, request) else { return }
        let path = file.path
        // A file that another transport or an interceptor has written is read.
        let known = file.digest
        let actual = if let known { known } else { try await blocking { try SHA256Digest.hash(ofFileAt: path) } }
        try HTTPError.require(digest, actual)
    }

    /// The SHA-256 that the server states of a file. `nil` if it states none, or if that may be another file: a response
    /// without content, such as one to HEAD, may describe what it does not contain, and the caller may have asked for a
    /// part.
    private func statedDigest(of file: any DownloadFile, _ request: HTTPRequest?) -> Data? {
        guard request?.method != .head, status == 200 || status == 206 && file.offset > 0 else { return nil }
        return headers.fileDigest
    }
}

extension ResumeRecord {
    /// The hash of a request. It includes the accepted media types and languages, which select different bodies.
    package static func requestHash(_ request: HTTPRequest) -> String {
        let choices = ["Accept", "Accept-Language"].map { request.headers[$0] ?? "" }
        return SHA256Digest.hexDigest(of: ([request.address.text.withoutFragment] + choices).joined(separator: "\n"))
    }

    /// The hash of the URL of a request. The query is ignored, because a signed URL has a new one each time.
    package static func source(_ request: HTTPRequest) -> String { source(request.address) }

    /// The hash of the URL of a response.
    package static func source(_ response: HTTPResponse) -> String { source(response.address) }

    /// Identifies a body of which a 206 has a part. `nil` without a strong validator, or the length of the whole body.
    package init?(ofPart response: HTTPResponse, requestHash: String) {
        guard let validator = StrongValidator(of: response.headers),
            let total = response.headers["Content-Range"].flatMap(ContentRange.init)?.total
        else { return nil }
        self.init(requestHash: requestHash, source: Self.source(response), validator: validator, total: total)
    }

    private static func source(_ address: AbsoluteURL) -> String {
        SHA256Digest.hexDigest(of: String(address.text.withoutFragment.prefix { $0 != "?" }))
    }
}

extension String {
    fileprivate var withoutFragment: String { String(prefix { $0 != "#" }) }
}
