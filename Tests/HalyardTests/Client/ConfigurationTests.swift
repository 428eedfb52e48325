import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// A custom client, and the order in which its parts are called.
@Suite(.timeLimit(.minutes(3)))
struct ConfigurationTests {
    static func silent() throws -> LoopbackServer {
        try LoopbackServer().on(.get, "/api/me", .text("late").delayed(by: .seconds(50)))
    }

    @Test("the client's timeout ends a request to a silent server", .behaviors(61, 62))
    func timeout() async throws {
        let server = try Self.silent()
        let client = HTTPClient(configuration: .init(timeout: .milliseconds(300)))
        let error = await failure { try await TestAPI(server).with(\.client, client).request(.me).void() }
        #expect(error == HTTPError.timedOut)
        #expect(error?.request?.url.path == "/api/me")
        #expect(error?.description.contains("0.3 seconds") == true)
        #expect(error?.suggestion?.hasPrefix("Raise the timeout of the client's configuration, set") == true)
        #expect(server.requests.count == 1)
        try await eventually("the connection ends") { server.openConnectionCount == 0 }
    }

    @Test("the idle timeout ends a silent transfer but not one that makes progress", .behaviors(62))
    func idleTimeout() async throws {
        let server = try Self.silent()
        let client = HTTPClient(configuration: .init(idleTimeout: .milliseconds(50)))
        let error = await failure { try await TestAPI(server).with(\.client, client).request(.me).void() }
        #expect(error == HTTPError.timedOut)
        #expect(error?.reason?.contains("no data was transferred") == true)
        #expect(error?.suggestion?.hasPrefix("Raise the idleTimeout") == true)
    }

    @Test(
        "a route's timeout overrides the client's, shorter or longer; without either there is no limit",
        .behaviors(63))
    func routeTimeout() async throws {
        let server = try Self.silent().on(.get, "/api/user/1", .text("soon").delayed(by: .milliseconds(300)))
        var (short, long) = (Route.me, Route.user("1"))
        short.options.timeout = .milliseconds(50)
        let error = await failure { try await TestAPI(server).request(short).void() }
        #expect(error == HTTPError.timedOut && error?.suggestion == "Raise the route's timeout, or try again later")

        let strict = HTTPClient(configuration: .init(timeout: .milliseconds(50)))
        long.options.timeout = .seconds(40)
        #expect(try await TestAPI(server).with(\.client, strict).request(long).text() == "soon")
        let lax = HTTPClient(configuration: .init(timeout: nil, connectTimeout: nil, idleTimeout: nil))
        #expect(try await TestAPI(server).with(\.client, lax).request(.user("1")).text() == "soon")
    }

