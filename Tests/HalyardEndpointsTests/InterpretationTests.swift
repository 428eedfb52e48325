import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Rows 65 to 69 and 87 to 93 of the acceptance table: how responses are decoded.
@Suite(.timeLimit(.minutes(3)))
struct InterpretationTests {
    private let stub = StubTransport()
    private static let me = Endpoint(.get, "/me", returning: User.self)

    /// Replaces the response.
    private struct Replacing: Interceptor {
        let status: Int
        let body: String
        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            var response = try await next.proceed(request)
            response.status = status
            response.data = Data(body.utf8)
            return response
        }
    }

    @Test("an interceptor replaces status and body before anything is decoded", .behaviors(65))
    func replaced() async throws {
        stub.on(.get, "/me", .status(500))
        let api = TestAPI(stub, Replacing(status: 200, body: #"{"id":"7","name":"Eve"}"#))
        #expect(try await api.send(Self.me) == User(id: "7", name: "Eve"))
    }

    @Test("the provider can turn a 404 into a value and a 200 into a failure", .behaviors(66))
    func interpreted() async throws {
        stub.on(.get, "/me", .json(User(id: "0", name: "nobody"), status: 404), .json(User(id: "1", name: "Ann")))
        struct Unwanted: Error {}
        let api = TestAPI(stub).with(\.onValidate) { if $0.status != 404 { throw Unwanted() } }
        let first = await api.call(Self.me).response()
        #expect(first.value?.name == "nobody")
        // The body has the value, but the status is not a success.
        #expect(!first.isSuccessful && first.status == 404 && first.error == nil)
        let second = await api.call(Self.me).response()
        #expect(second.error is Unwanted && second.value == nil && !second.isSuccessful)
    }

    @Test("an interceptor runs around each start of a call", .behaviors(68))
    func wrapped() async throws {
        struct Recorder: Interceptor {
            let log: Log<String>
            func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
                log.add("before \(request.method)")
                defer { log.add("after") }
                return try await next.proceed(request)
            }
        }
        stub.on(.get, "/me", .json(User(id: "1", name: "Ann")))
        let log = Log<String>()
        let call = TestAPI(stub, Recorder(log: log)).call(Self.me)
        _ = try await call.value()
        _ = await call.response()
        #expect(log.entries == ["before GET", "after", "before GET", "after"])
    }

    @Test("a digest challenge is answered by a second request", .behaviors(69))
    func digest() async throws {
        let nonce = "dcd98b7102dd2f0e8b11d0f600bfb0c093"
        stub.on(
            .get, "/dir/index.html",
            .status(401, headers: ["WWW-Authenticate": #"Digest realm="testrealm@host.com", nonce="\#(nonce)""#]),
            .text("in"))
        struct API: HTTPProvider {
            let baseURL = URL(string: "https://www.example.com")!
            let authentication = Authentication.digest(user: "Mufasa", password: "CircleOfLife")
            let client: HTTPClient
        }
        let api = API(client: HTTPClient(transport: stub))
        #expect(try await api.request(Route(path: "/dir/index.html")).text() == "in")
        let sent = try #require(stub.requests.last?.headers[.authorization])
        // The example of RFC 2069, as its errata have it.
        #expect(sent.contains(#"response="1949323746fe6a43ef61f9606e7febea""#))
    }

    @Test(
        "a response provides the request, data, error, body, status, headers and success", .behaviors(87),
        .defects("BR26"))
    func fields() async throws {
        stub.on(.get, "/me", .json(User(id: "1", name: "Ann"), headers: ["X-A": "1"]), .text("gone", status: 410))
        let good = await TestAPI(stub).call(Self.me).response()
        #expect(good.request?.url.absoluteString == "https://api.example.com/v1/me")
        #expect(good.data == Data(#"{"id":"1","name":"Ann"}"#.utf8))
        #expect(good.error == nil && good.isSuccessful)
        #expect(good.response?.url.absoluteString == "https://api.example.com/v1/me")
        #expect(good.body == User(id: "1", name: "Ann") && good.body == good.value)
        #expect(good.status == 200 && good.headers["X-A"] == "1")
        let bad = await TestAPI(stub).call(Self.me).response()
        #expect(bad.body == nil && !bad.isSuccessful && bad.status == 410 && bad.data == Data("gone".utf8))
        #expect(bad.error == HTTPError.status(410))
    }

    @Test("errors follow the stages: building, connection, status, decoding", .behaviors(88))
    func order() async throws {
        let api = TestAPI(stub)
        let build = Endpoint(.get, "/me/{id}", .path("id"), returning: User.self)
        #expect((await api.call(build("..")).response().error as? HTTPError)?.kind == .invalidPath("/me/.."))
        let unreachable = TestAPI(baseURL: try #require(URL(string: "http://127.0.0.1:1")))
        let connection = await unreachable.call(Self.me).response()
        #expect(connection.error == HTTPError(.cannotConnect("http://127.0.0.1:1")) && connection.response == nil)
        stub.on(.get, "/me", .text("ERROR", status: 400), .text("ERROR"), .json(User(id: "1", name: "Ann")))
        #expect(await api.call(Self.me).response().error == HTTPError.status(400))
        #expect(await api.call(Self.me).response().error == HTTPError.decoding)
        #expect(await api.call(Self.me).response().body?.name == "Ann")
    }

    @Test("a connection error includes a reason and a suggestion", .behaviors(89))
    func connection() async throws {
        let unreachable = TestAPI(baseURL: try #require(URL(string: "http://127.0.0.1:1")))
        let error = try #require(await unreachable.call(Self.me).response().error as? HTTPError)
        #expect(error.errorDescription?.contains("http://127.0.0.1:1") == true)
        #expect(error.recoverySuggestion?.isEmpty == false)
    }

    @Test("a decoding error names the decoder and the type, and includes a cause and the response", .behaviors(90))
    func decoding() async throws {
        stub.on(.get, "/me", .json(text: #"{"id":"1"}"#))
        let error = try #require(await TestAPI(stub).call(Self.me).response().error as? HTTPError)
        #expect(error.kind == .decoding && error.cause is DecodingError)
        #expect(error.reason?.contains("name") == true && error.reason?.contains("User") == true)
        #expect(error.response?.text == #"{"id":"1"}"#)
    }

    @Test("a body that cannot be encoded fails the call", .behaviors(91))
    func encoding() async throws {
        struct Endless: Encodable, Sendable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "no end"))
            }
        }
        let put = Endpoint(.put, "/x", .json(Endless.self))
        let error = try #require(await TestAPI(stub).call(put(Endless())).response().error as? HTTPError)
        #expect(error.kind == .encoding("the body") && error.cause is EncodingError)
        #expect(error.reason?.contains("Endless") == true && stub.requests.isEmpty)
        // Code that must not compile is tested in Tests/Negative.
    }

    @Test("a Void response ignores the data but not errors", .behaviors(92))
    func void() async throws {
        stub.on(.get, "/ping", .text("whatever"), .text("whatever", status: 500))
        let ping = Endpoint(.get, "/ping")
        #expect(await TestAPI(stub).call(ping).response().isSuccessful)
        #expect(await TestAPI(stub).call(ping).response().error == HTTPError.status(500))
    }

    @Test("every error has a description and a suggestion", .behaviors(93))
    func described() {
        let errors: [HTTPError] = [
            .status(404), .status(503), HTTPError(.tls(.expired)), HTTPError(.hostNotFound("h")),
            HTTPError(.cannotConnect("http://h")),
            HTTPError(.bodyTooLarge(limit: 1)), HTTPError(.headersTooLarge(limit: 1)),
            HTTPError(.configuration("proxy")), HTTPError(.emptyResponse),
            HTTPError(.unreadableFile("/x")), HTTPError(.unwritableFile("/x")), HTTPError(.bodyConsumed),
            HTTPError(.invalidURL("x")), HTTPError(.invalidMethod("x")),
            HTTPError(.invalidHeader("x")), HTTPError(.invalidPath("x")), HTTPError(.encoding("x")),
            HTTPError(.noStub("GET /x")), .decoding, HTTPError(.stopped), .cancelled,
            .timedOut, .connectionLost, HTTPError(.invalidResponse), HTTPError(.engineUnavailable),
            HTTPError(.shutDown),
        ]
        for error in errors {
            #expect(error.errorDescription?.isEmpty == false, "\(error.kind)")
            #expect(error.recoverySuggestion?.isEmpty == false, "\(error.kind)")
            #expect((error as any LocalizedError).localizedDescription == error.errorDescription)
        }
    }
}
