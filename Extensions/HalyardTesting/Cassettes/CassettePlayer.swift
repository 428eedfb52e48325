import Halyard
import HalyardFoundation
import HalyardHAR
import HalyardHTTP

/// Answers requests with the recorded responses of a cassette.
final class CassettePlayer: Transport {
    private struct State: Sendable {
        /// The indices of the recorded exchanges that have been used.
        var used: Set<Int> = []
        /// The requests that found no response.
        var misses: [String] = []
    }

    private let entries: [HAREntry]
    private let requests: [RecordedRequest]
    private let state = Lock(State())
    private let rules: [CassetteRule]
    private let time: PipelineTime
    /// Whether the bodies of streams are replayed at once.
    private let isImmediate: Bool
    private let file: URL

    init(_ entries: [HAREntry], _ rules: [CassetteRule], _ clock: (any Clock<Duration>)?, _ file: URL) {
        // Browsers record requests without a response with status 0.
        self.entries = entries.filter { (200...999).contains($0.status) }
        requests = self.entries.map { RecordedRequest($0.request) }
        self.rules = rules
        time = clock.map { PipelineTime($0) } ?? PipelineTime(ContinuousClock())
        isImmediate = clock == nil
        self.file = file
    }

    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        let body = try await request.body?.data()
        let sent = RecordedRequest(HAREntry.Request(request, body: body))
        let entry = try claim(sent)
        guard let data = entry.body else {
            throw HTTPError(.noStub(sent.name), reason: "the cassette has the response without its body")
        }
        let chunks = chunks(of: data, entry.chunks)
        return try await StubResponse(
            .chunks(chunks), status: entry.status, headers: entry.replayHeaders(data, to: request.method)
        ).answer(to: request, uploading: Int64(body?.count ?? 0), context, time)
    }

    /// Returns a body in its recorded pieces. Masked secrets may have changed the length: the last piece has the rest.
    private func chunks(of data: Data, _ recorded: [HAREntry.Chunk]) -> [StubResponse.Chunk] {
        var (chunks, rest, time) = ([StubResponse.Chunk](), data, 0.0)
        for chunk in recorded where !rest.isEmpty {
            // A file may have any number: a Duration of more than 2^67 seconds traps. A day is the longest wait.
            let wait = isImmediate ? 0 : min(chunk.time - time, 86_400_000)
            time = chunk.time
            let piece = rest.prefix(max(0, chunk.size))
            rest = rest.dropFirst(piece.count)
            chunks.append(StubResponse.Chunk(Data(piece), after: wait > 0 ? .milliseconds(wait) : .zero))
        }
        if rest.isEmpty { return chunks }
        let last = chunks.popLast() ?? StubResponse.Chunk(Data())
        return chunks + [StubResponse.Chunk(last.data + rest, after: last.wait)]
    }

    /// Returns the first unused response that fits a request.
    private func claim(_ sent: RecordedRequest) throws -> HAREntry {
        // A rule may run code of the user, which must not run under the lock.
        let fitting = entries.indices.filter { differences(requests[$0], sent).isEmpty }
        let index = state.withLock { state in
            let index = fitting.first { !state.used.contains($0) }
            if let index { state.used.insert(index) }
            return index
        }
        if let index { return entries[index] }
        let error = miss(sent, fitting.count)
        state.withLock { $0.misses.append("\(error)") }
        throw error
    }

    private func differences(_ recorded: RecordedRequest, _ sent: RecordedRequest) -> [String] {
        rules.compactMap { $0.difference(recorded, sent) }
    }

    /// The error for a request without a response.
    private func miss(_ sent: RecordedRequest, _ usedCount: Int) -> HTTPError {
        let path = file.path(percentEncoded: false)
        if usedCount > 0 {
            return HTTPError(
                .noStub(sent.name),
                reason: "the cassette has \(usedCount == 1 ? "one response" : "\(usedCount) responses") to it, "
                    + "and \(usedCount == 1 ? "it was" : "all were") used",
                suggestion: "Send it less often, or record \(path) again")
        }
        let nearest = requests.min { differences($0, sent).count < differences($1, sent).count }
        guard let nearest else {
            return HTTPError(
                .noStub(sent.name), reason: "the cassette has no responses", suggestion: "Record \(path) again")
        }
        return HTTPError(
            .noStub(sent.name),
            reason: "the most similar recorded request is \(nearest.name), and "
                + differences(nearest, sent).joined(separator: ", and "),
            suggestion: "Record \(path) again, or change what is compared (matching:)")
    }

    /// The requests without a response, each as a sentence.
    var misses: [String] { state.withLock { $0.misses } }

    /// The recorded responses that no request has used, each as a sentence.
    var unused: [String] {
        let used = state.withLock { $0.used }
        return entries.indices.filter { !used.contains($0) }
            .map { "The recorded response to \(requests[$0].name) was not used" }
    }
}

extension RecordedRequest {
    /// Method and URL, without the secrets, which are not recorded.
    fileprivate var name: String { "\(method) \(target)" }

    fileprivate init(_ request: HAREntry.Request) {
        self.init(
            method: (try? HTTPMethod(request.method)) ?? .get, target: request.url, headers: request.headers,
            body: request.body)
    }
}

extension HAREntry {
    /// The header fields for the recorded body. Masked secrets may have changed its length.
    fileprivate func replayHeaders(_ body: Data, to method: HTTPMethod) -> HTTPHeaders {
        var all = headers
        if method != .head, all[.contentLength] != nil, all["Content-Encoding"] == nil {
            all[.contentLength] = String(body.count)
        }
        return all
    }
}
