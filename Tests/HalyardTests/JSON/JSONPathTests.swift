import Foundation
import Testing

@testable import Halyard

struct JSONPathTests {
    private static let text =
        #"{"data":{"items":[{"id":1},{"id":2},{"id":3}],"0":"zero","-1":"minus","a":null},"a":1,"a":2,"\u0062":[[],[7]]}"#

    @Test(arguments: [
        ("data.items.0.id", "1"), ("data.items.-1.id", "3"), ("data.items.-3", #"{"id":1}"#), ("data.0", #""zero""#),
        ("data.-1", #""minus""#), ("data.a", "null"), ("a", "1"), ("b.-1.0", "7"), ("b.0", "[]"),
        (".data..items.1.id.", "2"), ("data.items.+1.id", "2"),
    ])
    func `a path finds the same value in JSON and in text`(_ path: String, _ expected: String) throws {
        let path = JSONPath(path)
        #expect(try path.value(in: JSON(parsing: Self.text)).description == expected)
        let own = try ObjectMapper.standard.decode(JSON.self, from: Data(Self.text.utf8), at: path)
        #expect(own.description == expected)
        let custom = ObjectMapper(decoder: JSONDecoder(), encoder: JSONEncoder())
        #expect(try custom.decode(JSON.self, from: Data(Self.text.utf8), at: path).description == expected)
    }

    @Test func `the empty path leads to the whole JSON`() throws {
        let json = try JSON(parsing: Self.text)
        #expect(try JSONPath("").value(in: json) == json)
        #expect(try ObjectMapper.standard.decode(JSON.self, from: Data(Self.text.utf8), at: .whole) == json)
    }

    @Test(arguments: [
        ("x", "x"), ("data.x.y", "data.x"), ("data.items.3", "data.items.3"), ("data.items.-4.id", "data.items.-4"),
        ("data.items.id", "data.items.id"), ("a.0", "a.0"), ("b.0.0", "b.0.0"), ("b.0.-1", "b.0.-1"),
        ("data.items.99999999999999999999", "data.items.99999999999999999999"),
        ("data.items.-9223372036854775808", "data.items.-9223372036854775808"),
    ])
    func `the error names the missing part`(_ path: String, _ missing: String) throws {
        let path = JSONPath(path)
        let json = try JSON(parsing: Self.text)
        let error = #expect(throws: JSONPath.Missing.self) { try path.value(in: json) }
        #expect(error?.description == "\"\(missing)\" is missing")
        for mapper in [ObjectMapper.standard, ObjectMapper(decoder: JSONDecoder(), encoder: JSONEncoder())] {
            let other = #expect(throws: JSONPath.Missing.self) {
                try mapper.decode(Int.self, from: Data(Self.text.utf8), at: path)
            }
            #expect(other?.description == error?.description)
        }
    }

    @Test func `JSON keeps its order and digits even with a Foundation decoder`() throws {
        let data = Data(#"{"x":{"b":1.10,"a":[null],"b":2}}"#.utf8)
        let custom = ObjectMapper(decoder: JSONDecoder(), encoder: JSONEncoder())
        let members = try custom.decode([String: JSON?].self, from: data)
        #expect(members["x"]??.description == #"{"b":1.10,"a":[null],"b":2}"#)
        let array = try custom.decode([JSON].self, from: data, at: JSONPath("x.a"))
        #expect(array == [.null])
    }

    @Test func `the path in an error starts at the value`() throws {
        let data = Data(#"{"data":{"items":[{"id":1},{"id":"x"}]}}"#.utf8)
        struct Item: Decodable { let id: Int }
        let error = #expect(throws: DecodingError.self) {
            try ObjectMapper.standard.decode([Item].self, from: data, at: JSONPath("data.items"))
        }
        guard case .typeMismatch(_, let context)? = error else { throw try #require(error) }
        #expect(context.codingPath.map(\.stringValue) == ["Index 1", "id"])
    }

    @Test(arguments: [
        ("", "5"), ("a.b", #"{"a":{"b":5}}"#), ("a.2", #"{"a":[null,null,5]}"#), ("-1", "[5]"),
        ("-3.x", #"[{"x":5},null,null]"#),
        ("a.1000", #"{"a":{"1000":5}}"#),
    ])
    func `a value is wrapped so that the path finds it`(_ text: String, _ wrapped: String) throws {
        let path = JSONPath(text)
        #expect(path.wrapping(5).description == wrapped)
        #expect(try path.value(in: path.wrapping(5)) == 5)
    }
}
