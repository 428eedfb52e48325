import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport

/// A server for resumable uploads, of tus 1.0 and of the IETF's draft, which can lose connections and uploads.
final class UploadServer: Sendable {
    struct Upload {
        var bytes = Data()
        let length: Int
        let isDraft: Bool
        var isComplete = false
        var headers: HTTPHeaders
    }

    struct State {
        var uploads: [String: Upload] = [:]
        var created = 0
        /// For each PATCH to come: how many of its bytes the server stores before the connection is reset. `nil` for all
        /// of them, without a reset.
        var cuts: [Int?] = []
        /// For each PATCH to come: whether the answer is lost, although all bytes are stored.
        var lostAnswers = 0
        /// The answers to the next PATCHes, of which nothing is stored.
        var refusals: [StubResponse] = []
        /// The headers of the response that creates an upload.
        var limits: HTTPHeaders = [:]
        var received = 0
    }

    let state = Lock(State())
    let loopback: LoopbackServer
    let api: TestAPI

    init() throws {
        let state = state
        loopback = try LoopbackServer()
            .on(.post, "/videos", times: .any) { request in Self.create(request, state) }
            .on(.head, "/uploads/{id}", times: .any) { request in Self.ask(request, state) }
            .on(.patch, "/uploads/{id}", times: .any) { request in Self.append(request, state) }
            .on(.delete, "/uploads/{id}", times: .any) { request in
                .status(
                    state.withLock { $0.uploads.removeValue(forKey: request.pathParameters["id"] ?? "") } == nil
                        ? 404 : 204)
            }
        api = TestAPI(baseURL: loopback.baseURL)
    }

    /// The only upload that there is.
    var upload: Upload? { state.withLock { $0.uploads.count == 1 ? $0.uploads.values.first : nil } }
    var methods: [String] { loopback.requests.map(\.method.rawValue) }

    private static func isDraft(_ request: RecordedRequest) -> Bool? {
        if request.headers["Tus-Resumable"] == "1.0.0" { return false }
        return request.headers["Upload-Draft-Interop-Version"] == "8" ? true : nil
    }

    private static func create(_ request: RecordedRequest, _ state: Lock<State>) -> StubResponse {
        guard let isDraft = isDraft(request), let length = request.headers["Upload-Length"].flatMap(Int.init),
            request.body.isEmpty, !isDraft || request.headers["Upload-Complete"] == "?0"
        else { return .status(400) }
        return state.withLock { state in
            state.created += 1
            state.uploads["\(state.created)"] = Upload(length: length, isDraft: isDraft, headers: request.headers)
            var headers = state.limits
            headers["Location"] = "uploads/\(state.created)"
            return .status(201, headers: headers)
        }
    }

    private static func head(_ upload: Upload, _ status: Int) -> StubResponse {
        var headers: HTTPHeaders = ["Upload-Offset": "\(upload.bytes.count)"]
        if upload.isDraft { headers["Upload-Complete"] = upload.isComplete ? "?1" : "?0" }
        return .status(status, headers: headers)
    }

    private static func ask(_ request: RecordedRequest, _ state: Lock<State>) -> StubResponse {
        guard let upload = state.withLock({ $0.uploads[request.pathParameters["id"] ?? ""] }),
            isDraft(request) == upload.isDraft
        else { return .status(isDraft(request) == true ? 404 : 410) }
        return head(upload, upload.isDraft ? 204 : 200)
    }

    private static func append(_ request: RecordedRequest, _ state: Lock<State>) -> StubResponse {
        state.withLock { state in
            let id = request.pathParameters["id"] ?? ""
            guard var upload = state.uploads[id] else { return .status(410) }
            let type = upload.isDraft ? "application/partial-upload" : "application/offset+octet-stream"
            guard request.headers["Content-Type"] == type, isDraft(request) == upload.isDraft else {
                return .status(415)
            }
            if !state.refusals.isEmpty { return state.refusals.removeFirst() }
            state.received += request.body.count
            guard request.headers["Upload-Offset"] == "\(upload.bytes.count)", !upload.isComplete else {
                return head(upload, 409)
            }
            let cut = state.cuts.isEmpty ? nil : state.cuts.removeFirst()
            upload.bytes += request.body.prefix(cut ?? .max)
            let isLast = request.headers["Upload-Complete"] == "?1" && cut == nil
            upload.isComplete = upload.isDraft ? isLast : upload.bytes.count == upload.length
            state.uploads[id] = upload
            if cut != nil { return .status(204).resetting() }
            if state.lostAnswers > 0 {
                state.lostAnswers -= 1
                return .status(204).resetting()
            }
            return upload.isDraft && upload.isComplete
                ? .text("stored", headers: ["Upload-Complete": "?1"]) : head(upload, 204)
        }
    }
}
