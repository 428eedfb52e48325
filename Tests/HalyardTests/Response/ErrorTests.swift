import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Responses that are values, and responses that are errors.
struct ErrorTests {
    @Test("dates in JSON are milliseconds", .behaviors(78))
    func dates() async throws {
        struct Event: Codable, Sendable { let date: Date }
        let server = try LoopbackServer()
            .on(.get, "/api/me", .json(text: #"{"date":1500}"#))
            .on(.post, "/api/me") { .data($0.body, contentType: "application/json") }
        let event: Event = try await TestAPI(server).request(.me).object()
        #expect(event.date == Date(timeIntervalSince1970: 1.5))
        let back: Event = try await TestAPI(server).request(
            Route(path: "/me", method: .post, body: .json(event))
        ).object()
        #expect(back.date == event.date)
    }

    @Test("a custom serializer gets the body, the media type and the headers, and may throw", .behaviors(80))
    func serializers() async throws {
        struct Unfit: Error, Equatable { let type: String? }
        let pair = ResponseSerializer { response in
            guard response.mediaType == "text/csv" else { throw Unfit(type: response.mediaType) }
            return "\(response.headers["X-Row"] ?? "")=\(response.text)"
        }
        let server = try LoopbackServer()
            .on(
                .get, "/api/me",
                .data(Data("a,b".utf8), contentType: "Text/CSV; charset=utf-8", headers: ["x-row": "1"]),
                .data(Data("a,b".utf8), contentType: "text/html"))
        let api = TestAPI(server)
        #expect(try await api.request(.me).value(pair) == "1=a,b")
        let failed = await response { api.request(.me).responseValue(pair, $0) }
        #expect(failed.error as? Unfit == Unfit(type: "text/html"))
        #expect(failed.data == Data("a,b".utf8) && failed.status == 200)
    }

    @Test(
        "a failure includes the status, its reason phrase and the text of the body", .behaviors(81, 82, 85),
        .defects("BK11"),
        arguments: [
            (StubResponse.status(403), "403 Forbidden"), (.text("Bad thing: é", status: 500), "Bad thing: é"),
            (.data(Data([0xE9]), contentType: "text/plain; charset=iso-8859-1", status: 500), "é"),
            (.data(Data([0x61, 0xE9]), contentType: "text/html", status: 500), "a\u{FFFD}"),
            (.json(text: #"{"a":1}"#, status: 422), "422 Unprocessable Content"),
            (.text("", status: 500), "500 Internal Server Error"), (.status(599), "599 Unknown Status"),
            (.text("a\r\nb", status: 400), "a b"),
        ])
    func statuses(answer: StubResponse, words: String) async throws {
        let server = try LoopbackServer().on(.get, "/api/me", answer)
        let error = try #require(await failure { try await TestAPI(server).request(.me).void() })
        #expect(error.localizedDescription == words)
        let status = try #require(error.status)
        #expect(error.description.hasPrefix("\(status) ") && error.description.contains(words))
        #expect(error.description.contains(" (GET \(server.baseURL)/api/me answered \(status))"))
        #expect(error == HTTPError.status(status))
        #expect(error.response?.status == status)
    }

    @Test(
        "an empty body is nil for an optional type and fails for any other", .behaviors(83, 86),
        .defects("BK12", "BN30"))
    func empty() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/me", .status(204)).on(.get, "/api/user/1", .status(200))
            .on(.get, "/api/user/2", .json(text: "null")).on(
                .get, "/api/user/3", .json(text: #"{"id":"3","name":"C"}"#))
        let api = TestAPI(server)
        for route in [Route.me, .user("1")] {
            #expect(try await api.request(route).object(User?.self) == nil)
            #expect(try await api.request(route).object(JSON?.self) == nil)
            let called: Response<User?> = await response { api.request(route).responseObject($0) }
            #expect(called.error == nil && called.value == .some(nil))
            try await api.request(route).void()
            #expect(try await api.request(route).data().isEmpty)
            #expect(try await api.request(route).text().isEmpty)

            let error = try #require(await failure { _ = try await api.request(route).object(User.self) })
            #expect(error == HTTPError(.emptyResponse))
            #expect(error.status == (route.description == Route.me.description ? 204 : 200))
            #expect(error.description.contains("/api/"))
            await #expect(throws: HTTPError(.emptyResponse)) { try await api.request(route).json() }
        }
        #expect(try await api.request(.user("2")).object(User?.self) == nil)
        #expect(try await api.request(.user("2")).json().isNull)
        #expect(try await api.request(.user("3")).object(User?.self) == User(id: "3", name: "C"))
    }

    @Test("any JSON is read without a type for it", .behaviors(83))
    func untyped() async throws {
        let texts = ["[1,2]", "7", "true", "null", #""é""#, #"{"a":{"b":[{"c":1.50}]}}"#]
        let server = try LoopbackServer().on(.post, "/api/me") { .data($0.body, contentType: "application/json") }
        for text in texts {
            let route = Route(path: "/me", method: .post, body: .text(text))
            #expect(try await TestAPI(server).request(route).json().description == text)
        }
        let nested = Route(path: "/me", method: .post, body: .text(texts[5]))
        #expect(try await TestAPI(server).request(nested).json()["a"]["b"][0]["c"].number?.description == "1.50")
    }

    @Test("underlying errors are kept unchanged", .behaviors(84), .defects("BN10", "BN30"))
    func causes() async throws {
        struct Own: Error, Equatable { let code: Int }
        struct Failing: Transport {
            func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
                throw Own(code: 7)
            }
        }
        let server = try LoopbackServer().on(.get, "/api/me", .json(text: #"{"id":1}"#))
        let api = TestAPI(server)
        let decoding = try #require(await failure { _ = try await api.request(.me).object(User.self) })
        guard case .typeMismatch(_, let context) = decoding.cause as? DecodingError else {
            Issue.record("the cause is \(String(describing: decoding.cause))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["id"])
        #expect(decoding.response?.data == Data(#"{"id":1}"#.utf8))
        await #expect(throws: Own(code: 7)) {
            try await api.with(\.client, HTTPClient(transport: Failing())).request(.me).data()
        }
        let refused = try #require(
            await failure { try await TestAPI(baseURL: URL(string: "http://127.0.0.1:1")!).request(.me).void() })
        #expect(refused == HTTPError(.cannotConnect("http://127.0.0.1:1")))
        #expect(refused.request?.url.absoluteString == "http://127.0.0.1:1/me")
        #expect(refused.reason?.isEmpty == false)
    }

    @Test("errors of one kind with different payloads are not equal", .defects("BN11"))
    func equality() {
        let errors: [HTTPError] = [
            .status(400), .status(401), HTTPError(.encoding("a")), HTTPError(.encoding("b")),
            HTTPError(.invalidURL("a")), HTTPError(.invalidURL("b")),
            HTTPError(.invalidHeader("a")), HTTPError(.invalidPath("a")), HTTPError(.hostNotFound("a")),
            HTTPError(.hostNotFound("b")), HTTPError(.cannotConnect("a")),
            HTTPError(.tls(.expired)), HTTPError(.tls(.wrongHost)), HTTPError(.bodyTooLarge(limit: 1)),
            HTTPError(.bodyTooLarge(limit: 2)), HTTPError(.unreadableFile("a")),
            HTTPError(.unreadableFile("b")), HTTPError(.unwritableFile("a")), HTTPError(.engine(code: 1)),
            HTTPError(.engine(code: 2)),
            .timedOut, .cancelled, HTTPError(.stopped), .decoding, HTTPError(.emptyResponse), .connectionLost,
            HTTPError(.invalidResponse),
        ]
        for (i, left) in errors.enumerated() {
            for (j, right) in errors.enumerated() { #expect((left == right) == (i == j), "\(left) \(right)") }
        }
        #expect(HTTPError(.status(400), reason: "x") == HTTPError.status(400))
    }

    @Test(
        "every response that is not a 2xx is a failure", .defects("BN29"),
        arguments: [301, 302, 304, 308])
    func redirections(status: Int) async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .status(status))
        await #expect(throws: HTTPError.status(status)) { try await TestAPI(server).request(.me).data() }
    }

    @Test(
        "a response that is not HTTP fails", .defects("BK3"),
        arguments: ["SSH-2.0-x\r\n\r\n", "\r\n\r\n", "HTTP/1.1\r\n\r\n", ""])
    func notHTTP(bytes: String) async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .raw(bytes))
        let error = try #require(await failure { try await TestAPI(server).request(.me).void() })
        #expect(error == HTTPError(.invalidResponse) || error == HTTPError.connectionLost, "\(error)")
        #expect(error.response == nil)
    }
}
