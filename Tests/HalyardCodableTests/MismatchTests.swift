import Foundation
import HalyardCodable
import Testing

/// The error of a body that does not match its type.
struct MismatchTests {
    typealias Readable = Decodable & SendableMetatype
    struct Item: Decodable { var name: String }
    struct List: Decodable { var items: [Item] }
    struct Big: Decodable { var size: Int8, at: Date? }
    struct Links: Decodable { var home: URL, id: UUID }
    enum Sort: String, Decodable { case newest }
    struct Sorted: Decodable { var sort: Sort }
    struct Pair: Decodable {
        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            (_, _) = (try values.decode(Int.self), try values.decode(Int.self))
        }
    }
    struct Numbered: Decodable {
        enum CodingKeys: Int, CodingKey { case seven = 7 }
        var seven: Bool
    }
    struct Own: Decodable {
        struct Failure: Error, CustomStringConvertible { let description = "I do not like it" }
        init(from decoder: any Decoder) throws { throw Failure() }
    }

    private func error(_ json: String, _ type: (some Decodable & SendableMetatype).Type) throws -> HTTPError {
        let response = HTTPResponse(status: 200, data: Data(json.utf8), url: URL(string: "https://h/")!)
        let error = #expect(throws: HTTPError.self) { _ = try response.object(type) }
        return try #require(error)
    }

    @Test(arguments: [
        (#"{}"#, #""items" is missing, but List requires it"#),
        (#"{"items":[{"name":"a"},{}]}"#, #""items[1].name" is missing, but List requires it"#),
        (#"{"items":null}"#, #""items" is null, where List needs an array"#),
        (#"{"items":[{"name":null}]}"#, #""items[0].name" is null, where List needs String"#),
        (#"{"items":[{"name":1}]}"#, #""items[0].name" is a number, where List needs String"#),
        (#"{"items":[{"name":true}]}"#, #""items[0].name" is a boolean, where List needs String"#),
        (#"{"items":[{"name":["a"]}]}"#, #""items[0].name" is an array, where List needs String"#),
        (#"{"items":[{"name":{"a":1}}]}"#, #""items[0].name" is an object, where List needs String"#),
        (#"{"items":{"a":1}}"#, #""items" is an object, where List needs an array"#),
        (#"{"items":["a"]}"#, #""items[0]" is a string, where List needs an object"#),
        ("[]", "the body is an array, where List needs an object"),
        ("1", "the body is a number, where List needs an object"),
    ])
    func `the error for a list names a missing or mismatched member and its path`(_ json: String, _ reason: String)
        throws
    {
        #expect(try error(json, List.self).reason == reason)
    }

    @Test func `the errors for numbers, dates, URLs and enumerations give the reason`() throws {
        for size in ["128", "1.5", "1e400"] {
            let reason = try error("{\"size\":\(size)}", Big.self).reason ?? ""
            #expect(
                reason.contains(size)
                    || reason == "a number in the body does not fit Big: it is too large, or has a fraction")
        }
        #expect(
            try error(#"{"home":"","id":""}"#, Links.self).reason?.hasPrefix(#""home" is not valid for Links: "#)
                == true)
        #expect(
            try error(#"{"home":"h:","id":"x"}"#, Links.self).reason?.hasPrefix(#""id" is not valid for Links: "#)
                == true)
        #expect(
            try error(#"{"sort":"oldest"}"#, Sorted.self).reason?.hasPrefix(#""sort" is not valid for Sorted: "#)
                == true)
    }

    @Test func `a numeric key in an object is shown as a key, not as an index`() throws {
        #expect(
            try error(#"{"5":"x"}"#, [String: Int].self).reason
                == #""5" is a string, where Dictionary<String, Int> needs Int"#)
        #expect(
            try error(#"{"a":{"5":true}}"#, [String: [Int: String]].self).reason?.hasPrefix(
                #""a.5" is a boolean, where"#) == true)
        #expect(try error(#"{"seven":1}"#, Numbered.self).reason == #""seven" is a number, where Numbered needs Bool"#)
        #expect(try error(#"{}"#, Numbered.self).reason == #""seven" is missing, but Numbered requires it"#)
    }

    @Test(arguments: [
        (#"[{"name":"a"},{}]"#, [Item].self as any Readable.Type, #""[1].name" is missing, but Item requires"#),
        (#"[{"name":7}]"#, [Item].self, #""[0].name" is a number, where Item needs String"#),
        (#"{"a":[{"name":7}]}"#, [String: [Item]?].self, #""a[0].name" is a number, where Item needs String"#),
        ("[7]", [Item].self, #""[0]" is a number, where Array<Item> needs an object"#),
        (#"[[1],["a"]]"#, [[Int]].self, #""[1][0]" is a string, where Array<Int> needs Int"#),
        (#"[{"items":[{}]}]"#, [List].self, #""[0].items[0].name" is missing, but List requires it"#),
        (#"[{"size":1,"at":true}]"#, [Big].self, #""[0].at" is a boolean, where Big needs a Date"#),
        (#"[{"sort":"oldest"}]"#, [Sorted].self, #""[0].sort" is not valid for Sorted"#),
    ])
    func `the error for a list names the element`(
        _ json: String, _ type: any Readable.Type, _ words: String
    ) throws {
        #expect(try error(json, type).reason?.hasPrefix(words) == true)
    }

    @Test func `the error for an array that is too short names the missing element`() throws {
        #expect(try error("[1]", Pair.self).reason == #""[1]" is missing, where Pair needs Int"#)
        #expect(try error("[1,null]", Pair.self).reason == #""[1]" is null, where Pair needs Int"#)
    }

    @Test(arguments: ["{", "{\"items\":[1}", "<html>", " x"])
    func `the error for invalid JSON gives the position`(_ json: String) throws {
        #expect(try error(json, List.self).reason?.contains("line 1, column") == true)
    }

    @Test func `an error thrown by the type is shown with its description`() throws {
        let error = try error("{}", Own.self)
        #expect(error.reason == "Own: I do not like it")
        #expect(error.cause is Own.Failure)
    }

    @Test func `a server's keys and values cannot forge log lines`() throws {
        for (json, type) in [
            (#"{"a\nb\u001b[2J":"x"}"#, [String: Int].self as any (Decodable & SendableMetatype).Type),
            (#"{"sort":"x\r\nINFO all is well"}"#, Sorted.self),
        ] {
            let description = try error(json, type).description
            #expect(
                description.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "\(description)")
        }
    }

    @Test func `the error includes a cause, a response and a suggestion`() throws {
        let error = try error(#"{"items":1}"#, List.self)
        #expect(error == HTTPError.decoding)
        #expect(error.cause is DecodingError)
        #expect(error.response?.text == #"{"items":1}"#)
        #expect(error.recoverySuggestion == "Compare the requested type with the body, in the error's response")
    }
}
