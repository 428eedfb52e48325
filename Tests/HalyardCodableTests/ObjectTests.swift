import Dispatch
import Foundation
import HalyardCodable
import HalyardTesting
import Testing

/// Objects from responses, and from requests with handlers.
struct ObjectTests {
    struct User: Codable, Equatable {
        var id: Int
        var name: String?
    }
    struct Event: Codable, Equatable { var at: Date }

    struct API: HTTPProvider {
        let baseURL = URL(string: "https://h")!
        let client: HTTPClient
    }

    private func response(_ body: String) -> HTTPResponse {
        HTTPResponse(status: 200, data: Data(body.utf8), url: URL(string: "https://h/")!)
    }

    @Test(arguments: [(#"{"id":1}"#, User(id: 1)), (#"{"name":"é","id":2,"more":[]}"#, User(id: 2, name: "é"))])
    func `an object is decoded by an explicit or an inferred type`(_ json: String, _ user: User) throws {
        #expect(try response(json).object(User.self) == user)
        let inferred: User = try response(json).object()
        #expect(inferred == user)
    }

    @Test func `a value does not have to be an object`() throws {
        #expect(try response("[1,2]").object([Int].self) == [1, 2])
        var text = response("\"a\"")
        #expect(try text.object(String.self) == "\"a\"" && text.object(Data.self) == Data("\"a\"".utf8))
        text.headers[.contentType] = "application/json"
        #expect(try text.object(String.self) == "a" && text.object(String?.self) == "a")
        #expect(try response("").object(String?.self) == nil && response("").object(Data?.self) == nil)
        #expect(try response("null").object(Int?.self) == nil)
        #expect(try response("{\"a\":[1]}").object(JSON.self)["a"][0] == 1)
    }

    @Test(arguments: [(0, "0"), (1.005, "1005"), (-1.5, "-1500"), (1_700_000_000.123, "1700000000123")])
    func `dates decode from milliseconds since 1970, as in parameters`(_ seconds: Double, _ milliseconds: String) throws
    {
        let event = try response("{\"at\":\(milliseconds)}").object(Event.self)
        #expect(abs(event.at.timeIntervalSince1970 - seconds) < 0.0001)
        #expect(("/\(event.at)" as RoutePath).path == "/\(milliseconds)")
    }

    @Test func `an empty body is nil for an optional and fails for any other type`() throws {
        #expect(try response("").object(User?.self) == nil)
        #expect(try response("").object([User]?.self) == nil)
        #expect(throws: HTTPError(.emptyResponse)) { _ = try response("").object(User.self) }
        #expect(throws: HTTPError(.emptyResponse)) { _ = try response("").object([User?].self) }
        #expect(throws: HTTPError(.emptyResponse)) { _ = try response("").object(JSON.self) }
        let error = #expect(throws: HTTPError.self) { _ = try response("").object(User.self) }
        #expect(error?.response?.status == 200 && error?.recoverySuggestion != nil)
    }

    @Test(arguments: [" ", "\n", "\r\n\r\n", " \t\r\n "])
    func `a blank body counts as empty`(_ body: String) throws {
        #expect(try response(body).object(User?.self) == nil)
        #expect(throws: HTTPError(.emptyResponse)) { _ = try response(body).object(User.self) }
        #expect(throws: HTTPError(.emptyResponse)) { _ = try response(body).object(User.self, at: "a.b") }
        #expect(throws: HTTPError(.emptyResponse)) { _ = try response(body).object(JSON.self) }
        #expect(throws: HTTPError(.emptyResponse)) { _ = try response(body).json() }
        #expect(throws: HTTPError(.emptyResponse)) {
            _ = try ResponseSerializer<User>.value().value(response(body), .standard)
        }
        #expect(try ResponseSerializer<User?>.value().value(response(body), .standard) == nil)
        // Text and bytes are what they are.
        #expect(try response(body).object(String.self) == body)
        #expect(try response(body).object(Data.self) == Data(body.utf8))
        var json = response(body)
        json.headers[.contentType] = "application/json"
        #expect(throws: HTTPError(.emptyResponse)) { _ = try json.object(String.self) }
        #expect(try json.object(String?.self) == nil)
    }

    @Test func `a type that is not Sendable can be decoded`() throws {
        final class Box: Decodable { var id = 0 }
        #expect(try response(#"{"id":7}"#).object(Box.self).id == 7)
    }

    // MARK: By callback

    private let stub = StubTransport()
        .on(.get, "/user", .json(User(id: 1, name: "Ann"))).on(.get, "/bad", .json(["id": "x"])).on(
            .get, "/none", .status(204)
        )
        .on(.get, "/gone", .json(["id": 1], status: 410))

    private func request(_ path: String) -> Request {
        API(client: HTTPClient(transport: stub)).request(Route(path: RoutePath(verbatim: path)))
    }

    private func answer<Value: Sendable>(_ start: (@escaping @Sendable (Response<Value>) -> Void) -> Void) async
        -> Response<Value>
    {
        await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
    }

    @Test(.timeLimit(.minutes(3))) func `a handler gets the object, with its type inferred or named`() async {
        let inferred: Response<User> = await answer { request("/user").responseValue(.object(), on: .global(), $0) }
        let named = await answer { request("/user").responseValue(.object(User.self), on: .global(), $0) }
        let queued = await answer { request("/user").responseValue(.object(User.self), on: .global(), $0) }
        for response in [inferred, named, queued] {
            #expect(response.value == User(id: 1, name: "Ann"))
            #expect(response.isSuccessful && response.status == 200 && response.error == nil)
        }
    }

    @Test(.timeLimit(.minutes(3))) func `a handler without a queue runs on the main actor`() async {
        let isMain = await withCheckedContinuation { continuation in
            request("/user").responseObject(of: User.self) { _ in
                MainActor.assertIsolated()
                continuation.resume(returning: true)
            }
        }
        #expect(isMain)
    }

    @Test(.timeLimit(.minutes(3))) func `a handler with a queue runs on it`() async {
        let queue = DispatchQueue(label: "handlers")
        let response: Response<User> = await answer { done in
            request("/user").responseValue(.object(), on: queue) { (response: Response<User>) in
                dispatchPrecondition(condition: .onQueue(queue))
                done(response)
            }
        }
        #expect(response.value?.id == 1)
    }

    @Test(.timeLimit(.minutes(3))) func `a handler gets the error with its request and response`() async throws {
        let bad = await answer { request("/bad").responseValue(.object(User.self), on: .global(), $0) }
        let error = try #require(bad.error as? HTTPError)
        #expect(error == HTTPError.decoding && error.request?.url.path() == "/bad")
        #expect(bad.status == 200 && !bad.isSuccessful && bad.value == nil && !bad.data.isEmpty)

        let none = await answer { request("/none").responseValue(.object(User.self), on: .global(), $0) }
        #expect(none.error.map { $0 == HTTPError(.emptyResponse) } == true)
        let optional = await answer { request("/none").responseValue(.object(User?.self), on: .global(), $0) }
        #expect(optional.error == nil && optional.value == .some(nil))

        let gone = await answer { request("/gone").responseValue(.object(User.self), on: .global(), $0) }
        #expect(gone.error.map { $0 == HTTPError.status(410) } == true && gone.value == nil)
    }
}
