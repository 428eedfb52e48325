import HalyardCodable
import HalyardFoundation
import HalyardHTTP

/// One call of `download` with connections: requests the parts of a file until it is complete.
struct DownloadRun<Provider: HTTPProvider>: Sendable {
    let provider: Provider
    let route: Route
    /// The request of the route, as it was prepared.
    let request: HTTPRequest
    let requestHash: String
    /// The SHA-256 that the caller gives. That of the server does not count then.
    let digest: Data?
    let file: SegmentedFile
    let connections: Int
    let report: RisingProgress

    /// The number of bytes of the first request, which learns whether the server supports ranges.
    private static var firstPart: Int64 { 1 << 20 }

    /// A response whose body begins at the offset that was requested.
    private struct Part: Sendable {
        let outcome: RequestOutcome
        let response: HTTPResponse
        /// The end of its bytes in the file. `nil` if it is not known.
        var end: Int64?
    }

    /// The version that is received in parts.
    private struct Body: Sendable {
        let record: ResumeRecord
        /// See ``SegmentedFile/number``.
        let number: Int
    }

    /// The server does not have the version any more that the bytes belong to.
    private struct Change: Error {
        let error: HTTPError

        init(_ error: HTTPError) { self.error = error }

        init(_ reason: String, _ response: HTTPResponse?) {
            error = HTTPError(
                .invalidResponse, reason: "the file has changed while it was downloaded: \(reason)",
                suggestion: "Download it again", response: response)
        }
    }

    /// Receives all bytes that are missing.
    func fill() async throws {
        do {
            if file.record == nil { try await start() } else { try await receive(nil) }
        } catch is Change {
            do { try await whole(nil, isRanged: true) } catch let again as Change { throw again.error }
        }
    }

    /// Requests the first part. If the server has no parts that can be continued, receives the whole body.
    private func start() async throws {
        let outcome = await send(0..<Self.firstPart)
        // An empty file has no first part.
        if outcome.response?.status == 416 { return try await whole(nil, isRanged: false) }
        let response = try outcome.get()
        if response.status != 206, response.headers.contentCodings.isEmpty {
            return try await whole(Part(outcome: outcome, response: response), isRanged: false)
        }
        // A body that is compressed although nothing was asked for is requested again, to be decompressed.
        guard response.status == 206, let record = ResumeRecord(ofPart: response, requestHash: requestHash),
            let end = try? end(of: response, from: 0, record),
            let first = try await blocking({ try file.begin(record, first: end) })
        else {
            response.discard()
            return try await whole(nil, isRanged: false)
        }
        try learnDigest(of: response)
        try await receive((first, Part(outcome: outcome, response: response, end: end)))
    }

