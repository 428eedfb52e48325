import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// The parts of responses.
struct ResponseTests {
    @Test(
        "a response includes its status, headers and data, which is empty without a body", .behaviors(70),
        arguments: [HTTPMethod.get, .post, .put, .delete])
    func parts(method: HTTPMethod) async throws {
        let server = try LoopbackServer().on(method, "/api/me", .text("hello", headers: ["X-A": "b"]), .status(200))
        let api = TestAPI(server)
        let full = await response { api.request(Route(path: "/me", method: method)).response($0) }
        #expect(full.status == 200)
        #expect(full.headers["x-a"] == "b")
        #expect(String(decoding: full.data, as: UTF8.self) == "hello")
        #expect(full.error == nil && full.isSuccessful)
        #expect(full.request?.method == method)

        let empty = await response { api.request(Route(path: "/me", method: method)).responseData($0) }
        #expect(empty.data.isEmpty && empty.value == Data())

        server.stop()
        let failed = await response { api.request(Route(path: "/me", method: method)).response($0) }
        #expect(failed.response == nil && failed.data.isEmpty && failed.error != nil)
    }

    @Test("any JSON value is read; empty and invalid bodies fail with the response", .behaviors(71))
    func json() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/me", .json(text: #""fragment""#), .status(200), .text("<html>"))
        let api = TestAPI(server)
        let fragment = await response { api.request(.me).responseJSON($0) }
        #expect(fragment.value == "fragment")
        let empty = await response { api.request(.me).responseJSON($0) }
        #expect(empty.error! == HTTPError(.emptyResponse))
        let broken = await response { api.request(.me).responseJSON($0) }
        #expect(broken.error! == HTTPError.decoding)
        #expect((broken.error as? HTTPError)?.cause is JSON.ParseError)
        #expect(String(decoding: broken.data, as: UTF8.self) == "<html>")
        #expect(broken.status == 200)
    }

    @Test("returns an object, or an error with the DecodingError and the data", .behaviors(72))
    func object() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/me", .json(User(id: "1", name: "Ann")), .json(text: #"{"id":1}"#))
        let api = TestAPI(server)
        let good: Response<User> = await response { api.request(.me).responseObject($0) }
        #expect(good.value == User(id: "1", name: "Ann"))

        let bad: Response<User> = await response { api.request(.me).responseObject($0) }
        let error = try #require(bad.error as? HTTPError)
        #expect(error == HTTPError.decoding)
        #expect(error.cause is DecodingError)
        #expect(error.response?.text == #"{"id":1}"#)
        #expect(error.reason == #""id" is a number, where User needs String"#)
        #expect(bad.data.count == 8)
    }

    @Test("every error has a kind, a reason and a suggestion", .behaviors(75), arguments: Fault.all)
    func errors(fault: Fault) async throws {
        let error = try #require(await fault.provoke())
        #expect(error.kind == fault.kind)
        #expect(error.errorDescription?.contains(fault.words) == true, "\(error.errorDescription ?? "")")
        if let suggestion = error.suggestion { #expect(error.description.contains(suggestion)) }
        #expect(error.recoverySuggestion?.isEmpty == false)
        #expect(error.localizedDescription == error.errorDescription)
    }

    @Test("the error of a failure includes its body", .behaviors(76))
    func bodyOfFailure() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .json(text: #"{"why":"no"}"#, status: 422))
        let failed = await response { TestAPI(server).request(.me).responseJSON($0) }
        #expect(String(decoding: failed.data, as: UTF8.self) == #"{"why":"no"}"#)
        #expect(try (failed.error as? HTTPError)?.response?.json()["why"].string == "no")
    }

    @Test(
        "only a 2xx is a success", .behaviors(77),
        arguments: [(200, true), (204, true), (299, true), (300, false), (304, false), (403, false), (500, false)])
    func success(status: Int, isSuccess: Bool) async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .status(status))
        let response = await response { TestAPI(server).request(.me).response($0) }
        #expect((response.error == nil) == isSuccess)
        #expect(response.isSuccessful == isSuccess)
        #expect(response.status == status)
    }

    @Test("a request without a value ignores the body", .behaviors(79))
    func void() async throws {
        let server = try LoopbackServer().on(.delete, "/api/me", .status(204), .text("not JSON"))
        let route = Route(path: "/me", method: .delete)
        try await TestAPI(server).request(route).void()
        let response = await response { TestAPI(server).request(route).response($0) }
        #expect(response.error == nil)
    }
}

/// A failure, and the expected properties of its error.
struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let kind: HTTPError.Kind
    let words: String
    let provoke: @Sendable () async throws -> HTTPError?

    init(
        _ name: String, _ kind: HTTPError.Kind, _ words: String, _ request: @escaping @Sendable () async throws -> Void
    ) {
        testDescription = name
        self.kind = kind
        self.words = words
        provoke = {
            do {
                try await request()
                return nil
            } catch { return error as? HTTPError }
        }
    }

    /// A request to a server that answers so.
    static func answer(
        _ answer: StubResponse, _ read: @escaping @Sendable (Request) async throws -> Void
    ) -> @Sendable () async throws -> Void {
        {
            let server = try LoopbackServer().on(.get, "/api/me", answer)
            try await read(TestAPI(server).request(.me))
        }
    }

    static let base = URL(string: "http://127.0.0.1:1")!

    static let all: [Fault] = [
        Fault("invalid URL", .invalidURL("ftp://h/"), "scheme") {
            try await DefaultProvider.request("ftp://h/").void()
        },
        Fault("invalid header", .invalidHeader("X-A"), "line feed") {
            try await TestAPI(baseURL: base).request(Route(path: "/", headers: ["X-A": "a\nb"])).void()
        },
        Fault("invalid path", .invalidPath("/user/"), "not a path segment") {
            try await TestAPI(baseURL: base).request(.user("")).void()
        },
        Fault("parameter encoding", .encoding("ratio"), "not a number") {
            try await TestAPI(baseURL: base).request(Route(path: "/", params: ["ratio": Double.nan])).void()
        },
        Fault("no connection", .cannotConnect("http://127.0.0.1:1"), "127.0.0.1") {
            try await TestAPI(baseURL: base).request(.me).void()
        },
        Fault("no such host", .hostNotFound("nowhere.invalid"), "nowhere.invalid") {
            try await DefaultProvider.request("http://nowhere.invalid/").void()
        },
        Fault("status", .status(404), "404 Not Found", answer(.status(404)) { try await $0.void() }),
        Fault(
            "status with words", .status(500), "Bad thing: é",
            answer(.text("Bad thing: é", status: 500)) {
                try await $0.void()
            }),
        Fault(
            "not HTTP", .invalidResponse, "cannot be used",
            answer(.raw("SSH-2.0-OpenSSH\r\n\r\n")) { try await $0.void() }),
        Fault("empty", .emptyResponse, "no body", answer(.status(200)) { _ = try await $0.json() }),
        Fault("not JSON", .decoding, "line 1, column 1", answer(.text("<html>")) { _ = try await $0.json() }),
        Fault(
            "another type", .decoding, #""id" is a number"#,
            answer(.json(["id": 1])) {
                _ = try await $0.object([String: String].self)
            }),
    ]
}
