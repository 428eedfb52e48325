import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Failures that become errors of an API's own types, and problem details.
@Suite(.timeLimit(.minutes(3)))
struct FailuresTests {
    struct ShopFailure: Error, Decodable, Equatable { var errorCode: String }
    struct OutOfStock: Error, Decodable, Equatable { var available: Int }
    struct XMLFailure: Error, Equatable { var text: String }

    struct ShopAPI: HTTPProvider {
        let baseURL: URL
        let mapper = ObjectMapper(keys: .snakeCase)
        let failures = Failures.json(OutOfStock.self, at: "stock", for: 409...409)
            .followed(by: .json(ShopFailure.self))
            .followed(by: .custom { $0.mediaType == "application/xml" ? XMLFailure(text: $0.text) : nil })
    }

    static let buy = Route(path: "/buy", method: .post)

    static func outcome(_ response: StubResponse, _ route: Route = buy) async throws -> any Error {
        let server = try LoopbackServer().on(.post, "/buy", response)
        do {
            try await ShopAPI(baseURL: server.baseURL).request(route).void()
        } catch { return error }
        throw NoError()
    }

    struct NoError: Error {}

    @Test("status and content type select the error type, which the provider's mapper decodes")
    func types() async throws {
        let general = try await Self.outcome(.json(text: #"{"error_code":"closed"}"#, status: 503))
        #expect(general as? ShopFailure == ShopFailure(errorCode: "closed"))
        let stock = try await Self.outcome(.json(text: #"{"stock":{"available":2}}"#, status: 409))
        #expect(stock as? OutOfStock == OutOfStock(available: 2))
        let xml = try await Self.outcome(.data(Data("<e/>".utf8), contentType: "application/xml", status: 400))
        #expect(xml as? XMLFailure == XMLFailure(text: "<e/>"))
        let text = try await Self.outcome(.text("no", status: 400))
        #expect(text as? HTTPError == .status(400))
    }

    @Test("a mismatched error body fails with HTTPError and the reason as its cause")
    func fallback() async throws {
        let error = try await Self.outcome(.json(text: #"{"message":"x"}"#, status: 500)) as? HTTPError
        #expect(error == .status(500))
        #expect(error?.response?.text == #"{"message":"x"}"#)
        #expect((error?.cause as? HTTPError)?.kind == .decoding)
        #expect(error?.request?.method == .post)
    }

    @Test("a catch clause for the type is enough, and shouldContinue receives the type")
    func catching() async throws {
        struct API: HTTPProvider {
            let baseURL: URL
            let failures = Failures.json(ShopFailure.self)
            let seen: Log<String>
            func shouldContinue(with error: any Error) async -> Bool {
                seen.add("\(error is ShopFailure)")
                return true
            }
        }
        let server = try LoopbackServer().on(.post, "/buy", .json(text: #"{"errorCode":"closed"}"#, status: 403))
        let api = API(baseURL: server.baseURL, seen: Log())
        do {
            try await api.request(Self.buy).void()
            Issue.record("no error")
        } catch let failure as ShopFailure {
            #expect(failure.errorCode == "closed")
        }
        #expect(api.seen.entries == ["true"])
    }

    @Test("a route's failure types take precedence over the provider's")
    func ofRoute() async throws {
        struct Special: Error, Decodable { var special: Bool }
        let route = Self.buy.failures(.json(Special.self, for: 418...418))
        let special = try await Self.outcome(.json(text: #"{"special":true}"#, status: 418), route)
        #expect(special is Special)
        #expect(try await Self.outcome(.json(text: #"{"error_code":"x"}"#, status: 400), route) is ShopFailure)
    }

    @Test("errors thrown by validate, and failures without a response, are not decoded as typed failures")
    func otherErrors() async throws {
        struct Refused: Error {}
        struct API: HTTPProvider {
            let baseURL: URL
            let failures = Failures.json(ShopFailure.self)
            func validate(_ response: HTTPResponse) async throws { throw Refused() }
        }
        let server = try LoopbackServer().on(.post, "/buy", .json(text: #"{"errorCode":"x"}"#, status: 400))
        await #expect(throws: Refused.self) { try await API(baseURL: server.baseURL).request(Self.buy).void() }
        server.stop()
        let error = await failure { try await ShopAPI(baseURL: server.baseURL).request(Self.buy).void() }
        #expect(error?.response == nil && error != nil)
    }

    @Test("streams and downloads fail with the typed error too")
    func streams() async throws {
        let server = try LoopbackServer().on(.post, "/buy", .json(text: #"{"error_code":"closed"}"#, status: 503))
        let api = ShopAPI(baseURL: server.baseURL)
        await #expect(throws: ShopFailure(errorCode: "closed")) {
            for try await _ in api.request(Self.buy).events {}
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "halyard-\(UUID().uuidString)")
        await #expect(throws: ShopFailure(errorCode: "closed")) {
            _ = try await api.request(Self.buy).download(to: file)
        }
    }

    @Test("problem details are decoded only from application/problem+json (RFC 9457)")
    func problems() async throws {
        let body = #"""
            {"type":"https://example.com/credit","title":"No credit","status":403,"detail":"30 of 50",
            "instance":"/account/1","balance":30,"accounts":["/a"]}
            """#
        func problem(_ text: String, _ type: String) async throws -> ProblemDetails? {
            let server = try LoopbackServer()
                .on(.post, "/api/buy", .data(Data(text.utf8), contentType: type, status: 403))
            return await failure { try await TestAPI(server).request(Self.buy).void() }?.problem
        }
        let found = try #require(try await problem(body, "Application/Problem+JSON; charset=utf-8"))
        #expect(found.type == "https://example.com/credit")
        #expect((found.title, found.status, found.detail) == ("No credit", 403, "30 of 50"))
        #expect(found.instance == "/account/1")
        #expect(found.members["balance"]?.int == 30)
        #expect(try await problem(body, "application/json") == nil)
        #expect(try await problem("[1]", "application/problem+json") == nil)
        #expect(try await problem("{", "application/problem+json") == nil)
        let wrong = try #require(try await problem(#"{"type":1,"status":"403"}"#, "application/problem+json"))
        #expect((wrong.type, wrong.status) == ("about:blank", nil))
        #expect(!String(reflecting: found).contains("30 of 50"))
    }

    @Test("the error's text for users is the detail of the problem, or its title, without secrets")
    func problemTexts() async throws {
        func error(_ text: String) async throws -> HTTPError {
            let body = StubResponse.data(Data(text.utf8), contentType: "application/problem+json", status: 422)
            let api = TestAPI(StubTransport().on(.post, "/v1/buy", body))
            let route = Route(path: "/buy", method: .post, headers: ["Authorization": "Bearer s3cret"])
            return try #require(await failure { try await api.request(route).void() })
        }
        let full = try await error(#"{"title":"Empty","detail":"A paste with s3cret must have text."}"#)
        #expect(full.localizedDescription == "A paste with *** must have text.")
        #expect("\(full)".hasPrefix("422 Unprocessable Content: A paste with *** must have text. (POST"), "\(full)")
        #expect(try await error(#"{"title":"Empty"}"#).localizedDescription == "Empty")
        #expect(try await error(#"{"detail":7}"#).localizedDescription == "422 Unprocessable Content")
    }

    @Test("the error for an XML body shows the start of its text, without tags and secrets")
    func xml() async throws {
        let body =
            "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Token>s3cret</Token>"
            + "<Key><![CDATA[a/b]]></Key></Error>"
        for type in ["application/xml", "application/atom+xml"] {
            let server = try LoopbackServer()
                .on(.post, "/api/buy", .data(Data(body.utf8), contentType: type, status: 404))
            let error = try #require(await failure { try await TestAPI(server).request(Self.buy).void() })
            #expect("\(error)".hasPrefix("404 Not Found: NoSuchKey *** a/b (POST"), "\(error)")
        }
    }
}