    struct Limits: Transport {
        let log = Log<TransferContext>()
        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            log.add(context)
            return HTTPResponse(status: 200, url: request.url)
        }
    }

    @Test("the transport receives the route's limits, or else the client's", .behaviors(62, 63))
    func limits() async throws {
        let limits = Limits()
        let client = HTTPClient(
            transport: limits, configuration: .init(connectTimeout: .seconds(2), idleTimeout: .seconds(3)))
        let route = Route(url: try #require(URL(string: "https://h/")))
        for route in [route, route.connectTimeout(.seconds(5)), route.idleTimeout(.seconds(7))] {
            try await DefaultProvider(client: client).request(route).void()
        }
        #expect(limits.log.entries.map(\.connectTimeout) == [.seconds(2), .seconds(5), .seconds(2)])
        #expect(limits.log.entries.map(\.idleTimeout) == [.seconds(3), .seconds(3), .seconds(7)])
    }

    @Test("one route can have a long idle timeout while others of the client have a short one", .behaviors(62, 63))
    func watch() async throws {
        let server = try Self.silent().on(.get, "/api/events", .text("event").delayed(by: .seconds(1)))
        let client = HTTPClient(configuration: .init(idleTimeout: .milliseconds(100)))
        let api = TestAPI(server).with(\.client, client)
        async let event = api.request(Route(path: "/events").idleTimeout(.seconds(3600))).text()
        for _ in 0..<2 { await #expect(throws: HTTPError.timedOut) { try await api.request(.me).void() } }
        #expect(try await event == "event")
    }

    @Test("a route's idle timeout takes precedence over the client's", .behaviors(62, 63))
    func routeIdleTimeout() async throws {
        let server = try Self.silent()
        let client = HTTPClient(configuration: .init(idleTimeout: .seconds(3600)))
        let api = TestAPI(server).with(\.client, client)
        let error = await failure { try await api.request(Route.me.idleTimeout(.milliseconds(50))).void() }
        #expect(error == HTTPError.timedOut)
        #expect(error?.reason?.contains("no data was transferred for 0.05 seconds") == true)
        #expect(error?.suggestion?.hasPrefix("Raise the idleTimeout") == true)
    }

    @Test(
        "the route's memory limit takes precedence over the client's", .behaviors(61),
        arguments: [true, false])
    func memoryLimit(isChunked: Bool) async throws {
        let body = Data.noise(10_000)
        let server = try LoopbackServer().on(.get, "/api/me", isChunked ? .chunked([body]) : .data(body))
        func api(_ limit: Int) -> TestAPI {
            TestAPI(server).with(\.client, HTTPClient(configuration: .init(memoryLimit: limit)))
        }
        let error = await failure { _ = try await api(9_999).request(.me).data() }
        #expect(error == HTTPError(.bodyTooLarge(limit: 9_999)))
        #expect(error?.recoverySuggestion?.contains("memoryLimit of the route or of the client") == true)
        #expect(try await api(10_000).request(.me).data().count == 10_000)
        var route = Route.me
        route.options.memoryLimit = 100
        await #expect(throws: HTTPError(.bodyTooLarge(limit: 100))) { try await api(10_000).request(route).data() }
        route.options.memoryLimit = 20_000
        #expect(try await api(5).request(route).data().count == 10_000)
        // A body to a file or a stream is not kept in memory.
        let folder = try TemporaryFolder()
        _ = try await api(5).request(.me).download(to: folder.file("f"))
        #expect(try Data(contentsOf: folder.file("f")).isSame(as: body))
        var count = 0
        for try await chunk in api(5).request(.me).chunks { count += chunk.count }
        #expect(count == 10_000)
    }

    @Test(
        "a thousand values of a provider share one client and reuse one connection", .behaviors(61),
        .defects("BN5", "BN6"))
    func sharing() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .text("ok"))
        let client = HTTPClient()
        for _ in 0..<100 { #expect(try await TestAPI(server).with(\.client, client).request(.me).text() == "ok") }
        #expect(server.requests.count == 100)
        #expect(server.connectionCount == 1)
    }

    struct Recorder: Transport {
        let inner: any Transport
        let log = Log<HTTPRequest>()
        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            log.add(request)
            return try await inner.send(request, context: context)
        }
    }

    @Test("a custom transport receives every request, with every kind of observer", .behaviors(67), .defects("BN6"))
    func ownTransport() async throws {
        let (server, folder) = (try LoopbackServer.accepting(), try TemporaryFolder())
        let recorder = Recorder(inner: HTTPClient.shared.transport)
        let client = HTTPClient(transport: recorder)
        let api = TestAPI(server).with(\.client, client)
        try await api.request(.me).void()
        _ = await response { api.request(.user("1")).responseData($0) }
        _ = try await api.request(.user("2")).download(to: folder.file("f"))
        for try await _ in api.request(.user("3")).chunks {}
        try await DefaultProvider(client: client).request(Route(url: server.baseURL)).void()
        _ = try await client.send(HTTPRequest(.put, server.baseURL.appending(path: "raw")))
        let paths = ["/api/me", "/api/user/1", "/api/user/2", "/api/user/3", "/", "/raw"]
        #expect(recorder.log.entries.map(\.url.path).map { $0.isEmpty ? "/" : $0 } == paths)
        #expect(server.requests.map(\.path) == paths)
    }

    struct Note: Interceptor {
        let name: String
        let log: Log<String>
        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            log.add("\(name) \(request.headers["X-Token"] ?? "-") \(request.body?.length ?? 0)")
            do {
                let response = try await next.proceed(request)
                log.add("\(name) \(response.status) \(response.text)")
                return response
            } catch {
                log.add("\(name) \((error as? HTTPError)?.kind == .encoding("x") ? "encoding" : "error")")
                throw error
            }
        }
    }

    @Test(
        "after the interceptors validate runs once per response and shouldContinue once per failure",
        .behaviors(58))
    func hooks() async throws {
        let server = try LoopbackServer()
            .on(.put, "/api/ok", .text("fine")).on(.put, "/api/bad", .text("no", status: 500))
            .on(.put, "/api/broken", .raw("x"))
        let log = Log<String>()
        let client = HTTPClient(interceptors: [Note(name: "outer", log: log), Note(name: "inner", log: log)])
        let api = TestAPI(server).with(\.client, client)
            .with(\.onValidate) {
                log.add("validate \($0.status)")
                try $0.requireSuccess()
            }
            .with(\.onFailure) {
                log.add("shouldContinue \(($0 as? HTTPError)?.status ?? 0)")
                return true
            }
        func entries(_ path: String, _ body: RouteBody = .text("body")) async -> [String] {
            let count = log.entries.count
            let path = RoutePath(verbatim: path)
            let request = api.request(Route(path: path, method: .put, headers: ["X-Token": "t"], body: body))
            _ = try? await request.data()
            // A second observer does not call them again.
            _ = try? await request.text()
            return Array(log.entries.dropFirst(count))
        }
        #expect(
            await entries("ok") == ["outer t 4", "inner t 4", "inner 200 fine", "outer 200 fine", "validate 200"])
        #expect(
            await entries("bad") == [
                "outer t 4", "inner t 4", "inner 500 no", "outer 500 no", "validate 500", "shouldContinue 500",
            ])
        #expect(
            await entries("broken") == ["outer t 4", "inner t 4", "inner error", "outer error", "shouldContinue 0"])
        #expect(await entries("..") == ["shouldContinue 0"])
        let unbuildable = RouteBody(contentType: "x/y") { throw HTTPError(.encoding("x")) }
        #expect(await entries("ok", unbuildable) == ["shouldContinue 0"])
        #expect(server.requests.count == 3)
    }
}
