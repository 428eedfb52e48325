@testable import HalyardCache
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// The cache in the pipeline, with stubs and a clock.
@Suite(.timeLimit(.minutes(3)))
struct CachingTests {
    private struct API: HTTPProvider {
        var baseURL = URL(string: "https://api.example.com/v1") ?? URL(filePath: "/")
        var client: HTTPClient
        var authentication = Authentication.none
        func validate(_ response: HTTPResponse) {}
    }

    private let clock = ManualClock()
    private let cache = HTTPCache.memory()
    private let stub = StubTransport()

    private func api(_ configuration: HTTPClient.Configuration = .init(), log: EventLog = .silent) -> API {
        var configuration = configuration
        configuration.policies.append(.cache(cache))
        return API(client: HTTPClient(transport: stub, configuration: configuration, log: log, clock: clock))
    }

    private let fresh: HTTPHeaders = ["Cache-Control": "max-age=60"]
    private let route = Route(path: "/a")

    @Test func `a fresh response is served from the cache with its age, and a stale one is not`() async throws {
        stub.on(.get, "/a", .text("1", headers: fresh), .text("2", headers: fresh))
        let api = api()
        let first = try await api.request(route).response()
        #expect(first.cacheStatus?.description == "Halyard;fwd=uri-miss;stored;ttl=60")
        clock.advance(by: .seconds(59))
        let second = try await api.request(route).response()
        #expect(second.text == "1" && second.headers["Age"] == "59" && second.sendCount == 0)
        #expect(second.cacheStatus?.isHit == true && second.cacheStatus?.timeToLive == 1)
        clock.advance(by: .seconds(2))
        let third = try await api.request(route).response()
        #expect(third.text == "2" && third.cacheStatus?.forwarded == .stale)
        #expect(stub.requests.count == 2)
    }

