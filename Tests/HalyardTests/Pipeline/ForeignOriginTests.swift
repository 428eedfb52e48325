import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Values that a log masks are sent to the provider's origin only, over the wire.
@Suite(.timeLimit(.minutes(3)))
struct ForeignOriginTests {
    /// A received request, with the origin of its URL.
    private struct Arrival: Sendable {
        let origin, text: String

        init(_ request: RecordedRequest) {
            origin = request.headers["Host"] ?? ""
            let fields = request.headers.map { "\($0.name): \($0.value)" }
            text = ([request.target] + fields + [request.text]).joined(separator: "\n")
        }
    }

    private let servers: [LoopbackServer]
    /// The redirect target of each path. A path without a target is the end.
    private let places = Lock<[String: (status: Int, location: String)]>([:])
    private let arrivals = Log<Arrival>()

    init() throws {
        servers = try (0..<3).map { _ in try LoopbackServer() }
        for server in servers {
            for method in [HTTPMethod.get, .post] {
                server.on(method, "/*") { [places, arrivals] request in
                    arrivals.add(Arrival(request))
                    guard let place = places.withLock({ $0[request.path] }) else { return .text("end") }
                    return .status(place.status, headers: ["Location": place.location])
                }
            }
        }
    }

    private func anyHost(_ seed: inout Seeded) throws -> String {
        "\(try seed.pick(["127.0.0.1", "localhost"])):\(try seed.pick(servers).port)"
    }

    private static let names = [
        "X-Acme-Key", "X-Acme-Token", "api_key", "X-Csrf-Token", "X-Session", "Authorization", "Cookie", "X-Tenant",
        "X-Client-Secret", "Stripe-Signature", "X-Trace-Id", "X-Mode", "Idempotency-Key", "user[pin]", "q", "note",
    ]

