import Foundation
import HalyardTesting
import HalyardHTTP
import TestSupport
import Testing

@testable import HalyardAsync

/// The elements of a JSON array that is read as it arrives.
@Suite(.timeLimit(.minutes(3)))
struct ElementsTests {
    struct Item: Codable, Sendable, Equatable { var id: Int }
    static let export = Route(path: "/export")

    /// Returns the elements of JSON that arrives in parts.
    static func elements(of parts: [Data], at path: String) throws -> [String] {
        var (scanner, elements) = (JSONElementScanner(at: path), [String]())
        for part in parts {
            scanner.append(part)
            while let element = try scanner.next() { elements.append(String(decoding: element, as: UTF8.self)) }
        }
        try scanner.finish()
        return elements
    }

    @Test(
        "elements are found wherever the body is split",
        arguments: [
            ("[]", "", []), (" [ 1 , -2.5e3,\"a\" ,true,null]\n", "", ["1", "-2.5e3", "\"a\"", "true", "null"]),
            (#"[{"a":[1,{"b":"]"}]},[[]],"\"]\\"]"#, "", [#"{"a":[1,{"b":"]"}]}"#, "[[]]", #""\"]\\""#]),
            (
                #"{"total":2,"data":{"more":[9],"items":[{"id":1},{"id":2}],"x":{}},"z":"}"}"#, "data.items",
                [#"{"id":1}"#, #"{"id":2}"#]
            ),
            (#"{"a":[[1],[2,3],[4]]}"#, "a.1", ["2", "3"]), (#"{"é\n":[1]}"#, "é\n", ["1"]),
            (#"{"x":[1],"x":[2]}"#, "x", ["1"]), (#"{"\u0061":[1]}"#, "a", ["1"]),
            (#"{"a":1,"items":[1]}"#, "items", ["1"]), ("\u{FEFF}[1]", "", ["1"]),
        ] as [(String, String, [String])])
    func found(text: String, path: String, expected: [String]) throws {
        let bytes = Data(text.utf8)
        for place in 0...bytes.count {
            let found = try Self.elements(of: [bytes.prefix(place), bytes.dropFirst(place)], at: path)
            #expect(found == expected, "split at \(place)")
        }
        #expect(try Self.elements(of: bytes.map { Data([$0]) }, at: path) == expected)
    }

    @Test(
        "the error for incomplete or invalid JSON, or a missing array, gives the position",
        arguments: [
            ("", "", "the JSON ends before it is complete, at byte 0"),
            ("[1,2", "", "the JSON ends before it is complete"),
            ("[1 2]", "", #"unexpected "2", at byte 3"#), ("[1,]", "", #"unexpected "]", at byte 3"#),
            ("[1}", "", #"unexpected "}", at byte 2"#), ("[[1}]", "", #"unexpected "}", at byte 3"#),
            ("{\"a\" 1}", "a", #"unexpected "1", at byte 5"#), ("{1:2}", "a", #"unexpected "1", at byte 1"#),
            ("[1]x", "", #"unexpected "x", at byte 3"#), ("x", "", #"unexpected "x", at byte 0"#),
            (#"{"a":{}}"#, "a.b", #""a.b" is missing"#), (#"{"a":5}"#, "a.b", #""a" is not an object or an array"#),
            (#"{"a":{"b":{}}}"#, "a.b", #""a.b" is not an array"#), ("{}", "", "the body is not an array"),
            ("null", "", "the body is not an array"), (#"{"a":null}"#, "a", #""a" is not an array"#),
            (#"{"a":[1]"#, "a", "the JSON ends before it is complete, at byte 8"),
        ])
    func invalid(text: String, path: String, reason: String) throws {
        let fault = #expect(throws: HTTPError.self) { try Self.elements(of: [Data(text.utf8)], at: path) }
        #expect(fault?.kind == .decoding)
        #expect(fault?.reason?.hasPrefix(reason) == true, "\(fault?.reason ?? "")")
    }

    @Test("nesting is limited inside and outside the elements")
    func depth() throws {
        let deep = String(repeating: "[", count: 600)
        for text in ["[\(deep)", "{\"x\":\(deep)"] {
            let fault = #expect(throws: HTTPError.self) {
                try Self.elements(of: [Data(text.utf8)], at: text.hasPrefix("{") ? "a" : "")
            }
            #expect(fault?.reason?.hasPrefix("more than 511 nested levels") == true)
        }
    }

    @Test("random JSON yields the same elements as a complete parser", arguments: 0..<100)
    func differential(seed: UInt64) throws {
        var random = Seeded(seed)
        let elements = (0..<Int.random(in: 0...8, using: &random)).map { _ in Self.json(&random, depth: 4) }
        let text = #"{"a":\#(Self.json(&random, depth: 2)),"b":{"c":\#(JSON.array(elements))}}"#
        let found = try Self.elements(of: [Data(text.utf8)], at: "b.c")
        #expect(try found.map { try JSON(parsing: Data($0.utf8)) } == elements)
    }

    static func json(_ random: inout Seeded, depth: Int) -> JSON {
        switch Int.random(in: 0...(depth == 0 ? 3 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(true)
        case 2: return .number(.init(Int.random(in: -999...999, using: &random)))
        case 3: return .string(["", "a", "]},{[", "\"\\", "é\n"].randomElement(using: &random) ?? "")
        case 4:
            return .array((0..<3).map { _ in json(&random, depth: depth - 1) })
        default:
            return .object(["k": json(&random, depth: depth - 1), "]": json(&random, depth: depth - 1)])
        }
    }

    @Test("elements arrive before the body is complete and are decoded with the mapper")
    func overTheWire() async throws {
        let gate = Gate()
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"data\":{\"items\":[{\"id\":1},{\"i")
            gate.wait()
            connection.write("d\":2}]},\"total\":2}")
        }
        var items: [Item] = []
        for try await item in TestAPI(baseURL: server.baseURL).request(Self.export).elements(
            of: Item.self, at: "data.items")
        {
            items.append(item)
            gate.open()
        }
        #expect(items == [Item(id: 1), Item(id: 2)])
    }

    @Test("an element that does not match fails with its position, after the elements before it")
    func invalidElement() async throws {
        let server = try LoopbackServer().on(.get, "/api/export", .json(text: #"{"items":[{"id":1},{"id":"x"}]}"#))
        let log = Log<Int>()
        let error = await failure {
            let items = TestAPI(server).request(Self.export).elements(of: Item.self, at: "items")
            for try await item in items { log.add(item.id) }
        }
        #expect(error == .decoding)
        #expect(error?.reason == #""items[1].id" is a string, where Item needs Int"#)
        #expect(error?.response?.text == #"{"id":"x"}"#)
        #expect(error?.request != nil)
        #expect(log.entries == [1])
    }

    @Test("a body that ends inside the array fails after its elements")
    func cutOff() async throws {
        let server = try LoopbackServer().on(.get, "/api/export", .json(text: #"[{"id":1},{"id""#))
        let log = Log<Int>()
        let error = await failure {
            for try await item in TestAPI(server).request(Self.export).elements(of: Item.self) { log.add(item.id) }
        }
        #expect(error == .decoding && error?.request != nil)
        #expect(error?.reason == "the JSON ends before it is complete, at byte 15 of the body")
        #expect(log.entries == [1])
    }

    @Test("an element larger than the limit fails")
    func limit() async throws {
        let endless = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\r\n[{\"id\":1},\"")
            while connection.write(Data(repeating: 0x61, count: 1000)) {}
        }
        let log = Log<Int>()
        let error = await failure {
            let items = TestAPI(baseURL: endless.baseURL).request(Self.export).elements(of: Item.self, limit: 5000)
            for try await item in items { log.add(item.id) }
        }
        #expect(error == HTTPError(.bodyTooLarge(limit: 5000)))
        #expect(log.entries == [1])
    }
}
