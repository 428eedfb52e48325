import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

// The examples of the article with recipes, word for word. RecipesTests sends the requests.

// swift-format-ignore
enum RecipesArticle {
struct Tenant: Authenticator {
    let id: String

    func authenticate(_ request: inout HTTPRequest) async throws {
        request.headers["X-Tenant"] = id
    }

    func recover(from response: HTTPResponse, to request: HTTPRequest)
        async throws -> Bool
    { false }
}

struct TenantAPI: HTTPProvider {
    let baseURL: URL
    let authentication = Authentication(Tenant(id: "t-7"), allowsHTTP: true)
}

struct VersionedAPI: HTTPProvider {
    let baseURL: URL
    let additionalHeaders: HTTPHeaders = ["X-API-Version": "2"]
}

struct LenientAPI: HTTPProvider {
    let baseURL: URL

    func validate(_ response: HTTPResponse) async throws {
        if response.status != 404 { try response.requireSuccess() }
    }
}

static func parameters() -> [Route] {
let nested = Route(
    path: "/search", method: .post,
    params: [
        "filter": ["age": ["min": 18] as Parameters, "tags": ["a", "b"]]
            as Parameters
    ])
let inQuery = Route(
    // filter[age]=18
    path: "/search", params: ["filter": ["age": 18] as Parameters])
let commas = Route(
    path: "/search", params: ["ids": [1, 2, 3]], encoding: .url(arrays: .commas)
)  // ids=1,2,3
let brackets = Route(
    // ids[]=1&ids[]=2
    path: "/search", params: ["ids": [1, 2]], encoding: .url(arrays: .brackets))
let login = Route(
    path: "/login", method: .post, params: ["user": "ann", "code": 7],
    encoding: .form)
return [nested, inQuery, commas, brackets, login]
}

static func headerFields() throws -> Route {
var headers: HTTPHeaders = [
    "Accept": "application/json", "X-Tag": "a", "X-Tag": "b",
]
try headers.append("c", for: "X-Tag")
headers["Accept"] = "application/vnd.example+json"
let tagged = Route(path: "/items", headers: headers)
return tagged
}

static func bodies(_ bytes: Data, _ file: URL) -> [Route] {
let xml = Route(
    path: "/orders", method: .post,
    body: .data(bytes, contentType: "application/xml"))
let text = Route(path: "/notes", method: .put, body: .text("remember"))
let query = Route(
    path: "/graphql", method: .post, body: .json(["query": "{ me { name } }"]))
let upload = Route(path: "/logs", method: .post, body: .file(file)).compressed()
return [xml, text, query, upload]
}

static func limits() -> [Route] {
let report = Route(path: "/report").timeout(.seconds(120))
let watch = Route(path: "/watch").idleTimeout(.seconds(3600))
let naive = Route(path: "/logs")
    .mapper(ObjectMapper(dates: .iso8601(assuming: .gmt)))
return [report, watch, naive]
}

static func clients() -> [HTTPClient] {
let client = HTTPClient(
    engine: EngineConfiguration(proxy: .http("proxy.example.com", port: 3128)))
let stub = StubTransport()
    .on(.get, "/user/{id}", .json(text: #"{"name":"Ann"}"#))
let tested = HTTPClient(transport: stub)
let branded = HTTPClient(
    configuration: HTTPClient.Configuration(
        headers: ["Accept": "*/*", "User-Agent": "Shop/2.0"]))
return [client, tested, branded]
}

static func dates() -> ObjectMapper {
let days = ObjectMapper(
    dates: .custom { decoder in
        try Date(
            decoder.singleValueContainer().decode(String.self),
            strategy: .iso8601.year().month().day())
    } encode: { date, encoder in
        var container = encoder.singleValueContainer()
        try container.encode(date.formatted(.iso8601.year().month().day()))
    })
return days
}

static func conditional(_ api: some HTTPProvider, _ etag: String, _ show: (String) -> Void) async throws {
let again = Route(path: "/news", headers: ["If-None-Match": etag])
do { show(try await api.request(again).text()) } catch HTTPError.status(304) {
    print("not modified")
}
print(try api.prepare(again).curlCommand())
}

static func standardInput() -> Route {
let input = AsyncThrowingStream {
    try FileHandle.standardInput.read(upToCount: 65_536)
}
let piped = Route(path: "/import", method: .post, body: .stream(input))
return piped
}

static func page(_ url: URL) async throws -> String {
let page = try await DefaultProvider().request(Route(url: url)).text()
return page
}
}

private struct Tool {
    func run(_ route: Route, _ api: some HTTPProvider) async -> Int32 {
        let task = Task { try await api.request(route).text() }
        #if canImport(Darwin)
            signal(SIGINT, SIG_IGN)  // on Linux, this would silence the source
        #endif
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT)
        interrupt.setEventHandler { task.cancel() }
        interrupt.resume()
        defer { interrupt.cancel() }
        do { print(try await task.value) } catch { return exitStatus(error) }
        return 0
    }

    func exitStatus(_ error: any Error) -> Int32 {
        if error is CancellationError { return 130 }
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        return switch (error as? HTTPError)?.kind {
        case .hostNotFound, .cannotConnect, .tls, .connectionLost, .timedOut: 69
        case .status(401), .status(403): 77
        default: 1
        }
    }
}

struct CommandLineToolTests {
    @Test func `an error has an exit status`() {
        let kinds: [HTTPError.Kind] = [.hostNotFound("a"), .tls(.expired), .status(401), .status(403), .status(404)]
        #expect(kinds.map { Tool().exitStatus(HTTPError($0)) } == [69, 69, 77, 77, 1])
        #expect(Tool().exitStatus(CancellationError()) == 130)
    }
}
