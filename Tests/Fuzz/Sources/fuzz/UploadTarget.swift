import Foundation
import HalyardAsync
import HalyardTesting

/// Resumable uploads to a server with any answers: the call ends, and says that the file has arrived only if it has.
@Sendable func fuzzUploads(_ chance: inout Chance, _ checker: Checker) async throws {
    let isDraft = chance.oneIn(2)
    let folder = FileManager.default.temporaryDirectory.appending(path: "uploads-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, content) = (folder.appending(path: "a.bin"), Data(chance.bytes(chance.number(0..<300))))
    try content.write(to: file)
    let model = UploadModel(chance: Chance(seed: chance.next()), isDraft: isDraft, length: content.count)
    let stub = StubTransport()
    for method in [HTTPMethod.post, .head, .patch, .delete] {
        for path in ["/u", "/u/{id}"] { stub.on(method, path, times: .any) { model.answer($0) } }
    }
    let client = HTTPClient(transport: stub, configuration: .init(), clock: Impatient())
    guard let url = URL(string: "http://a.example/u") else { fatalError() }
    var upload = isDraft ? ResumableUpload.draft : .tus
    upload.reconnecting.attempts = chance.number(0..<5)
    if chance.oneIn(2) { upload.partSize = Int64(chance.number(1..<200)) }
    var isDone = false
    for _ in 0..<3 where !isDone {
        if chance.oneIn(4) { try chance.damage(".upload", in: folder) }
        let route = Route(url: url, method: .post)
        do {
            try await DefaultProvider(client: client).upload(file, to: route, resuming: upload)
            isDone = true
        } catch is HTTPError {}
    }
    let (stored, isHonest) = model.end
    try await checker.report([
        "kind": "upload", "isDone": .bool(isDone), "isHonest": .bool(isHonest), "isEqual": .bool(stored == content),
    ])
}

/// A server of one upload at a time, with faults.
private final class UploadModel: Sendable {
    private let lock = NSLock()
    /// Only used while the lock is held.
    nonisolated(unsafe) private var model: UploadServer

    init(chance: Chance, isDraft: Bool, length: Int) {
        model = UploadServer(chance: chance, isDraft: isDraft, length: length)
    }

    func answer(_ request: RecordedRequest) -> StubResponse { lock.withLock { model.answer(request) } }

    /// What is stored, and whether the server was honest.
    var end: (Data, Bool) { lock.withLock { (model.stored, model.isHonest) } }
}

private struct UploadServer {
    private var chance: Chance
    private let isDraft: Bool
    private let length: Int
    private(set) var stored = Data()
    /// Whether the server has never said that an upload is complete that is not.
    private(set) var isHonest = true
    private var id = 0

    init(chance: Chance, isDraft: Bool, length: Int) {
        (self.chance, self.isDraft, self.length) = (chance, isDraft, length)
    }

    mutating func answer(_ request: RecordedRequest) -> StubResponse {
        if chance.oneIn(4) { return fault() }
        guard request.method != .post else {
            (id, stored) = (id + 1, Data())
            return .status(
                201, headers: ["Location": ["/u/\(id)", "u/\(id)", "http://a.example/u/\(id)"][chance.number(0..<3)]])
        }
        guard request.path == "/u/\(id)" else { return .status(404) }
        if request.method == .delete { return .status(204) }
        let isAppending = request.method == .patch
        if isAppending {
            guard request.headers["Upload-Offset"] == "\(stored.count)" else { return state(409) }
            stored += request.body.prefix(chance.oneIn(3) ? chance.number(0..<request.body.count + 1) : .max)
            if chance.oneIn(4) { return .fail(.connectionLost) }
        }
        return state(isAppending || isDraft ? 204 : 200)
    }

    private func state(_ status: Int) -> StubResponse {
        var headers: HTTPHeaders = ["Upload-Offset": "\(stored.count)"]
        if isDraft { headers["Upload-Complete"] = stored.count == length && status < 300 ? "?1" : "?0" }
        return .status(status, headers: headers)
    }

    /// An answer that need not make sense.
    private mutating func fault() -> StubResponse {
        let statuses = [200, 201, 204, 400, 403, 404, 409, 410, 413, 423, 460, 500, 503]
        let numbers = ["0", "-1", "1", "\(length)", "\(length + 1)", "99999999999999999999", "x", "\"1\""]
        var headers: HTTPHeaders = [:]
        if chance.oneIn(2) { headers["Upload-Offset"] = numbers[chance.number(0..<numbers.count)] }
        if chance.oneIn(3) { headers["Upload-Complete"] = ["?0", "?1", "1", "?1, ?1"][chance.number(0..<4)] }
        if chance.oneIn(4) { headers["Location"] = ["/u/\(id)", "//", "http://[", "ftp://a/"][chance.number(0..<4)] }
        if chance.oneIn(4) {
            headers["Upload-Limit"] =
                [
                    "max-append-size=7", "min-append-size=50", "max-size=1", "max-append-size=?1", "max-append-size=0",
                ][chance.number(0..<5)]
        }
        if chance.oneIn(8) { headers["Retry-After"] = "100000000" }
        isHonest =
            isHonest && headers["Upload-Complete"] != "?1" && headers["Upload-Offset"] != "\(length)"
        return chance.oneIn(5)
            ? .fail(.timedOut) : .status(statuses[chance.number(0..<statuses.count)], headers: headers)
    }
}
