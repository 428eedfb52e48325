import Foundation
import HalyardAsync
import HalyardTesting
import Testing

// The examples of the article on interceptors, letter by letter. They are run.

struct TimingInterceptor: Interceptor {
    let record: @Sendable (String, Duration) -> Void

    func intercept(_ request: HTTPRequest, next: Chain) async throws
        -> HTTPResponse
    {
        let start = ContinuousClock.now
        defer { record(request.url.path(), ContinuousClock.now - start) }
        return try await next.proceed(request)
    }
}

let client = HTTPClient(interceptors: [
    TimingInterceptor { path, time in print(path, time) }
])

struct OfflineInterceptor: Interceptor {
    let saved: @Sendable (HTTPRequest) -> Data?

    func intercept(_ request: HTTPRequest, next: Chain) async throws
        -> HTTPResponse
    {
        do {
            return try await next.proceed(request)
        } catch let error as HTTPError where error.kind.isConnectionFailure {
            guard let data = saved(request) else { throw error }
            var response = HTTPResponse(status: 200, url: request.url)
            response.data = data
            return response
        }
    }
}

struct MirrorInterceptor: Interceptor {
    let mirror: URL

    func intercept(_ request: HTTPRequest, next: Chain) async throws
        -> HTTPResponse
    {
        let response = try await next.proceed(request)
        guard response.status == 503, request.method == .get else {
            return response
        }
        var request = request
        try request.setURL(mirror.appending(path: request.url.path()))
        return try await next.proceed(request)
    }
}

private actor Hosts {
    private(set) var names: [String] = []
    func add(_ name: String) { names.append(name) }
}

@Suite(.timeLimit(.minutes(3)))
private struct InterceptorsArticle {
    @Test func `a chain tests an interceptor`() async throws {
        let mirror = MirrorInterceptor(
            mirror: URL(string: "https://mirror.example.com")!)
        let hosts = Hosts()
        let chain = Chain { request in
            await hosts.add(request.origin.host)
            return HTTPResponse(status: 503, url: request.url)
        }
        _ = try await mirror.intercept(
            HTTPRequest(.get, URL(string: "https://api.example.com/a")!), next: chain)
        #expect(await hosts.names == ["api.example.com", "mirror.example.com"])
    }

    @Test func `a saved response is used without a connection`() async throws {
        let stub = StubTransport().on(.get, "/*", .fail(.cannotConnect("api.example.com")))
        let offline = OfflineInterceptor { $0.url.path() == "/a" ? Data("saved".utf8) : nil }
        let client = HTTPClient(transport: stub, interceptors: [offline])
        let response = try await client.send(HTTPRequest(.get, URL(string: "https://api.example.com/a")!))
        #expect(response.text == "saved")
        await #expect(throws: HTTPError(.cannotConnect("api.example.com"))) {
            try await client.send(HTTPRequest(.get, URL(string: "https://api.example.com/b")!))
        }
    }
}