    /// Receives ranges over all connections until none is missing. `first` is a range that a response brings already.
    private func receive(_ first: (range: Range<Int64>, part: Part)?) async throws {
        guard let record = file.record else { return }
        let body = Body(record: record, number: file.number)
        report(file.completed, of: record.total)
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let first {
                group.addTask {
                    try await receive(first.range, of: body, from: first.part)
                    try await receiveRest(of: body)
                }
            }
            for _ in (first == nil ? 0 : 1)..<connections { group.addTask { try await receiveRest(of: body) } }
            // The first error ends the other parts.
            for try await _ in group {}
        }
    }

    private func receiveRest(of body: Body) async throws {
        while let range = try await blocking({ file.take(sharedBy: connections) }) {
            try await receive(range, of: body)
        }
    }

    /// Receives a range, and continues where it breaks off. `part` is a response that brings its start.
    private func receive(_ range: Range<Int64>, of body: Body, from part: Part? = nil) async throws {
        var (part, next, attempt) = (part, range.lowerBound, 1)
        while next < range.upperBound {
            var open: Part
            if let given = part.take() {
                open = given
            } else {
                open = try await request(next..<range.upperBound, of: body.record)
            }
            open.end = open.end ?? range.upperBound
            do { try await write(open, at: &next, of: body.record.total, body.number) } catch {
                try await wait(after: error, &attempt)
            }
        }
    }

    /// Receives the whole body over one connection. If it is interrupted, it is continued if `isRanged`, and begins again
    /// otherwise. `part` is the response, if there is one already.
    private func whole(_ part: Part?, isRanged: Bool) async throws {
        var (part, attempt, isRanged) = (part, 1, isRanged)
        while true {
            let open: Part
            if let given = part.take() {
                open = given
            } else {
                let outcome = await send(nil, isRanged: isRanged)
                open = Part(outcome: outcome, response: try outcome.get())
            }
            let response = open.response
            try response.requireSuccess()
            // A body that is compressed although nothing was asked for is requested again, to be decompressed.
            if isRanged, !response.headers.contentCodings.isEmpty {
                response.discard()
                isRanged = false
                continue
            }
            guard response.status != 206 else { throw ResumeDecision.unrequestedPart }
            let decision = try? ResumeDecision(
                after: response.status, response.headers, to: nil, requestHash: requestHash,
                source: ResumeRecord.source(response))
            if isRanged, case .startOver(let record) = decision,
                let all = try await blocking({ try file.begin(record, first: record.total ?? 0) })
            {
                try learnDigest(of: response)
                return try await receive(all, of: Body(record: record, number: file.number), from: open)
            }
            _ = try await blocking { try file.begin(nil) }
            try learnDigest(of: response)
            let total = response.headers.contentCodings.isEmpty ? try? response.headers.statedLength() : nil
            report(0, of: total)
            var next: Int64 = 0
            do { return try await write(open, at: &next, of: total, file.number) } catch {
                try await wait(after: error, &attempt)
            }
        }
    }

    /// Sends a request for a range, or for the whole body. `isRanged` says whether its bytes must have the offsets of
    /// ranges, which compression would change.
    private func send(
        _ range: Range<Int64>?, of record: ResumeRecord? = nil, isRanged: Bool = true
    ) async -> RequestOutcome {
        var route = route
        if isRanged, !request.headers.contains("Accept-Encoding") { route.headers["Accept-Encoding"] = "identity" }
        route.headers["Range"] = range.map { "bytes=\($0.lowerBound)-\($0.upperBound - 1)" }
        route.headers["If-Range"] = record?.validator.text
        return await provider.request(route).outcome(to: .stream)
    }

    /// Requests a range of a body. Throws a ``Change`` if the server does not have it any more.
    private func request(_ range: Range<Int64>, of record: ResumeRecord) async throws -> Part {
        let outcome = await send(range, of: record)
        if outcome.response?.status == 416 { throw Change("it is shorter", outcome.response) }
        let response = try outcome.get()
        do {
            guard response.status == 206 else { throw Change("the server sends all of it", response) }
            guard ResumeRecord.source(response) == record.source else {
                throw Change("it comes from another URL", response)
            }
            let end: Int64
            do { end = try self.end(of: response, from: range.lowerBound, record) } catch {
                throw Change(error.adding(response: response))
            }
            try learnDigest(of: response)
            return Part(outcome: outcome, response: response, end: min(end, range.upperBound))
        } catch {
            response.discard()
            throw error
        }
    }

    /// Learns the SHA-256 of the whole file, if a response states it as `Repr-Digest` (RFC 9530). Throws a ``Change`` if
    /// an earlier part has stated another.
    private func learnDigest(of part: HTTPResponse) throws {
        guard digest == nil, let stated = part.headers.fileDigest, !file.learn(stated) else { return }
        throw Change("its Repr-Digest is another", part)
    }

    /// Returns where a part ends in the file. Throws ``HTTPError`` for a part that does not fit.
    private func end(of response: HTTPResponse, from first: Int64, _ record: ResumeRecord) throws(HTTPError) -> Int64 {
        let decision = try ResumeDecision(
            after: response.status, response.headers, to: record.part(from: first), requestHash: requestHash,
            source: record.source)
        guard case .append(_, let end, _) = decision else {
            throw ResumeDecision.mismatch("the response has no part of the body")
        }
        return end
    }

    /// Writes the bytes of a part as they arrive, and moves `next` with them. `number` is that of the body.
    private func write(_ part: Part, at next: inout Int64, of total: Int64?, _ number: Int) async throws {
        do {
            if let stream = part.response.stream {
                for try await chunk in stream { try await write(chunk, of: part, at: &next, total, number) }
            } else {
                try await write(part.response.bytes(), of: part, at: &next, total, number)
            }
            guard let end = part.end, next < end else { return }
            throw HTTPError(.connectionLost, reason: "the response ended at byte \(next), and not at byte \(end)")
        } catch {
            let known = error as? HTTPError
            // Another error may refuse the bytes, such as that of a digest, when they are in the file already. A digest
            // that cannot be read is of the kind `decoding`.
            if known.map({ $0 == .decoding }) ?? !(error is CancellationError || error is Change) { file.forget() }
            throw known.map(part.outcome.annotated) ?? error
        }
    }

    private func write(
        _ chunk: Data, of part: Part, at next: inout Int64, _ total: Int64?, _ number: Int
    ) async throws {
        let start = next
        guard start + Int64(chunk.count) <= part.end ?? .max else {
            throw Change("the response has more bytes than its Content-Range states", part.response)
        }
        let completed = try await blocking { try file.write(chunk, at: start, of: number) }
        next += Int64(chunk.count)
        report(completed, of: total)
    }

    /// Waits before another attempt. Throws the error if the retry policy allows none.
    private func wait(after error: any Error, _ attempt: inout Int) async throws {
        let delay = try provider.client.retryDelay(after: error, to: request, attempt: attempt, route.options)
        attempt += 1
        try await provider.client.time.sleep(delay)
    }
}
