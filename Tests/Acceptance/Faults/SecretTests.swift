import ContractEngines
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Requests with a secret in every possible place, which no printed text may contain.
struct SecretTests {
    private struct SecretAPI: HTTPProvider {
        var baseURL: URL
        var client: HTTPClient
        let additionalHeaders = ["X-Api-Key": "s3cret-key", "X-Tenant": "s3cret-tenant", "Cookie": "id=s3cret-cookie"]
        let additionalParams = ["access_token": "s3cret-query", "tenant": "s3cret-own-query"]
        let secretNames = ["X-Tenant", "tenant"]
    }

    private struct Login: Interceptor {
        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            var request = request
            request.headers[.authorization] = "Bearer s3cret-header"
            request.headers["Proxy-Authorization"] = "Basic s3cret-proxy"
            return try await next.proceed(request)
        }
    }

    @Test("configurations and authentications print without their secrets", .behaviors(130))
    func configuration() {
        let proxy = EngineConfiguration.Proxy.http("h.example", port: 1, user: "ann", password: "s3cret")
        let file = URL(filePath: "/x/client.pem")
        let engine = EngineConfiguration(
            tls: .init(clientCertificate: .init(certificate: file, key: file, password: "s3cret")), proxy: proxy)
        let authentications: [Authentication] = [
            .basic(user: "ann", password: "s3cret"), .bearer("s3cret"), .apiKey("s3cret", header: "X-Key"),
            .digest(user: "ann", password: "s3cret"), .none,
        ]
        for printed in ["\(engine)", String(reflecting: engine), "\(authentications)", "\([engine])"] {
            #expect(!printed.contains("s3cret"))
        }
        #expect("\(engine)".contains("/x/client.pem") && "\(engine)".contains("http://h.example:1"))
    }

    /// A text of a server or an engine that contains every secret of the request.
    private static func gossip(_ request: RecordedRequest) -> String {
        let told = request.headers.map(\.value) + request.queryItems.map(\.value) + [request.target]
        let body = ["s3cret-form", "s3cret-json"].filter(request.text.contains)
        return (told + body).joined(separator: " ") + " https://ann:s3cret-user@h/x?access_token=s3cret-url"
    }

    private static let routes = [
        Route(path: "/x", params: ["q": "halyard"]),
        Route(path: "/x", method: .post, params: ["name": "ann", "password": "s3cret-form"], encoding: .form),
        Route(
            path: "/x", method: .post, body: .json(["user": ["password": "s3cret-json", "pin": [1, "s3cret-json"]]])),
        Route(path: "/x", method: .post, multipart: [.text("s3cret-part", name: "password"), .text("b", name: "a")]),
    ]

    @Test(
        "no secret appears in a log line, an error, a curl command or any other printed value", .behaviors(130),
        .faults(55),
        arguments: (0..<5).map { (Engine.stub, $0) } + Engine.wire.flatMap { [($0, 1), ($0, 4)] })
    func nothingPrinted(engine: Engine, answer: Int) async throws {
        let printed = Lock<[String]>([])
        let note: @Sendable (String) -> Void = { text in printed.withLock { $0.append(text) } }
        let (stub, server) = (StubTransport(), try LoopbackServer())
        for method in [HTTPMethod.get, .post] {
            stub.on(method, "/x") { try Self.answer(answer, Self.gossip($0)) }
            server.on(method, "/x") { try Self.answer(answer, Self.gossip($0)) }
        }
        let log = EventLog.custom { event in
            for detail in [EventLog.Detail.lines, .headers, .bodies] { note(event.text(detail)) }
            note("\(event) \(String(reflecting: event)) \(String(describing: event.request)) \([event.response])")
        }
        let transport = engine == .stub ? stub : engine.make()
        let client = HTTPClient(transport: transport, interceptors: [Login()], log: log)
        let url = try engine == .stub ? #require(URL(string: "https://h.example")) : server.baseURL
        let api = SecretAPI(baseURL: url, client: client)
        for route in Self.routes {
            let request = try api.prepare(route)
            note(request.curlCommand())
            note("\(request) \(String(reflecting: request)) \([request.headers]) \(route)")
            #expect(request.curlCommand(showingSecrets: true).contains("s3cret-key"))
            let response = await response { api.request(route).responseValue(.json, on: .global(), $0) }
            note("\(String(describing: response.request)) \(String(describing: response.response))")
            if let error = response.error {
                note("\(error) \(error.localizedDescription) \(String(reflecting: error)) \(response)")
                note((error as? HTTPError).map { "\($0.kind) \([$0]) \($0.recoverySuggestion ?? "")" } ?? "")
            }
        }
        // A received request does not know which query names the provider declares as secret.
        #expect(stub.requests.count + server.requests.count == 4)
        for request in stub.requests + server.requests { note("\(request)".replacing("s3cret-own-query", with: "")) }
        let error = await response {
            DefaultProvider.request("https://ann:s3cret-user@h/?key=s3cret-url").responseData($0)
        }
        note("\(error) \(String(reflecting: error.error))")

        let texts = printed.withLock { $0 }
        #expect(texts.contains { $0.contains("halyard") } && texts.contains { $0.contains("Bearer ***") })
        for text in texts { #expect(!text.contains("s3cret"), "\(text)") }
    }

    private static func answer(_ number: Int, _ gossip: String) throws -> StubResponse {
        let headers: HTTPHeaders = [
            "Set-Cookie": "id=s3cret-set",
            "Location": "https://ann:s3cret-user@h/x?code=s3cret-code#id_token=s3cret-url",
            "X-Echo": gossip, "X-Auth-Token": "s3cret-response",
        ]
        return switch number {
        case 0: .json(["token": "s3cret-body", "said": .string(gossip)] as JSON, headers: headers)
        case 1: .text(gossip, status: 401, headers: headers)
        case 2: .json(["token": "s3cret-body", "said": .string(gossip)] as JSON, status: 422, headers: headers)
        case 3: throw HTTPError(.connectionLost, reason: gossip, suggestion: gossip)
        default: .text("no JSON: " + gossip, status: 302, headers: headers)
        }
    }
}
