import Foundation
import HalyardAsync
import HalyardTesting
import Testing

@Suite("JSON in mocks and records", .timeLimit(.minutes(3)))
struct MockJSONTests {
    private struct Event: Encodable {
        var startDate = Date(timeIntervalSince1970: 1.005)
        var eventName = "x"
    }

    /// Returns the response that a client gets.
    private func text(_ response: StubResponse) async throws -> String {
        let url = try #require(URL(string: "https://api.example.com/"))
        let stub = StubTransport().on(.get, "/", response)
        let answer = try await stub.send(HTTPRequest(.get, url), context: TransferContext())
        return "\(answer.status) \(answer.headers[.contentType] ?? "") \(answer.text)"
    }

    @Test func aValueIsWrittenAsTheAPIWritesIt() async throws {
        let json = "200 application/json "
        #expect(try await text(.json(Event())) == json + #"{"eventName":"x","startDate":1005}"#)
        let mapper = ObjectMapper(dates: .iso8601, keys: .snakeCase)
        let written = #"{"event_name":"x","start_date":"1970-01-01T00:00:01Z"}"#
        #expect(try await text(.json(Event(), mapper: mapper)) == json + written)
        let error = await #expect(throws: HTTPError(.encoding("the body"))) { try await text(.json(Double.infinity)) }
        #expect(error?.reason == "StubResponse.json cannot encode a Double" && error?.cause is EncodingError)
    }

    private struct ISOAPI: HTTPProvider {
        let baseURL = URL(string: "https://api.example.com")!
        var client: HTTPClient
        let mapper = ObjectMapper(dates: .iso8601)
    }

    @Test func datesOfAStubThatTheProviderReadsOtherwiseAreTheStubsToMend() async throws {
        struct At: Codable, Sendable { var at = Date(timeIntervalSince1970: 1) }
        let stub = StubTransport().on(.get, "/", .json(At()))
        let api = ISOAPI(client: HTTPClient(transport: stub))
        let error = await #expect(throws: HTTPError.decoding) {
            _ = try await api.request(Route(path: "/")).object(At.self)
        }
        #expect(
            error?.suggestion == """
                Write the stub with the API's mapper: .json(value, mapper: api.mapper). If the API has such dates: \
                Set the ObjectMapper(dates:) of the provider or the route to .millisecondsSince1970 or .secondsSince1970
                """)
        stub.on(.get, "/", .json(At(), mapper: api.mapper))
        #expect(try await api.request(Route(path: "/")).object(At.self).at == At().at)
    }

    @Test func literalsOfMixedTypesAreJSONInTheirOwnOrder() async throws {
        let mixed = StubResponse.json(["data": ["name": "x", "age": 1, "none": nil]], status: 402)
        #expect(try await text(mixed) == #"402 application/json {"data":{"name":"x","age":1,"none":null}}"#)
        #expect(try await text(.json([1, "a", [true]])).hasSuffix(#"[1,"a",[true]]"#))
        #expect(try await text(.json([:])).hasSuffix("{}"))
    }

    @Test func literalsOfOneTypeAndValuesCompileAsBefore() async throws {
        let (name, json): (String?, JSON) = ("x", ["b": 1, "a": 2])
        for (response, expected) in [
            (StubResponse.json([0, 1]), "[0,1]"), (.json(["b": 1, "a": 2]), #"{"a":2,"b":1}"#), (.json("x"), #""x""#),
            (.json(6.0), "6"), (.json(["id": name, "said": "y"]), #"{"id":"x","said":"y"}"#),
            (.json(true), "true"), (.json(json), #"{"b":1,"a":2}"#),
        ] {
            #expect(try await text(response).hasSuffix(" " + expected))
        }
    }

    @Test func aRecordedRequestIsReadAsJSONAndDescribedWithoutSecrets() async throws {
        let url = try #require(URL(string: "https://api.example.com/login?a=1&b=%C3%A9%20x&a=&c"))
        let stub = StubTransport().on(.post, "/login", .status(204)).on(.get, "/login", .status(204))
        let headers: HTTPHeaders = ["Authorization": "secret", "X-Id": "1"]
        let body = HTTPBody(Data(#"{"name": "Ann"}"#.utf8))
        for (method, body) in [(HTTPMethod.post, body), (.get, nil)] {
            _ = try await stub.send(
                HTTPRequest(method, url, headers: headers, body: body), context: TransferContext())
        }

        let sent = try #require(stub.requests.first)
        #expect(try sent.json() == ["name": "Ann"])
        #expect(sent.queryItems.map(\.name) == ["a", "b", "a", "c"])
        #expect(sent.queryItems.map(\.value) == ["1", "\u{e9} x", "", ""])
        #expect(sent.queryValue("b") == "\u{e9} x" && sent.queryValue("c") == "" && sent.queryValue("d") == nil)
        #expect(sent.queryItems.filter { $0.name == "a" }.map(\.value) == ["1", ""] && sent.queryValue("d") == nil)
        let target = "/login?a=1&b=%C3%A9%20x&a=&c"
        #expect("\(sent)" == "POST \(target) [Authorization, X-Id], 15 bytes")
        #expect("\(stub.requests[1])" == "GET \(target) [Authorization, X-Id], 0 bytes")
        #expect(throws: JSON.ParseError.emptyInput) { try stub.requests[1].json() }
    }

    @Test func printedHeadersShowNoValue() {
        struct Holder { var headers: HTTPHeaders = ["Authorization": "secret", "X-Id": "1"] }
        #expect("\(Holder().headers)" == "[Authorization, X-Id]")
        #expect("\(Holder())".contains("[Authorization, X-Id]") && !"\(Holder())".contains("secret"))
        #expect("\(HTTPHeaders())" == "[]")
    }
}
