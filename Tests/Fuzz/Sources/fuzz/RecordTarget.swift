import Foundation
import HalyardAsync
import HalyardTesting

extension Chance {
    /// Returns bytes of which some are changed, often to others of the kind, or the last are missing.
    mutating func damaged(_ bytes: Data) -> Data {
        var bytes = [UInt8](bytes)
        guard !bytes.isEmpty else { return Data() }
        let common = Array("0123456789abcdef\"-:,{}".utf8)
        for _ in 0..<number(1..<4) {
            bytes[number(0..<bytes.count)] =
                oneIn(4) ? UInt8(truncatingIfNeeded: next()) : common[number(0..<common.count)]
        }
        return Data(oneIn(4) ? bytes.prefix(number(0..<bytes.count)) : bytes[...])
    }

    /// Damages the files of a folder whose names end with `suffix`.
    mutating func damage(_ suffix: String, in folder: URL) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(suffix) {
            let file = folder.appending(path: name)
            try damaged(Data(contentsOf: file)).write(to: file)
        }
    }
}

/// Records on the disk that anything has changed: a download that is continued is whole or fails, and a store of hosts is
/// read or refused.
@Sendable func fuzzRecords(_ chance: inout Chance, _ checker: Checker) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "records-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    if chance.oneIn(2) { return try await fuzzStore(&chance, checker, in: folder) }

    let isSegmented = chance.oneIn(8)
    let content = Data(chance.bytes(isSegmented ? 1_100_000 + chance.number(0..<500_000) : chance.number(1..<3000)))
    let body = RangedBody(content: content)
    let server = try LoopbackServer().on(.get, "/a", times: .any) { body.answer($0) }
    let file = folder.appending(path: "a")
    func download() async throws -> Bool {
        let api = DefaultProvider(client: checker.client)
        let route = Route(url: server.baseURL.appending(path: "a"))
        do {
            if isSegmented {
                _ = try await api.download(route, to: file, connections: 2)
            } else {
                _ = try await api.request(route).download(to: file, resuming: true)
            }
            return true
        } catch is HTTPError { return false }
    }
    body.cut(after: chance.number(0..<content.count))
    var isDone = try await download()
    try chance.damage(".halyard-part.json", in: folder)
    if !isSegmented, chance.oneIn(4), let part = try? Data(contentsOf: folder.appending(path: ".a.halyard-part")) {
        try part.prefix(chance.number(0..<part.count + 1)).write(to: folder.appending(path: ".a.halyard-part"))
    }
    if !isDone { isDone = try await download() }
    let arrived = try? Data(contentsOf: file)
    try await checker.report([
        "kind": "record", "isDone": .bool(isDone), "isEqual": .bool(arrived == (isDone ? content : nil)),
    ])
}

/// A file of hosts that want https: it is read, or refused and left as it is.
private func fuzzStore(_ chance: inout Chance, _ checker: Checker, in folder: URL) async throws {
    let file = folder.appending(path: "hosts.json")
    guard let url = URL(string: "https://a.example/") else { fatalError() }
    func send(with store: HSTSStore) async throws {
        let script = Script([try response(200, [("Strict-Transport-Security", "max-age=60; includeSubDomains")])])
        let client = HTTPClient(transport: script, configuration: .init(policies: [.hsts(store)]))
        _ = try await client.send(HTTPRequest(.get, url))
    }
    try await send(with: HSTSStore(file: file))
    try chance.damage(".json", in: folder)
    let damaged = try Data(contentsOf: file)
    var isRead = true
    do { try await send(with: HSTSStore(file: file)) } catch let error as HTTPError {
        guard error == HTTPError(.unreadableFile(file.path)) else { throw error }
        isRead = false
    }
    let isKept = try Data(contentsOf: file) == damaged
    try await checker.report(["kind": "record", "isDone": .bool(isRead), "isEqual": .bool(isRead || isKept)])
}

/// A body that a server sends in ranges, and whose next response can be cut off.
private final class RangedBody: Sendable {
    private let content: Data
    private let lock = NSLock()
    /// Only used while the lock is held.
    nonisolated(unsafe) private var limit: Int?

    init(content: Data) { self.content = content }

    func cut(after count: Int) { lock.withLock { limit = count } }

    func answer(_ request: RecordedRequest) -> StubResponse {
        var (range, status, head) = (0..<content.count, "200 OK", "ETag: \"1\"\r\n")
        if let text = request.headers["Range"], request.headers["If-Range"] ?? "\"1\"" == "\"1\"",
            let ends = text.wholeMatch(of: /bytes=(\d+)-(\d*)/), let first = Int(ends.1)
        {
            guard first < content.count else {
                return .status(416, headers: ["Content-Range": "bytes */\(content.count)"])
            }
            range = first..<min(content.count, (Int(ends.2) ?? .max - 1) + 1)
            status = "206 Partial Content"
            head += "Content-Range: bytes \(first)-\(range.upperBound - 1)/\(content.count)\r\n"
        }
        let cut = lock.withLock { limit.take() } ?? .max
        let bytes = content[range]
        return .raw(
            Data("HTTP/1.1 \(status)\r\n\(head)Content-Length: \(bytes.count)\r\n\r\n".utf8) + bytes.prefix(cut))
    }
}
