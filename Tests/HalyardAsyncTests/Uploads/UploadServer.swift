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

        var isFull: Bool { bytes.count == length }
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
        /// The answer to DELETE. `nil` to remove the upload.
        var removal: StubResponse?
        /// The headers of the response that creates an upload.
        var limits: HTTPHeaders = [:]
        var received = 0
        /// Whether a server of tus has no extension Creation With Upload.
        var ignoresBytes = false
        /// Whether the answer to HEAD does not say if an upload is complete, which the draft allows. The final response
        /// is then sent again for a PATCH without bytes.
        var hidesCompletion = false
        /// The answer to a PATCH without bytes, if the upload is complete.
        var end: StubResponse?
        /// The version of the draft in a 104 that precedes a lost connection. `nil` for no 104.
        var announcedVersion: Int?
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
                state.withLock { state in
                    if let removal = state.removal { return removal }
                    let removed = state.uploads.removeValue(forKey: request.pathParameters["id"] ?? "")
                    return .status(removed == nil ? 404 : 204)
                }
            }
        api = TestAPI(baseURL: loopback.baseURL)
    }

    /// Returns a server, and a file to upload in a folder of its own.
    static func withFile(named name: String = "clip.mp4") throws -> (UploadServer, TemporaryFolder, file: URL) {
        let folder = try TemporaryFolder()
        return (try UploadServer(), folder, try folder.write(content, to: name))
    }

    static let content = Data.pattern(300_000)

    /// The protocols, with short delays.
    static let protocols = [ResumableUpload.tus, .draft].map { upload in
        var upload = upload
        upload.reconnecting.delay = .milliseconds(1)
        upload.reconnecting.maximumDelay = .milliseconds(2)
        return upload
    }

    /// The only upload that there is.
    var upload: Upload? { state.withLock { $0.uploads.count == 1 ? $0.uploads.values.first : nil } }
    var methods: [String] { loopback.requests.map(\.method.rawValue) }

    private static func isDraft(_ request: RecordedRequest) -> Bool? {
        if request.headers["Tus-Resumable"] == "1.0.0" { return false }
        return request.headers["Upload-Draft-Interop-Version"] == "10" ? true : nil
    }

    private static func create(_ request: RecordedRequest, _ state: Lock<State>) -> StubResponse {
        guard let isDraft = isDraft(request), let length = request.headers["Upload-Length"].flatMap(Int.init),
            isDraft || request.body.isEmpty || request.headers["Content-Type"] == "application/offset+octet-stream"
        else { return .status(400) }
        return state.withLock { state in
            state.created += 1
            let location = "uploads/\(state.created)"
            var upload = Upload(length: length, isDraft: isDraft, headers: request.headers)
            defer { state.uploads["\(state.created)"] = upload }
            var headers = state.limits
            headers["Location"] = location
            let hasBytes = !request.body.isEmpty || request.headers["Upload-Complete"] == "?1"
            guard hasBytes else { return .status(201, headers: headers) }
            guard isIntact(request, isDraft) else { return .status(isDraft ? 400 : 460) }
            if !isDraft && state.ignoresBytes { return .status(201, headers: headers) }
            let cut = state.cuts.isEmpty ? nil : state.cuts.removeFirst()
            upload.bytes = request.body.prefix(cut ?? .max)
            upload.isComplete = cut == nil && (isDraft ? request.headers["Upload-Complete"] == "?1" : upload.isFull)
            if cut != nil, let version = state.announcedVersion {
                return .raw(
                    "HTTP/1.1 104 Go on\r\nLocation: \(location)\r\nUpload-Draft-Interop-Version: \(version)\r\n\r\n")
            }
            if cut != nil { return .status(201).resetting() }
            if isDraft && upload.isComplete { return stored }
            headers["Upload-Offset"] = "\(upload.bytes.count)"
            if isDraft { headers["Upload-Complete"] = "?0" }
            return .status(201, headers: headers)
        }
    }

    /// Whether the bytes have the checksum that the request states, if it does.
    private static func isIntact(_ request: RecordedRequest, _ isDraft: Bool) -> Bool {
        let digest = SHA256Digest.hash(request.body).base64EncodedString()
        let stated = request.headers[isDraft ? "Content-Digest" : "Upload-Checksum"]
        return stated == nil || stated == (isDraft ? "sha-256=:\(digest):" : "sha256 \(digest)")
    }

    private static let stored = StubResponse.text("stored", headers: ["Upload-Complete": "?1"])

    private static func head(_ upload: Upload, _ status: Int) -> StubResponse {
        var headers: HTTPHeaders = ["Upload-Offset": "\(upload.bytes.count)"]
        // A 409 is an answer of the protocol, also about a complete upload.
        if upload.isDraft { headers["Upload-Complete"] = upload.isComplete && status != 409 ? "?1" : "?0" }
        return .status(status, headers: headers)
    }

    private static func ask(_ request: RecordedRequest, _ state: Lock<State>) -> StubResponse {
        guard let upload = state.withLock({ $0.uploads[request.pathParameters["id"] ?? ""] }),
            isDraft(request) == upload.isDraft
        else { return .status(isDraft(request) == true ? 404 : 410) }
        var response = head(upload, upload.isDraft ? 204 : 200)
        if state.withLock(\.hidesCompletion) { response.headers["Upload-Complete"] = nil }
        return response
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
            if upload.isComplete, request.body.isEmpty, let end = state.end ?? (state.hidesCompletion ? stored : nil) {
                return end
            }
            guard request.headers["Upload-Offset"] == "\(upload.bytes.count)", !upload.isComplete else {
                return head(upload, 409)
            }
            guard isIntact(request, upload.isDraft) else { return .status(460) }
            let cut = state.cuts.isEmpty ? nil : state.cuts.removeFirst()
            upload.bytes += request.body.prefix(cut ?? .max)
            let isLast = request.headers["Upload-Complete"] == "?1" && cut == nil
            upload.isComplete = upload.isDraft ? isLast : upload.isFull
            state.uploads[id] = upload
            if cut != nil { return .status(204).resetting() }
            if state.lostAnswers > 0 {
                state.lostAnswers -= 1
                return .status(204).resetting()
            }
            return upload.isDraft && upload.isComplete ? stored : head(upload, 204)
        }
    }
}
