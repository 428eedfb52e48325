import Foundation
import HalyardAsync
import HalyardTesting
import HalyardWebSocket
import Testing

// The examples in the comments of central types, word for word: they compile, and none is run.

extension Route {
    fileprivate static let feed = Route(path: "/feed")
}

private struct CSV: ValueSerializer {
    let contentType = "text/csv"
    func decode(from response: HTTPResponse) throws -> [[String]] { [] }
    func encode(_ value: [[String]]) throws -> Data { Data() }
}

private func show(_ value: Any) {}

// swift-format-ignore
@MainActor private func examples(
    _ api: MusicAPI, _ name: String, _ saved: String?, _ socket: WebSocket
) async throws {
var saved = saved
do {
api.request(.me).responseObject { (response: Response<User>) in
    switch response.result {
    case .success(let user): show(user)
    case .failure(let error): print(response.status ?? 0, error)
    }
}
}
do {
let response = try await api.request(.me).response()
print(response.status, response.headers["ETag"] ?? "none", response.text)
let user: User = try response.object()
    _ = response
    _ = user
}
do {
var redirects = RedirectPolicy.follow
redirects.limit = 3
let client = HTTPClient(configuration: .init(redirects: redirects))
let response = try await api.request(Route.me.redirects(.never)).response()  // the 302 itself
    _ = client
    _ = response
}
do {
var policy = ReconnectPolicy.upTo(attempts: 20)
policy.delay = .seconds(1)
for try await event in api.request(.feed).events.reconnecting(policy) { show(event) }
}
do {
let byLink = api.pages(.me, by: .link)
let byCursor = api.pages(.me, by: .cursor(at: "meta.next", as: "after"))
let byNumber = api.pages(.me, by: .number(items: "items", last: "meta.last_page"))
    _ = byLink
    _ = byCursor
    _ = byNumber
}
do {
struct ClientID: Authenticator {
    let id: String

    func authenticate(_ request: inout HTTPRequest) async throws {
        request.headers["X-Client-ID"] = id
    }
}
let authentication = Authentication(ClientID(id: "7"))
    _ = authentication
}
do {
let login = Route(path: "/login", method: .post, params: ["name": name], encoding: .form)
let search = Route(path: "/search", params: ["ids": [1, 2]], encoding: .url(arrays: .commas))
    _ = (login, search)
}
do {
let serializers: Serializers = [CSV()]
    _ = serializers
}
do {
try await socket.send(.text("hello"))
if case .binary(let data) = try await socket.receive() { show(data) }
}
do {
let stub = StubTransport().on(.get, "/feed", .events([ServerSentEvent(data: "hello", id: "7")]))
    _ = stub
}
do {
api.request(.me).uploadProgress { progress in show(progress.fraction ?? 0) }
}
do {
let dry = api.dry()
try await dry.request(.me).void()  // an empty 200, and nothing is sent
}
do {
for try await user in api.request(.feed).events(of: User.self).named("joined").reconnecting() { show(user) }
}
do {
let users = api.pages(.me, by: .link).limited(to: 10).prefetching().items(of: User.self)
for try await user in users { show(user) }
}
do {
for try await page in api.pages(.me, by: .link, from: saved.flatMap(PageCursor.init(rawValue:))) {
    saved = page.next?.rawValue
}
}
do {
let patient = HTTPClient(configuration: .init(retry: .upTo(attempts: 3), retryBudget: RetryBudget(ratio: 0.5)))
    _ = patient
}
_ = saved
}

struct DocumentedTypesTests {
    @Test(
        "the example in the documentation comment of each central type compiles",
        arguments: [
            ("Response", "Sources/Halyard/Response/Response.swift"),
            ("HTTPResponse", "Sources/HalyardHTTP/Message/HTTPResponse.swift"),
            ("RedirectPolicy", "Sources/Halyard/Pipeline/RedirectPolicy.swift"),
            ("ReconnectPolicy", "Extensions/HalyardAsync/Streams/Reconnection.swift"),
            ("Paging", "Extensions/HalyardAsync/Pages/Paging.swift"),
            ("Authenticator", "Sources/Halyard/Authentication/Authenticator.swift"),
            ("ParameterEncoding", "Sources/Halyard/Encoding/ParameterEncoding.swift"),
            ("Serializers", "Sources/Halyard/Response/Serializer.swift"),
            ("WebSocketMessage", "Extensions/HalyardWebSocket/Values/WebSocketMessage.swift"),
            ("ServerSentEvent", "Sources/Halyard/Response/ServerSentEvent.swift"),
            ("TransferProgress", "Sources/HalyardHTTP/Transport/TransferProgress.swift"),
            ("DryProvider", "Sources/Halyard/Provider/DryMode.swift"),
            ("ResponseEvents", "Extensions/HalyardAsync/Streams/ResponseEvents.swift"),
            ("ResponsePages", "Extensions/HalyardAsync/Pages/ResponsePages.swift"),
            ("PageCursor", "Extensions/HalyardAsync/Pages/Paging.swift"),
            ("RetryBudget", "Sources/Halyard/Pipeline/RetryPolicy.swift"),
        ])
    func compiles(type: String, file: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let source = try String(contentsOf: root.appending(path: file), encoding: .utf8)
        let here = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let comments = source.components(separatedBy: "\n\n")
        let declaration = try Regex("\npublic (final )?(struct|enum|protocol|class) \(type)\\b")
        let comment = try #require(comments.first { $0.firstMatch(of: declaration) != nil })
        let lines = comment.split(separator: "\n").filter { $0.hasPrefix("///") }.map { $0.dropFirst(4) }
        let block = lines.joined(separator: "\n").components(separatedBy: "```")
        try #require(block.count == 3)
        #expect(here.contains(block[1].dropFirst("swift".count)))
    }
}
