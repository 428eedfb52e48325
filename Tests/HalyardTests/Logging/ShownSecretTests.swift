import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

@testable import Halyard

/// Every value with a secret in each property. What `print`, `dump` and `String(reflecting:)` show contains none of
/// them.
struct ShownSecretTests {
    private struct Unfit: Error { let text = "hunter2" }

    private static let url = "https://ann.example/x?tenant=hunter2&token=hunter2#id_token=hunter2"

    private static func request() throws -> HTTPRequest {
        var request = try HTTPRequest(
            .post, #require(URL(string: url)),
            headers: [
                "Authorization": "Bearer hunter2", "X-Acme-Key": "hunter2", "X-Tenant": "hunter2", "A": "hunter2",
            ],
            body: HTTPBody(Data("password=hunter2".utf8)))
        request.secretNames = ["tenant", "X-Tenant"]
        return request
    }

    private static func response(_ request: HTTPRequest) throws -> HTTPResponse {
        var response = HTTPResponse(
            status: 401, headers: ["Set-Cookie": "id=hunter2", "Content-Type": "text/plain"],
            data: Data("hunter2 is refused".utf8), url: request.url)
        response.trailers = ["X-Token": "hunter2"]
        response.informational = [.init(status: 103, headers: ["Link": "hunter2"], url: request.url)]
        response.redirects = [.init(status: 302, headers: ["Location": "/?token=hunter2"], url: request.url)]
        response.notes.sentRequest = request
        return response
    }

    private static func errors(_ request: HTTPRequest, _ response: HTTPResponse) -> [HTTPError] {
        let reason = "the header X-Acme-Key: hunter2, password=hunter2"
        let kinds: [HTTPError.Kind] = [
            .status(401), .decoding, .invalidURL(url), .invalidHeader("Authorization: Bearer hunter2"),
            .connectionLost, .noStub("GET /x?password=hunter2"), .stopped,
        ]
        return kinds.map {
            HTTPError(
                $0, reason: reason, suggestion: reason, request: request, response: response,
                cause: HTTPError(.timedOut, reason: reason, request: request))
        }
    }

    private static func events(_ request: HTTPRequest, _ response: HTTPResponse) -> [LogEvent] {
        [LogEvent.Kind.sent, .redirected, .retried, .response, .failed, .metrics].map { kind in
            var event = LogEvent(kind, LogEvent.ID(), request)
            event.response = response
            event.error = HTTPError(.status(401), reason: "password: hunter2", request: request, response: response)
            event.next = request
            return event
        }
    }

    private static func route() throws -> Route {
        var route = Route(
            url: try #require(URL(string: url)), method: .post,
            params: ["password": "hunter2", "in": ["pin": "hunter2"]],
            headers: ["X-Acme-Key": "hunter2"], body: .json(["password": "hunter2"]),
            multipart: [.text("hunter2", name: "password"), .data(Data("hunter2".utf8), name: "a")])
        var endpointOptions = Route.EndpointOptions()
        endpointOptions.query = ["token": "hunter2"]
        endpointOptions.error = HTTPError(.encoding("x"), reason: "password=hunter2")
        route.endpointOptions = endpointOptions
        return route
    }

    private static func configurations() throws -> [Any] {
        let file = URL(filePath: "/x/client.pem")
        let engine = EngineConfiguration(
            tls: .init(
                roots: .pem("hunter2"), clientCertificate: .init(certificate: file, key: file, password: "hunter2")),
            proxy: .http("h.example", port: 1, user: "hunter2", password: "hunter2"))
        let jar = CookieJar()
        try jar.set(Cookie("id", "hunter2", domain: "h.example"))
        let configuration = HTTPClient.Configuration(headers: ["X-Acme-Key": "hunter2"], cookies: jar)
        let signing = Signing()
        let client = HTTPClient(
            transport: StubTransport(), interceptors: [signing], networkInterceptors: [signing],
            configuration: configuration)
        return [engine, engine.tls, engine.proxy, engine.tls.roots, configuration, client, jar, jar.cookies]
    }

    private struct Signing: Interceptor {
        let key = "hunter2"
        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            try await next.proceed(request)
        }
    }

    private struct API: HTTPProvider {
        let baseURL = URL(filePath: "/")
        let client = HTTPClient(transport: StubTransport())
    }

    private static func authentications() -> [Any] {
        let tokens = TokenSource("hunter2") { _ in "hunter2" }
        let authentications: [Authentication] = [
            .basic(user: "ann", password: "hunter2"), .bearer("hunter2"), .bearer(tokens),
            .apiKey("hunter2", header: "X-Acme-Key"), .apiKey("hunter2", query: "key"),
            .digest(user: "ann", password: "hunter2"),
        ]
        return authentications + [tokens]
    }

    private static func values() throws -> [Any] {
        let request = try request()
        let response = try response(request)
        let errors = errors(request, response)
        let route = try route()
        let results: [Result<String, any Error>] = [.success("hunter2"), .failure(errors[0])]
        let messages: [Any] = [
            request, request.headers, request.headers[0], request.body as Any, response, response.redirects,
            response.informational, response.trailers,
        ]
        let routes: [Any] = [
            route, route.params, route.params.items[0].value, route.multipart as Any, route.body as Any,
            API().request(route),
        ]
        let read: [Any] = results.map { Response(request: request, response: response, result: $0) }
        return try messages + errors + errors.map(\.kind) + events(request, response) + routes + read
            + authentications()
            + configurations()
    }

    @Test("no printed value reveals a secret")
    func shown() throws {
        for value in try Self.values() {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [dumped, String(reflecting: value), String(describing: value), "\([value])", "\((1, value))"] {
                #expect(!text.contains("hunter2"), "\(type(of: value)): \(text)")
            }
        }
    }

    @Test("a printed value still shows which one it is")
    func told() throws {
        var dumped = ""
        dump(try Self.request(), to: &dumped)
        #expect(dumped.contains("POST https://ann.example/x?tenant=***&token=***"))
        let response = Response(
            request: nil, response: HTTPResponse(status: 204, url: try Self.request().url), result: .success(1))
        #expect("\(response)" == "204 https://ann.example/x [], 0 bytes")
        #expect("\(Parameters(["a": 1]))" == "[a]" && "\([.text("x", name: "b")] as [MultipartPart])" == "[b]")
    }
}
