// Only Halyard is imported. Each error names the module to import.
import Foundation
import Halyard

struct User: Codable, Sendable { var name = "" }
struct API: HTTPProvider { let baseURL = URL(string: "https://api.example.com")! }

func await(_ request: Request, _ file: URL) async throws {
    // error: 'object(at:)' is unavailable: import HalyardAsync to await an object
    let user: User = try await request.object()
    // error: 'object(_:at:)' is unavailable: import HalyardAsync to await an object
    print(user, try await request.object([User].self, at: "data.users"))
    // error: 'response()' is unavailable: import HalyardAsync to await a response
    print(try await request.response())
    // error: 'data()' is unavailable: import HalyardAsync to await a response
    print(try await request.data())
    // error: 'text()' is unavailable: import HalyardAsync to await a response
    print(try await request.text())
    // error: 'json()' is unavailable: import HalyardAsync to await a response
    print(try await request.json())
    // error: 'void()' is unavailable: import HalyardAsync to await a response
    try await request.void()
    // error: 'value' is unavailable: import HalyardAsync to await a response
    print(try await request.value(.text))
    // error: 'download(to:resuming:sha256:)' is unavailable: import HalyardAsync to await a download
    print(try await request.download(to: file))
}

func read(_ request: Request) async throws {
    // error: 'lines' is unavailable: import HalyardAsync to read a stream
    for try await line in request.lines { print(line) }
    // error: 'events' is unavailable: import HalyardAsync to read a stream
    for try await event in request.events { print(event) }
    // error: 'events(of:until:)' is unavailable: import HalyardAsync to read a stream
    for try await user in request.events(of: User.self, until: "[DONE]") { print(user) }
    // error: 'elements(of:at:)' is unavailable: import HalyardAsync to read a stream
    for try await user in request.elements(of: User.self, at: "users") { print(user) }
    // error: 'progress' is unavailable: import HalyardAsync for a sequence of progress
    for try await progress in request.progress(.upload) { print(progress) }
}

func handle(_ request: Request) {
    // error: 'responseObject(of:at:_:)' is unavailable: import HalyardCodable to decode objects
    request.responseObject { (response: Response<User>) in print(response.result) }
    // error: 'future(of:at:)' is unavailable: import HalyardFutures for futures
    let future = request.future(of: User.self)
    print(future as Any)
}

func use(_ api: API, _ route: Route) async throws {
    // error: 'pages(_:by:)' is unavailable: import HalyardAsync to read pages
    for try await page in api.pages(route, by: .link) { print(page) }
    // error: 'webSocket(_:subprotocols:)' is unavailable: import HalyardWebSocket for WebSockets
    _ = try await api.webSocket(route)
    // error: 'invoke(_:_:arguments:encoding:content:returning:)' is unavailable: import HalyardEndpoints to invoke a method and a path
    let user: User = try await api.invoke(.get, "/me")
    // error: 'json' is unavailable: import HalyardCodable to send an Encodable value
    _ = Route(path: "/users", method: .post, body: .json(user))
}

// error: 'rateLimit(_:per:burst:maximumWait:by:)' is unavailable: import HalyardLimits for limits
let limited: [ClientPolicy] = [.rateLimit(5, per: .seconds(1))]
// error: 'cache' is unavailable: import HalyardCache for a cache
let cached = HTTPClient(configuration: .init(policies: [.cache(.memory())]))
