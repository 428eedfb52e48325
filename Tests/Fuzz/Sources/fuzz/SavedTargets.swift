import Foundation
import HalyardAsync
import HalyardCache
import HalyardTesting

// What a program has saved, and may read after anything has changed it: page cursors, cassettes, cache files.

extension Chance {
    /// Returns a whole number that is often at an end of a range.
    fileprivate mutating func integer() -> Int {
        switch number(0..<4) {
        case 0: [Int.max, .min, 0, 1, -1][number(0..<5)] &+ number(-2..<3)
        case 1: 1 << number(0..<63)
        case 2: number(-10..<1000)
        default: Int(truncatingIfNeeded: next())
        }
    }

    /// Returns a number in the grammar of JSON.
    fileprivate mutating func json() -> JSON {
        let texts = ["1e300", "-1e308", "1e18", "9.3e18", "-0", "0.5", "1e-300", "18446744073709551616"]
        let text = oneIn(2) ? texts[number(0..<texts.count)] : "\(integer())"
        return JSON.Number(text: text).map { .number($0) } ?? 0
    }
}

/// Page cursors: the checker says which number the first request has, and which the second one.
@Sendable func fuzzCursors(_ chance: inout Chance, _ checker: Checker) async throws {
    let start = chance.integer()
    let words = ["number:", "url:", "cursor:", "+", "-", "0", " ", "\(start)", "e9", ".5", "/items?page=2", ":"]
    var text = "number:\(start)"
    if chance.oneIn(2) { text = (0..<chance.number(0..<4)).map { _ in words[chance.number(0..<words.count)] }.joined() }
    let count = chance.number(1..<4)
    let script = Script(
        (1...3).map { first in
            let items = JSON.array(([first] + Array(1..<count)).map { JSON($0) })
            return HTTPResponse(status: 200, data: items.encoded(), url: checker.api.baseURL)
        })
    let api = DefaultProvider(client: HTTPClient(transport: script))
    let cursor = PageCursor(rawValue: text)
    let isOffset = chance.oneIn(2)
    guard let url = URL(string: "http://a.example/items") else { fatalError() }
    do {
        let list = api.pages(Route(url: url), by: isOffset ? .offset() : .number(), from: cursor).limited(to: 2)
        for try await page in list where page.next.map({ PageCursor(rawValue: $0.rawValue) != $0 }) ?? false {
            fatalError(text)
        }
    } catch let error as HTTPError where [.configuration("pages"), .invalidURL("")].contains(error.kind) {}
    let sent = await script.requests.map { request in
        let query = request.url.query() ?? ""
        return JSON.string(String(query.drop { $0 != "=" }.dropFirst()))
    }
    try await checker.report([
        "kind": "cursor", "text": .string(text), "isCursor": .bool(cursor != nil), "step": JSON(isOffset ? count : 1),
        "sent": .array(sent),
    ])
}

/// Cassettes: a recorded response with any numbers must be replayed whole, and damaged bytes must be an error.
@Sendable func fuzzCassettes(_ chance: inout Chance, _ checker: Checker) async throws {
    let text = "data: \(chance.number(0..<100_000))\n\ndata: 2\n\n"
    let chunks = (0..<chance.number(0..<4)).map { _ -> JSON in ["time": chance.json(), "size": JSON(chance.integer())] }
    let content: JSON = [
        "size": JSON(chance.integer()), "mimeType": "text/event-stream", "text": .string(text),
        "_chunks": chance.oneIn(4) ? nil : .array(chunks),
    ]
    let status = chance.oneIn(2) ? 200 : chance.integer()
    let log: JSON = [
        "log": [
            "entries": [
                [
                    "startedDateTime": .string("2030-01-31T14:02:03.\(chance.integer())Z"), "time": chance.json(),
                    "request": [
                        "method": "GET", "url": "http://a.example/x", "httpVersion": "", "cookies": [], "headers": [],
                        "queryString": [], "headersSize": JSON(chance.integer()), "bodySize": JSON(chance.integer()),
                    ],
                    "response": [
                        "status": JSON(status), "statusText": "", "httpVersion": "", "cookies": [],
                        "headers": [["name": "content-type", "value": "text/event-stream"]], "redirectURL": "",
                        "content": content, "headersSize": -1, "bodySize": -1,
                    ],
                ]
            ]
        ]
    ]
    let file = FileManager.default.temporaryDirectory.appending(path: "halyard-fuzz-\(UUID().uuidString).har")
    defer { try? FileManager.default.removeItem(at: file) }
    var bytes = log.encoded()
    let isDamaged = chance.oneIn(4)
    if isDamaged {
        bytes[chance.number(0..<bytes.count)] = UInt8(truncatingIfNeeded: chance.next())
        if chance.oneIn(2) { bytes = bytes.prefix(chance.number(0..<bytes.count)) }
    }
    try bytes.write(to: file)
    var events: [JSON] = []
    var failure = JSON.null
    do {
        let cassette = try Cassette(
            file.deletingPathExtension().lastPathComponent, in: file.deletingLastPathComponent(), mode: .replay,
            recordingAgainAfter: .seconds(1), timedBy: Impatient())
        let api = DefaultProvider(client: HTTPClient(transport: cassette))
        guard let url = URL(string: "http://a.example/x") else { fatalError() }
        for try await event in api.request(Route(url: url)).events { events.append(.string(event.data)) }
    } catch { failure = .string("\(type(of: error))") }
    try await checker.report([
        "kind": "cassette", "text": .string(text), "status": JSON(status), "isDamaged": .bool(isDamaged),
        "events": .array(events), "failure": failure,
    ])
}

