import Foundation
import HalyardCodable
import HalyardTesting
import Testing

/// Members with the same name: every reader of JSON takes the first, so that what `validate` has checked is what a model
/// gets.
struct DuplicateMemberTests {
    private struct Value: Decodable, Equatable { var role: String }
    private struct Named: Mapped {
        static let mapping = Mapping<Self>(.init(\.role, "role"))
        var role = ""
    }

    private static let texts = [
        #"{"role":"user","role":"admin"}"#, #"{"r\u006fle":"user","role":"admin"}"#,
        #"{"role":"user","r\u006fle":"admin"}"#,
        #"{"a":1,"role":"user","b":{"role":"x"},"role":"admin","role":"root"}"#,
        "{" + (0..<30).map { "\"m\($0)\":0," }.joined() + #""role":"user","role":"admin"}"#,
        "{" + (0..<200).map { "\"m\($0)\":0," }.joined() + #""role":"user","m1":1,"role":"admin"}"#,
    ]

    private func response(_ text: String) -> HTTPResponse {
        HTTPResponse(status: 200, data: Data(text.utf8), url: URL(filePath: "/"))
    }

    @Test(arguments: texts)
    func `the first of duplicate members counts`(_ text: String) throws {
        let response = response(text)
        #expect(try response.json()["role"].string == "user")
        #expect(try response.json().object?["role"]?.string == "user")
        #expect(try response.object(Value.self).role == "user")
        #expect(try response.object(Value.self, mapper: ObjectMapper(keys: .snakeCase)).role == "user")
        #expect(try response.object(String.self, at: "role") == "user")
        #expect(try response.object([String: JSON].self)["role"] == "user")
        let nested = HTTPResponse(
            status: 200, data: Data("{\"user\":\(text),\"user\":{\"role\":\"admin\"}}".utf8), url: URL(filePath: "/"))
        #expect(try nested.object(Named.self, at: "user").role == "user")
        #expect(try nested.object([String: Named].self)["user"]?.role == "user")
        #expect(try nested.object([String: [String: JSON]].self)["user"]?["role"] == "user")
        #expect(try nested.object(Value.self, at: "user").role == "user")
        #expect(try nested.json()["user"]["role"].string == "user")
        #expect(try nested.object([String: Value].self)["user"]?.role == "user")
    }

    @Test func `equality and hashing use the first of duplicate members`() throws {
        let json = try JSON(parsing: #"{"a":1,"a":2,"b":3}"#)
        #expect(json == ["a": 1, "b": 3])
        #expect(json.hashValue == (["b": 3, "a": 1] as JSON).hashValue)
    }
}