    @Test func `a stale response is revalidated, and a 304 updates its headers`() async throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=1", "ETag": "\"x\"", "A": "1"]
        stub.on(
            .get, "/a", .text("body", headers: headers),
            .status(304, headers: ["Cache-Control": "max-age=9", "A": "2"]))
        let api = api()
        _ = try await api.request(route).response()
        clock.advance(by: .seconds(2))
        let response = try await api.request(route).response()
        #expect(response.status == 200 && response.text == "body" && response.headers["A"] == "2")
        #expect(response.cacheStatus?.description == "Halyard;fwd=stale;fwd-status=304;stored;ttl=9")
        #expect(stub.requests.last?.headers["If-None-Match"] == "\"x\"")
        clock.advance(by: .seconds(8))
        #expect(try await api.request(route).response().cacheStatus?.isHit == true)
    }

    @Test func `a response is reused only with the credentials it was requested with`() async throws {
        stub.on(.get, "/a") { .text($0.headers["Authorization"] ?? "none", headers: ["Cache-Control": "max-age=60"]) }
        var (ann, bob) = (api(), api())
        ann.authentication = .bearer("ann")
        bob.authentication = .bearer("bob")
        for _ in 0..<2 {
            #expect(try await ann.request(route).text() == "Bearer ann")
            #expect(try await bob.request(route).text() == "Bearer bob")
            #expect(try await api().request(route).text() == "none")
            let key = Route(path: "/a", headers: ["X-API-Key": "k"])
            #expect(try await api().request(key).text() == "none")
        }
        #expect(stub.requests.count == 4)
    }

    @Test func `cookies count as credentials unless the response is public`() async throws {
        stub.on(.get, "/a") { .text($0.headers["Cookie"] ?? "none", headers: ["Cache-Control": "max-age=60"]) }
            .on(.get, "/public", .text("all", headers: ["Cache-Control": "public, max-age=60"]))
        let api = api()
        for cookie in ["u=1", "u=2", "u=1"] {
            #expect(try await api.request(Route(path: "/a", headers: ["Cookie": cookie])).text() == cookie)
            #expect(try await api.request(Route(path: "/public", headers: ["Cookie": cookie])).text() == "all")
        }
        #expect(stub.requests.map(\.path) == ["/v1/a", "/v1/public", "/v1/a"])
        // A response to a request without cookies is not for one with cookies.
        #expect(try await api.request(route).text() == "none")
        #expect(try await api.request(Route(path: "/a", headers: ["Cookie": "u=3"])).text() == "u=3")
    }

    @Test func `a stored response does not set its cookies again`() async throws {
        let headers: HTTPHeaders = ["Cache-Control": "public, max-age=60", "Set-Cookie": "a=1"]
        stub.on(.get, "/a", .text("1", headers: headers))
        let jar = CookieJar(clock: clock)
        let api = api(.init(cookies: jar))
        _ = try await api.request(route).response()
        #expect(jar.cookies.map(\.value) == ["1"])
        jar.removeAll()
        #expect(try await api.request(route).response().headers["Set-Cookie"] == "a=1")
        #expect(jar.cookies.isEmpty && stub.requests.count == 1)
    }

    @Test func `the cache modes of a request are respected`() async throws {
        stub.on(.get, "/a") { .text($0.headers["Cache-Control"] ?? "none", headers: ["Cache-Control": "max-age=60"]) }
        let api = api()
        func send(_ mode: CacheMode) async throws -> HTTPResponse {
            try await api.request(route.cache(mode)).response()
        }
        let missing = try await send(.cacheOnly)
        #expect(missing.status == 504 && missing.sendCount == 0 && missing.cacheStatus?.forwarded == .uriMiss)
        #expect(try await send(.ignore).cacheStatus?.description == "Halyard;fwd=bypass")
        #expect(try await send(.standard).text == "none")
        #expect(try await send(.reload).text == "no-cache")
        #expect(try await send(.revalidate).text == "max-age=0")
        #expect(try await send(.standard).text == "max-age=0")
        clock.advance(by: .seconds(100))
        #expect(try await send(.cacheOnly).text == "max-age=0")
        #expect(try await send(.ttl(.seconds(200))).text == "max-age=0")
        #expect(try await send(.ttl(.seconds(50))).text == "none")
        #expect(stub.requests.count == 5)
    }

    @Test func `the route's lifetime stores a response without one, but not a no-store response`() async throws {
        stub.on(.get, "/a", .text("1")).on(.get, "/b", .text("1", headers: ["Cache-Control": "no-store"]))
        let api = api()
        for _ in 0..<2 {
            for path in ["/a", "/b"] {
                _ = try await api.request(Route(path: RoutePath(verbatim: path)).cache(.ttl(.seconds(9)))).response()
            }
        }
        #expect(stub.requests.map(\.path) == ["/v1/a", "/v1/b", "/v1/b"])
    }

    @Test(arguments: [
        "max-age=60, s-maxage=\", no-store", "s-maxage=\",no-store,max-age=\"60\"", "max-age=60, x=\"\\\", no-store",
        "max-age=60, x=\"a\"b, No-Store",
    ])
    func `an unbalanced quote does not hide no-store`(control: String) async throws {
        stub.on(.get, "/a", .text("1", headers: ["Cache-Control": control]))
        for _ in 0..<2 { _ = try await api().request(route).response() }
        #expect(stub.requests.count == 2)
    }

    @Test func `a directive name inside a quoted argument is not a directive`() async throws {
        stub.on(.get, "/a", .text("1", headers: ["Cache-Control": "x=\"a\\\", no-store\" , max-age=60"]))
        for _ in 0..<2 { _ = try await api().request(route).response() }
        #expect(stub.requests.count == 1)
    }

    @Test func `a request that changes the resource removes its responses for all credentials`() async throws {
        stub.on(.get, "/a", .text("1", headers: fresh)).on(.get, "/b", .text("1", headers: fresh))
            .on(.put, "/a", .status(500), .status(200, headers: ["Location": "/v1/b"]))
        var ann = api()
        ann.authentication = .bearer("ann")
        let all = [api().request(route), ann.request(route), api().request(Route(path: "/b"))]
        for request in all { _ = try await request.response() }
        let put = Route(path: "/a", method: .put)
        _ = try await api().request(put).response()
        #expect(try await api().request(route).response().cacheStatus?.isHit == true)
        #expect(try await api().request(put).response().cacheStatus?.forwarded == .method)
        let sent = stub.requests.count
        for request in [api().request(route), ann.request(route), api().request(Route(path: "/b"))] {
            #expect(try await request.response().cacheStatus?.isHit == false)
        }
        #expect(stub.requests.count == sent + 3)
    }

    @Test func `stale-while-revalidate answers immediately and revalidates once in the background`() async throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=1, stale-while-revalidate=60"]
        stub.on(.get, "/a", .text("1", headers: headers), .text("2", headers: headers))
        let api = api()
        _ = try await api.request(route).response()
        clock.advance(by: .seconds(5))
        let stale = try await api.request(route).response()
        #expect(stale.text == "1" && stale.cacheStatus?.detail == "stale-while-revalidate")
        #expect(stale.cacheStatus?.timeToLive == -4)
        _ = try await stub.request(2)
        try await eventually("the validation ends") { cache.validations.withLock { $0.isEmpty } }
        #expect(try await api.request(route.cache(.cacheOnly)).response().text == "2")
    }

    @Test func `a background revalidation reports no progress`() async throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=1, stale-while-revalidate=60"]
        stub.on(.get, "/a", .text("1", headers: headers))
        let api = api()
        _ = try await api.request(route).response()
        clock.advance(by: .seconds(5))
        let reports = Lock(0)
        let request = api.request(route)
        request.downloadProgress(on: .global()) { _ in reports.withLock { $0 += 1 } }
        _ = try await request.response()
        _ = try await stub.request(2)
        try await eventually("the validation ends") { cache.validations.withLock { $0.isEmpty } }
        try await eventually("the report comes") { reports.withLock { $0 } > 0 }
        #expect(reports.withLock { $0 } == 1)
    }

    @Test func `a response becomes stale exactly at its lifetime, without a stale-while-revalidate period`() throws {
        let request = try HTTPRequest(.get, #require(URL(string: "https://example.com/a")))
        let cacheable = try #require(CacheableRequest(request, .standard))
        let response = HTTPResponse(status: 200, headers: ["Cache-Control": "max-age=2"], url: request.url)
        let stored = try #require(cacheable.storing(response, requested: 100, received: 100, false))
        for (now, isUsed) in [(101.9, true), (102, false), (102.1, false)] {
            if case .use = cacheable.decide([stored], now: now) { #expect(isUsed) } else { #expect(!isUsed) }
        }
    }

    @Test(arguments: [
        ("\"a\", W/\"b\"", true), ("W/\"b\"", true), ("\"a\",\"b\"", true), ("*", true), ("\"a\",\"c\"", false),
        ("b", false), ("\"a, b\"", false), ("\"b", false), ("", false),
    ])
    func `If-None-Match holds a list of tags that are compared weakly`(tags: String, has: Bool) throws {
        var request = try HTTPRequest(.get, #require(URL(string: "https://example.com/a")))
        request.headers["If-None-Match"] = tags
        let response = HTTPResponse(status: 200, headers: ["ETag": "\"b\""], url: request.url)
        let cacheable = try #require(CacheableRequest(request, .standard))
        let stored = try #require(cacheable.storing(response, requested: 100, received: 100, false))
        #expect(cacheable.isUnchanged(stored) == has)
    }

    @Test func `stale-if-error serves a stale response when the server fails, and only then`() async throws {
        stub.on(
            .get, "/a", .text("1", headers: ["Cache-Control": "max-age=1, stale-if-error=60"]), .status(503),
            .fail(.connectionLost)
        )
        .on(.get, "/b", .text("1", headers: ["Cache-Control": "max-age=1"]), .status(503))
        let api = api()
        for path in ["/a", "/b"] { _ = try await api.request(Route(path: RoutePath(verbatim: path))).response() }
        clock.advance(by: .seconds(5))
        for _ in 0..<2 {
            let response = try await api.request(route).response()
            #expect(response.text == "1" && response.cacheStatus?.detail == "stale-if-error")
        }
        #expect(try await api.request(Route(path: "/b")).response().status == 503)
        clock.advance(by: .seconds(60))
        await #expect(throws: HTTPError.connectionLost) { try await api.request(route).response() }
    }

    @Test func `HEAD and range requests are answered from a stored body`() async throws {
        stub.on(.get, "/a", .text("0123456789", headers: fresh))
        let api = api()
        _ = try await api.request(route).response()
        let head = try await api.request(Route(path: "/a", method: .head)).response()
        #expect(head.status == 200 && head.data.isEmpty && head.cacheStatus?.isHit == true)
        for (range, text, contentRange) in [
            ("bytes=2-4", "234", "bytes 2-4/10"), ("bytes=8-", "89", "bytes 8-9/10"),
            ("bytes=-3", "789", "bytes 7-9/10"),
        ] {
            let response = try await api.request(Route(path: "/a", headers: ["Range": range])).response()
            #expect(response.status == 206 && response.text == text && response.data.startIndex == 0)
            #expect(response.headers["Content-Range"] == contentRange)
        }
        #expect(stub.requests.count == 1)
    }

    @Test func `downloads, streams and requests with bodies bypass the cache`() async throws {
        stub.on(.get, "/a", .text("1", headers: fresh)).on(.post, "/a", .text("1", headers: fresh))
        let api = api()
        let folder = try TemporaryFolder()
        _ = try await api.request(route).download(to: folder.url.appending(path: "a"))
        for try await _ in api.request(route).chunks {}
        _ = try await api.request(Route(path: "/a", method: .post, body: .text("x"))).response()
        #expect(stub.requests.count == 3 && cache.byteCount == 0)
    }

    @Test func `a cache hit reports its progress and respects the request's limit`() async throws {
        stub.on(.get, "/a", .text("0123456789", headers: fresh))
        let api = api()
        _ = try await api.request(route).response()
        let reports = Lock<[Int64]>([])
        let request = api.request(route)
        request.downloadProgress(on: .global()) { progress in reports.withLock { $0.append(progress.completed) } }
        _ = try await request.response()
        try await eventually("the report comes") { reports.withLock { $0 } == [10] }
        await #expect(throws: HTTPError(.bodyTooLarge(limit: 5))) {
            try await api.request(route.memoryLimit(5)).response()
        }
    }

    @Test func `a cache hit is logged`() async throws {
        stub.on(.get, "/a", .text("1", headers: fresh))
        let lines = Lock<[String]>([])
        let api = api(log: .custom { event in lines.withLock { $0.append("\(event)") } })
        for _ in 0..<2 { _ = try await api.request(route).response() }
        #expect(lines.withLock { $0.last } == "⚡ 200 GET https://api.example.com/v1/a 1 B from the cache")
        #expect(lines.withLock { $0.count } == 3)
    }

    @Test func `the least recently used responses are removed first`() async throws {
        let store = HTTPCache.memory(limit: 100_000)
        stub.on(.get, "/*") { .data(Data(count: 20_000), headers: ["Cache-Control": "max-age=60", "X": $0.path]) }
        let client = HTTPClient(transport: stub, configuration: .init(policies: [.cache(store)]), clock: clock)
        let api = API(client: client)
        func isHit(_ number: Int) async throws -> Bool {
            try await api.request(Route(path: "/\(number)")).response().cacheStatus?.isHit == true
        }
        for number in 1...4 { #expect(try await !isHit(number)) }
        #expect(try await isHit(1))
        #expect(try await !isHit(5))
        #expect(store.byteCount <= 100_000)
        #expect(try await isHit(1))
        #expect(try await isHit(5))
        #expect(try await !isHit(2))
        store.removeAll()
        #expect(store.byteCount == 0)
        #expect(try await !isHit(5))
    }

    @Test func `a response larger than a quarter of the limit is not stored`() async throws {
        let store = HTTPCache.memory(limit: 40_000)
        stub.on(.get, "/a", .data(Data(count: 12_000), headers: fresh))
        let client = HTTPClient(transport: stub, configuration: .init(policies: [.cache(store)]), clock: clock)
        _ = try await API(client: client).request(route).response()
        #expect(store.byteCount == 0)
    }

    @Test func `a response has no cache status if the client has no cache`() async throws {
        stub.on(.get, "/a", .text("1"))
        #expect(try await API(client: HTTPClient(transport: stub)).request(route).response().cacheStatus == nil)
    }
}