/// Files of a cache: any words in the head, with a checksum that fits, or damaged bytes. The response is the stored one
/// or the server's.
@Sendable func fuzzCacheFiles(_ chance: inout Chance, _ checker: Checker) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "halyard-fuzz-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    guard let url = URL(string: "http://a.example/x") else { fatalError() }
    /// Sends a request with a cache of its own. The server would answer with the text.
    func request(_ text: String) async throws -> HTTPResponse {
        let stub = StubTransport().on(.get, "/x", .text(text, headers: ["Cache-Control": "max-age=60", "Vary": "X"]))
        let cache = try HTTPCache.disk(at: folder)
        let api = DefaultProvider(client: HTTPClient(transport: stub, configuration: .init(policies: [.cache(cache)])))
        let range = chance.oneIn(3) ? "bytes=\(max(0, chance.integer()))-" : nil
        let headers: HTTPHeaders = range.map { ["Range": $0] } ?? [:]
        let route = Route(url: url, headers: text == "old" ? [:] : headers)
        let response: HTTPResponse
        do { response = try await api.request(route).response() } catch let error as HTTPError {
            // A stored response may have any status.
            guard let stored = error.response else { throw error }
            response = stored
        }
        await cache.flush()
        return response
    }
    _ = try await request("old")
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    guard let name = names.first(where: { $0.hasSuffix(".response") }) else { fatalError("nothing was stored") }
    let file = folder.appending(path: name)
    var bytes = [UInt8](try Data(contentsOf: file))
    // After the magic, the checksum and the length of the head. The body has three bytes.
    let head = 32..<(bytes.count - 3)
    for _ in 0..<chance.number(1..<4) {
        let word = UInt64(bitPattern: Int64(chance.integer())).littleEndian
        let double = [Double.nan, .infinity, -.infinity, 1e300, -1e18, 1e19][chance.number(0..<6)].bitPattern
            .littleEndian
        let place = chance.number(head.lowerBound..<head.upperBound - 8)
        withUnsafeBytes(of: chance.oneIn(2) ? word : double) { bytes.replaceSubrange(place..<place + 8, with: $0) }
    }
    if chance.oneIn(8) {
        bytes = Array(bytes.prefix(chance.number(0..<bytes.count)))
    } else {
        var sum = FileChecksum()
        sum.add(Array(bytes[head]))
        sum.add(Array(bytes.suffix(3)))
        withUnsafeBytes(of: sum.value.littleEndian) { bytes.replaceSubrange(16..<24, with: $0) }
    }
    try Data(bytes).write(to: file)
    let response = try await request("new")
    try await checker.report([
        "kind": "cacheFile", "text": .string(response.text), "status": JSON(response.status),
        "age": response.headers["Age"].map { .string($0) } ?? .null,
        "isHit": .bool(response.cacheStatus?.isHit == true),
    ])
}

/// The checksum of a file of a cache.
private struct FileChecksum {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: [UInt8]) {
        var sums: [UInt64] = [1, 2, 3, 4, 5, 6, 7, 8]
        Self.add(UInt64(bytes.count), to: &value)
        let end = bytes.count & ~63
        for place in stride(from: 0, to: end, by: 8) {
            let word = bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            Self.add(word, to: &sums[place / 8 % 8])
        }
        for byte in bytes[end...] { Self.add(UInt64(byte), to: &value) }
        for sum in sums { Self.add(sum, to: &value) }
    }

    private static func add(_ word: UInt64, to sum: inout UInt64) {
        sum ^= word
        sum = (sum << 29 | sum >> 35) &* 0x9e37_79b9_7f4a_7c15
    }
}
