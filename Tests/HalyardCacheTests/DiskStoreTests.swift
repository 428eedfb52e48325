@testable import HalyardCache
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// The cache in a folder.
@Suite(.timeLimit(.minutes(3)))
struct DiskStoreTests {
    private struct API: HTTPProvider {
        var baseURL = URL(string: "https://api.example.com") ?? URL(filePath: "/")
        var client: HTTPClient
        var authentication = Authentication.none
    }

    private let folder: TemporaryFolder
    private let stub = StubTransport()
    private let clock = ManualClock()
    private let route = Route(path: "/a")

    init() throws { folder = try TemporaryFolder() }

    private var url: URL { folder.url.appending(path: "cache") }

    private func api(_ cache: HTTPCache) -> API {
        API(client: HTTPClient(transport: stub, configuration: .init(policies: [.cache(cache)]), clock: clock))
    }

    private func files() throws -> [String] {
        let all = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(".response") }.map { url.path + "/" + $0 }
    }

    @Test func `the next cache of the folder reads a complete response`() async throws {
        let headers: HTTPHeaders = [
            "Cache-Control": "max-age=60", "Vary": "Accept-Language, X", "ETag": "\"x\"", "Set-Cookie": "a=1; b",
        ]
        stub.on(.get, "/a") { .text($0.headers["Accept-Language"] ?? "", headers: headers) }
        let first = try HTTPCache.disk(at: url)
        for language in ["de", "fr"] {
            _ = try await api(first).request(Route(path: "/a", headers: ["Accept-Language": language])).response()
        }
        await first.flush()
        #expect(first.writeError == nil && first.byteCount > 0)
        let second = try HTTPCache.disk(at: url)
        clock.advance(by: .seconds(30))
        for language in ["fr", "de"] {
            let route = Route(path: "/a", headers: ["Accept-Language": language])
            let response = try await api(second).request(route).response()
            #expect(response.text == language && response.cacheStatus?.isHit == true)
            #expect(response.headers["Set-Cookie"] == "a=1; b" && response.headers["ETag"] == "\"x\"")
        }
        #expect(try files().count == 1 && stub.requests.count == 2)
    }

    @Test func `a response that varies by an invalid header name is not stored`() async throws {
        stub.on(.get, "/a", .text("", headers: ["Cache-Control": "max-age=60", "Vary": "Accept, a:b"]))
        let cache = try HTTPCache.disk(at: url)
        for _ in 1...2 {
            let response = try await api(cache).request(Route(path: "/a")).response()
            #expect(response.cacheStatus?.isHit == false)
        }
        await cache.flush()
        #expect(try files().isEmpty && stub.requests.count == 2)
    }

    @Test func `the next cache of the folder keeps a response's rules and applies its own heuristic`() async throws {
        let date = "Thu, 01 Jan 1970 00:00:00 GMT"
        stub.on(.get, "/a", .text("1", headers: ["Cache-Control": "max-age=60, no-cache", "ETag": "\"1\""]))
            .on(
                .get, "/b",
                .text("2", headers: ["Cache-Control": "max-age=90, stale-while-revalidate=60", "Age": "50"])
            )
            .on(.get, "/c", .text("3", headers: ["Last-Modified": date, "ETag": "\"3\""]))
        let first = try HTTPCache.disk(at: url)
        for path in ["/a", "/b", "/c"] {
            _ = try await api(first).request(Route(path: RoutePath(verbatim: path))).response()
        }
        await first.flush()
        // A client's time begins with the client.
        let second = api(try HTTPCache.disk(at: url, estimatingLifetimes: true))
        clock.advance(by: .seconds(3))
        let a = try await second.request(Route(path: "/a")).response()
        #expect(a.cacheStatus?.forwarded == .stale)
        let b = try await second.request(Route(path: "/b")).response()
        // A client's clock begins with the time of day, which passes between the two clients.
        let (age, left) = (try #require(b.headers["Age"].flatMap(Int.init)), try #require(b.cacheStatus?.timeToLive))
        #expect(b.cacheStatus?.isHit == true && age >= 53 && age + left == 89)
        clock.advance(by: .seconds(40))
        #expect(
            try await second.request(Route(path: "/b")).response().cacheStatus?.detail == "stale-while-revalidate")
        #expect(try await second.request(Route(path: "/c")).response().cacheStatus?.isHit == true)
    }

    @Test func `only the user can read the files, and they contain no credentials`() async throws {
        stub.on(.get, "/a", .text("1", headers: ["Cache-Control": "max-age=60"]))
        let cache = try HTTPCache.disk(at: url)
        for token in ["secret-of-ann", "secret-of-bob"] {
            var api = api(cache)
            api.authentication = .bearer(token)
            #expect(try await api.request(route).response().cacheStatus?.isHit == false)
        }
        await cache.flush()
        #expect(try files().count == 2)
        for path in try files() {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
            #expect(text.contains("https://api.example.com/a") && !text.contains("secret"))
        }
        #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o700)
    }

    @Test func `a damaged file counts as missing, wherever it is truncated or changed`() async throws {
        stub.on(.get, "/a", .text("the body", headers: ["Cache-Control": "max-age=60"]))
        let cache = try HTTPCache.disk(at: url)
        _ = try await api(cache).request(route).response()
        await cache.flush()
        let path = try #require(try files().first)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        #expect(CacheFile(bytes)?.responses.first?.body == Data("the body".utf8))
        for count in 0..<bytes.count { #expect(CacheFile(Array(bytes.prefix(count))) == nil) }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1 << (index % 8)
            #expect(CacheFile(changed) == nil)
        }
        try Data(bytes.prefix(bytes.count / 2)).write(to: URL(filePath: path))
        #expect(try await api(cache).request(route).response().cacheStatus?.forwarded == .uriMiss)
        await cache.flush()
        #expect(try await api(cache).request(route).response().cacheStatus?.isHit == true)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e19])
    func `a file with an invalid date or time counts as missing`(_ value: Double) async throws {
        let now = Date().timeIntervalSince1970
        for (requested, received) in [(value, now), (now, value)] {
            let stored = try Self.stored(requested: requested, received: received)
            let file = CacheFile(url: "https://api.example.com/a", responses: [stored]).encoded
            #expect(CacheFile([UInt8](file)) == nil)
            stub.on(.get, "/a", .text("new"))
            let cache = try HTTPCache.disk(at: url)
            let key = CacheKey(try api(cache).prepare(route))
            _ = try CacheFolder(url).write(file, for: key)
            #expect(try await api(cache).request(route).response().text == "new")
        }
    }

    private static func stored(status: Int = 200, requested: Double = 0, received: Double = 0) throws -> StoredResponse
    {
        StoredResponse(
            status: status, headers: ["ETag": "\"1\""], body: Data("old".utf8),
            varying: try #require(VaryingFields([:], [:])), requested: requested, received: received, false)
    }

    @Test(arguments: [0, 199, 1000, -1, Int.max, Int.min])
    func `a file with an invalid status counts as missing`(_ status: Int) throws {
        let file = CacheFile(url: "https://h/", responses: [try Self.stored(status: status)]).encoded
        #expect(CacheFile([UInt8](file)) == nil)
    }

    @Test func `a file larger than the limit is not read`() async throws {
        stub.on(.get, "/a", .text("the body", headers: ["Cache-Control": "max-age=60"]))
        let cache = try HTTPCache.disk(at: url, limit: 10_000)
        _ = try await api(cache).request(route).response()
        await cache.flush()
        let path = try #require(try files().first)
        // A file with holes, whose head is longer than any memory. The sum of two such lengths is no Int64.
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.seek(toOffset: 24)
        try handle.write(contentsOf: [0, 0, 0, 0, 0, 0, 0, 0x40])
        try handle.close()
        let other = path.replacing(".response", with: "2.response")
        try FileManager.default.copyItem(atPath: path, toPath: other)
        for path in [path, other] { #expect(truncate(path, off_t.max) == 0 || truncate(path, 1 << 43) == 0) }
        #expect(try await api(cache).request(route).response().text == "the body")
        await cache.flush()
        #expect(cache.byteCount <= 10_000)
    }

    @Test func `a lifetime may be as long as a Duration allows`() async throws {
        stub.on(.get, "/a", .text("1"))
        let api = api(.memory())
        let forever = Route(path: "/a").cache(.ttl(.seconds(Int64.max)))
        #expect(try await api.request(forever).response().cacheStatus?.isStored == true)
        #expect(try await api.request(forever).response().cacheStatus?.timeToLive ?? 0 > 1 << 40)
    }

    @Test func `a file for another URL is not used, and links are not followed`() async throws {
        stub.on(.get, "/*") { .text($0.path, headers: ["Cache-Control": "max-age=60"]) }
        let cache = try HTTPCache.disk(at: url)
        _ = try await api(cache).request(route).response()
        await cache.flush()
        let path = try #require(try files().first)
        _ = try await api(cache).request(Route(path: "/b")).response()
        await cache.flush()
        let other = try #require(try files().first { $0 != path })
        let bytes = try Data(contentsOf: URL(filePath: path))
        try bytes.write(to: URL(filePath: other))
        #expect(try await api(cache).request(Route(path: "/b")).response().text == "/b")
        await cache.flush()
        try FileManager.default.removeItem(atPath: other)
        try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: path)
        #expect(try await api(cache).request(Route(path: "/b")).response().cacheStatus?.isHit == false)
    }

    @Test func `the files stay within the limit, and the least recently used ones are removed first`() async throws {
        stub.on(.get, "/*", .data(Data(count: 20_000), headers: ["Cache-Control": "max-age=60"]))
        let cache = try HTTPCache.disk(at: url, limit: 100_000)
        for number in 0..<12 {
            _ = try await api(cache).request(Route(path: "/\(number)")).response()
            await cache.flush()
            for path in try files() where number < 4 {
                // The modification time has whole seconds: the first four files are made older.
                let date = Date(timeIntervalSince1970: 1_000_000 + Double(number))
                try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
            }
        }
        #expect(cache.byteCount <= 100_000)
        #expect(try await api(cache).request(Route(path: "/11").cache(.cacheOnly)).response().status == 200)
        await #expect(throws: HTTPError.status(504)) {
            try await api(cache).request(Route(path: "/0").cache(.cacheOnly)).response()
        }
    }

    @Test func `removed responses do not reappear, even if they were being written`() async throws {
        stub.on(.get, "/a", .text("1", headers: ["Cache-Control": "max-age=60"])).on(.put, "/a", .status(200))
        let cache = try HTTPCache.disk(at: url)
        for _ in 0..<50 {
            #expect(try await api(cache).request(route).response().cacheStatus?.isHit == false)
            _ = try await api(cache).request(Route(path: "/a", method: .put)).response()
        }
        await cache.flush()
        #expect(try files().isEmpty)
        _ = try await api(cache).request(route).response()
        cache.removeAll()
        #expect(cache.byteCount == 0)
        #expect(try await api(cache).request(route).response().cacheStatus?.isHit == false)
    }

    @Test func `an unusable folder is an error, but a failed write does not fail the request`() async throws {
        let file = try folder.write("x", to: "file")
        #expect(throws: HTTPError.self) { try HTTPCache.disk(at: file) }
        #expect(throws: HTTPError.self) { try HTTPCache.disk(at: try #require(URL(string: "https://example.com"))) }
        stub.on(.get, "/a", .text("1", headers: ["Cache-Control": "max-age=60"]))
        let cache = try HTTPCache.disk(at: url)
        try FileManager.default.removeItem(at: url)
        try Data().write(to: url)
        #expect(try await api(cache).request(route).text() == "1")
        await cache.flush()
        guard case .unwritableFile? = cache.writeError?.kind else {
            Issue.record("\(String(describing: cache.writeError))")
            return
        }
    }
}

extension CacheFile {
    /// Reads bytes in place of a file.
    fileprivate init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        self.init(byteCount: bytes.count, false) { buffer in
            guard rest.count >= buffer.count else { return false }
            buffer.copyBytes(from: rest.prefix(buffer.count))
            rest = rest.dropFirst(buffer.count)
            return true
        }
    }
}