    @Test(
        "provider values that a log masks are not sent to another origin",
        arguments: 0..<60 as Range<UInt64>)
    func generated(number: UInt64) async throws {
        var seed = Seeded(number)
        let home = try anyHost(&seed)
        for hop in 0..<Int.random(in: 1...4, using: &seed) {
            let location = "http://\(try anyHost(&seed))/hop\(hop + 1)?x=1"
            let status = try seed.pick([301, 302, 303, 307, 308])
            places.withLock { $0["/hop\(hop)"] = (status, location) }
        }
        var (headers, params): (HTTPHeaders, [String: String]) = ([:], [:])
        var values: [String] = []
        for (index, name) in Self.names.shuffled(using: &seed).enumerated() {
            let value = "val-\(index)-\(seed.next())"
            values.append(value)
            if index < 8, let field = try? HTTPHeaders.Field(name, value) {
                headers[field.name.rawValue] = value
            } else {
                params[name] = value
            }
        }
        let client = HTTPClient(log: .silent)
        let api = TestAPI(baseURL: try #require(URL(string: "http://\(home)")), client: client)
            .with(\.additionalHeaders, headers).with(\.additionalParams, Parameters(params))
        let method = try seed.pick([HTTPMethod.get, .post])
        let route = Route(
            path: "/hop0", method: method, encoding: method == .post ? try seed.pick([.json, .form, .multipart]) : .url)
        let log = LogEvent(.sent, LogEvent.ID(), try api.prepare(route)).text(.bodies)
        let masked = values.filter { !log.contains($0) }
        #expect(masked.count >= 8)

        let error = await failure { try await api.request(route).void() }
        let foreign = arrivals.entries.filter { $0.origin != home }
        for arrival in foreign {
            for value in masked {
                #expect(!arrival.text.contains(value), "\(value) at \(arrival.origin): \(arrival.text)")
            }
        }
        let first = try #require(arrivals.entries.first)
        for value in values { #expect(first.text.contains(value)) }
        // A body cannot be sent in part.
        if let error { #expect(error.description.contains("Secrets in the body") && foreign.isEmpty) }
    }

    /// The ways in which an interceptor sends a request to another server.
    enum Way: CaseIterable, Sendable {
        case changed, rebuilt, changedForEachAttempt, changedWhenRetried, changedThenRedirectedHome, throughOneMore
    }

    private struct Mirror: Interceptor {
        let base: URL
        let way: Way
        let count = Counter()

        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            count.increment()
            if way == .changedWhenRetried, count.count == 1 { return try await next.proceed(request) }
            var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
            parts?.port = base.port
            let url = try #require(parts?.url)
            var moved = request
            try moved.setURL(url)
            if way == .rebuilt {
                moved = try HTTPRequest(request.method, url, headers: request.headers, body: request.body)
            }
            return try await next.proceed(moved)
        }
    }

    private struct Passing: Interceptor {
        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            try await next.proceed(request)
        }
    }

    private static let credentials: [Authentication] = [
        .bearer("s3cret"), .bearer(TokenSource("s3cret") { _ in "s3cret-renewed" }),
        .bearer(TokenSource { _ in "s3cret" }), .basic(user: "u", password: "s3cret"),
        .apiKey("s3cret", header: "X-Acme-Key"), .apiKey("s3cret", query: "appid"),
        Authentication(ClientID()),
    ]

    /// Credentials in places whose names do not show that they are secrets.
    private struct ClientID: Authenticator {
        func authenticate(_ request: inout HTTPRequest) throws {
            request.headers["X-Client"] = "s3cret"
            try request.setURL(#require(URL(string: "\(request.url)&client=s3cret")))
        }

        func recover(from response: HTTPResponse, to request: HTTPRequest) -> Bool { false }
    }

    /// An authenticator whose credentials cannot be removed from a request.
    private struct InThePath: Authenticator {
        func authenticate(_ request: inout HTTPRequest) throws {
            try request.setURL(#require(URL(string: "\(request.url)/s3cret")))
        }

        func recover(from response: HTTPResponse, to request: HTTPRequest) -> Bool { false }
    }

    /// An authenticator whose credentials are the body.
    private struct InTheBody: Authenticator {
        func authenticate(_ request: inout HTTPRequest) { request.body = HTTPBody(Data("s3cret".utf8)) }
        func recover(from response: HTTPResponse, to request: HTTPRequest) -> Bool { false }
    }

    @Test("credentials in the path or body fail a request that an interceptor moves to another origin")
    func inseparable() async throws {
        let (home, mirror) = (servers[0], servers[1])
        let client = HTTPClient(networkInterceptors: [Mirror(base: mirror.baseURL, way: .changed)])
        for authenticator in [InThePath(), InTheBody()] as [any Authenticator] {
            let api = TestAPI(baseURL: home.baseURL, client: client, authentication: Authentication(authenticator))
            let error = await failure { try await api.request(Route(path: "/x", method: .post)).void() }
            #expect(error?.kind == .foreignSecrets("\(mirror.baseURL)"))
        }
        #expect(mirror.requests.isEmpty && home.requests.isEmpty)
    }

    @Test("changing the origin in an interceptor outside the provider removes the secrets of the query")
    func queryOfAbsoluteURL() async throws {
        let (home, mirror) = (servers[0], servers[1])
        let url = try #require(URL(string: "\(home.baseURL)/x?access_token=s3cret&page=2"))
        for isOfNetwork in [true, false] {
            let step = Mirror(base: mirror.baseURL, way: .changed)
            let client = HTTPClient(
                interceptors: isOfNetwork ? [] : [step], networkInterceptors: isOfNetwork ? [step] : [])
            _ = try await client.send(HTTPRequest(.get, url))
            try await DefaultProvider(client: client).request(Route(url: url)).void()
        }
        #expect(mirror.requests.map(\.target) == Array(repeating: "/x?page=2", count: 4))
    }

    @Test(
        "credentials are sent only to the provider's origin, however an interceptor changes the URL",
        arguments: Way.allCases, credentials.indices)
    func mirrored(way: Way, index: Int) async throws {
        let (home, mirror) = (servers[0], servers[1])
        let status = Lock(way == .changedWhenRetried ? 503 : 401)
        home.on(.get, "/x") { [arrivals] request in
            arrivals.add(Arrival(request))
            return .status(status.withLock { $0 })
        }
        mirror.on(.get, "/x") { [arrivals] request in
            arrivals.add(Arrival(request))
            guard way == .changedThenRedirectedHome else { return .status(401) }
            return .status(307, headers: ["Location": "\(home.baseURL)/x"])
        }
        let step = Mirror(base: mirror.baseURL, way: way)
        let isOfAttempts = way == .changedForEachAttempt || way == .changedWhenRetried
        var retry = RetryPolicy.upTo(attempts: 2)
        retry.delay = .zero
        let client = HTTPClient(
            interceptors: isOfAttempts ? [] : way == .throughOneMore ? [Passing(), step, Passing()] : [step],
            networkInterceptors: isOfAttempts ? [Passing(), step] : [], configuration: .init(retry: retry))
        let api = TestAPI(baseURL: home.baseURL, client: client, authentication: Self.credentials[index])
            .with(\.additionalHeaders, ["X-Tenant-Key": "s3cret", "X-Plain": "plain"])
            .with(\.additionalParams, ["access_token": "s3cret", "page": 2])
        let error = await failure { try await api.request(Route(path: "/x")).void() }
        #expect(error?.kind == .status(401))
        let (own, foreign) = (
            arrivals.entries.filter { $0.origin.hasSuffix(":\(home.port)") },
            arrivals.entries.filter { $0.origin.hasSuffix(":\(mirror.port)") }
        )
        #expect(foreign.count == 1)
        for arrival in foreign {
            #expect(!arrival.text.contains("s3cret") && !arrival.text.contains("dTpzM2NyZXQ"), "\(arrival.text)")
            #expect(arrival.text.contains("plain") && arrival.text.contains("page=2"))
        }
        switch way {
        case .changedWhenRetried: #expect(own.count == 1 && own.allSatisfy { $0.text.contains("s3cret") })
        case .changedThenRedirectedHome: #expect(own.count == 1 && !own.contains { $0.text.contains("s3cret") })
        default: #expect(own.isEmpty)
        }
    }

    @Test("headers set by an interceptor are sent; a body with secrets fails")
    func own() async throws {
        let (home, mirror) = (servers[0], servers[1])
        struct Own: Interceptor {
            let base: URL
            func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
                var request = request
                try request.setURL(base)
                request.headers[.authorization] = "Bearer mirrored"
                return try await next.proceed(request)
            }
        }
        let client = HTTPClient(networkInterceptors: [Own(base: mirror.baseURL.appending(path: "m"))])
        let api = TestAPI(baseURL: home.baseURL, client: client, authentication: .bearer("s3cret"))
            .with(\.additionalParams, ["token": "s3cret"])
        try await api.request(Route(path: "/x")).void()
        #expect(mirror.requests.last?.headers["Authorization"] == "Bearer mirrored")
        for encoding in [ParameterEncoding.json, .form, .multipart] {
            let route = Route(path: "/x", method: .post, encoding: encoding)
            let error = await failure { try await api.request(route).void() }
            #expect(error?.kind == .foreignSecrets("\(mirror.baseURL)"))
        }
        #expect(mirror.requests.count == 1 && home.requests.isEmpty)
    }
}
