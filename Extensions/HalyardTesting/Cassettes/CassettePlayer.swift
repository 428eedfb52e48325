import Halyard
import HalyardFoundation
import HalyardHAR
import HalyardHTTP

/// Answers requests with the recorded responses of a cassette.
final class CassettePlayer: Sendable {
    private struct State: Sendable {
        /// The recorded exchanges, and whether each has been used.
        var entries: [(entry: HAREntry, isUsed: Bool)]
        /// The requests that found no response.
        var misses: [String] = []
    }

    private let state: Lock<State>
    private let rules: [CassetteRule]
    private let timing: CassetteTiming
    private let file: URL

    init(_ entries: [HAREntry], _ rules: [CassetteRule], _ timing: CassetteTiming, _ file: URL) {
        // Browsers record requests without a response with status 0.
        state = Lock(State(entries: entries.filter { $0.response.status > 0 }.map { ($0, false) }))
        self.rules = rules
        self.timing = timing
        self.file = file
    }

    func send(_ request: HTTPRequest, _ context: TransferContext) async throws -> HTTPResponse {
        let body = try await request.body?.data()
        let sent = HAREntry.Request(request, body: body)
        var upload = ProgressMeter(.upload, total: request.body?.length, step: 1, context.progress)
        if let body, !body.isEmpty { upload.advance(to: Int64(body.count)) }
        upload.finish()
        let entry = try claim(sent)
        guard let data = entry.response.content.data else {
            throw HTTPError(.noStub(sent.name), reason: "the cassette has the response without its body")
        }
        let chunks = CassetteBody(data, entry.response.content._chunks, timing)
        var response = try await HTTPResponse(
            receiving: chunks, status: entry.response.status,
            headers: entry.response.replayHeaders(data, to: request.method), for: request, context: context)
        response.source = .stub
        return response
    }

    /// Returns the first unused response that fits a request.
    private func claim(_ sent: HAREntry.Request) throws -> HAREntry {
        try state.withLock { state in
            let fitting = state.entries.indices.filter { differences(state.entries[$0].entry.request, sent).isEmpty }
            if let index = fitting.first(where: { !state.entries[$0].isUsed }) {
                state.entries[index].isUsed = true
                return state.entries[index].entry
            }
            let error = miss(sent, fitting.count, state.entries.filter { !$0.isUsed }.map(\.entry.request))
            state.misses.append("\(error)")
            throw error
        }
    }

    private func differences(_ recorded: HAREntry.Request, _ sent: HAREntry.Request) -> [String] {
        rules.compactMap { $0.difference(recorded, sent) }
    }

    /// The error for a request without a response.
    private func miss(_ sent: HAREntry.Request, _ usedCount: Int, _ unused: [HAREntry.Request]) -> HTTPError {
        let path = file.path(percentEncoded: false)
        if usedCount > 0 {
            return HTTPError(
                .noStub(sent.name),
                reason: "the cassette has \(usedCount == 1 ? "one response" : "\(usedCount) responses") to it, "
                    + "and \(usedCount == 1 ? "it was" : "all were") used",
                suggestion: "Send it less often, or record \(path) again")
        }
        let nearest = unused.min { differences($0, sent).count < differences($1, sent).count }
        guard let nearest else {
            return HTTPError(
                .noStub(sent.name), reason: "the cassette has no other responses",
                suggestion: "Record \(path) again")
        }
        return HTTPError(
            .noStub(sent.name),
            reason: "the most similar recorded request is \(nearest.name), and "
                + differences(nearest, sent).joined(separator: ", and "),
            suggestion: "Record \(path) again, or change what is compared (matching:)")
    }

    /// The requests without a response.
    var verification: StubVerification {
        state.withLock { StubVerification(problems: $0.misses, order: []) }
    }

    /// The recorded responses that no request has used.
    var unused: [String] {
        state.withLock { state in
            state.entries.filter { !$0.isUsed }.map { "The recorded response to \($0.entry.request.name) was not used" }
        }
    }
}

extension HAREntry.Request {
    /// Method and URL, without the secrets, which are not recorded.
    var name: String { "\(method) \(url)" }
}

extension HAREntry.Response {
    /// The header fields for the recorded body. Masked secrets may have changed its length.
    fileprivate func replayHeaders(_ body: Data, to method: HTTPMethod) -> HTTPHeaders {
        var all = HTTPHeaders(headers)
        if method != .head, all[.contentLength] != nil, all["Content-Encoding"] == nil {
            all[.contentLength] = String(body.count)
        }
        return all
    }
}
