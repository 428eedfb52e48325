import Foundation
import HalyardCodable
import Testing

/// The changes between two values, and merging one value into another.
struct ChangesTests {
    // RFC 7396, appendix A.
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#), ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
    func `a patch is merged as RFC 7396 specifies`(_ old: String, _ patch: String, _ merged: String) throws {
        #expect(try JSON(parsing: old).merging(JSON(parsing: patch)).description == merged)
    }

    @Test(arguments: [
        ("{}", "{}", "{}"), (#"{"a":1,"b":2}"#, #"{"b":2,"a":1.0}"#, "{}"), ("[1]", "[1]", "{}"), ("1", "1", "{}"),
        (#"{"a":1}"#, #"{"a":"1"}"#, #"{"a":"1"}"#), (#"{"a":{"b":1}}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"{"a":[{"b":1}]}"#, #"{"a":{"b":1}}"#, #"{"a":{"b":1}}"#), (#"{"a":1}"#, "{}", #"{"a":null}"#),
        (#"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":1}}"#, #"{"a":{"c":null}}"#),
        (#"{"a":[1,2]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), ("{}", #"{"a":{"b":{}}}"#, #"{"a":{"b":{}}}"#),
        (#"{"a":{"b":{"c":1}}}"#, #"{"a":{"b":{"c":2}}}"#, #"{"a":{"b":{"c":2}}}"#), ("[]", "{}", "{}"),
        ("{}", "[]", "[]"),
        (#"{"a":1,"a":2}"#, #"{"a":1}"#, "{}"), (#"{"a":2}"#, #"{"a":3,"a":4}"#, #"{"a":3}"#),
    ])
    func `merging the computed changes into the old value gives the new one`(
        _ old: String, _ new: String, _ changes: String
    ) throws {
        let (old, new) = (try JSON(parsing: old), try JSON(parsing: new))
        let found = JSON.changes(from: old, to: new)
        #expect(found.description == changes)
        if old != new { #expect(old.merging(found) == new) }
    }

    @Test func `merging the changes of any two objects gives the second one`() throws {
        var generator = Seeded(state: 7)
        for _ in 0..<500 {
            let (old, new) = (generator.object(depth: 3), generator.object(depth: 3))
            for nested in [true, false] {
                let changes = JSON.changes(from: old, to: new, nested: nested)
                if nested { #expect(old.merging(changes) == new, "\(old) \(new) \(changes)") }
                #expect((changes == [:]) == (old == new))
            }
        }
    }

    struct Inner: Mapped {
        var id = 0
        var name = ""
        var nick: String? = "none"
        static let mapping = Mapping<Self>(
            .init(\.id, "id", .readOnly), .init(\.name, "name"), .init(\.nick, "nick", .optional))
    }
    struct Outer: Mapped {
        var inner = Inner()
        var cached = 0
        var secret = ""
        static let mapping = Mapping<Self>(.init(\.inner, "inner"), .init(\.secret, "secret", .writeOnly))
    }

    @Test func `properties missing from the patch keep their values, even in nested objects`() throws {
        let outer = Outer(inner: Inner(id: 7, name: "a", nick: nil), cached: 3, secret: "x")
        let merged = try outer.merging(["inner": ["name": "b"]] as JSON)
        #expect(merged.inner.id == 7 && merged.inner.name == "b" && merged.inner.nick == nil)
        #expect(merged.cached == 3 && merged.secret == "x")
        #expect(try outer.merging(["more": 1]).inner.id == 7)
        // Reading and writing without a patch are unchanged.
        #expect(try ObjectMapper.standard.json(outer).description == #"{"inner":{"name":"a"},"secret":"x"}"#)
    }

    @Test func `null sets an optional property to nil and fails for any other`() throws {
        #expect(try Inner(id: 1, name: "a", nick: "b").merging(["nick": nil] as JSON).nick == nil)
        #expect(throws: DecodingError.self) { try Inner().merging(["name": nil] as JSON) }
        #expect(throws: DecodingError.self) { try Inner().merging([1]) }
        #expect(throws: DecodingError.self) { try Inner().merging(["name": 1]) }
    }
}

/// A random number generator with the same numbers in every run.
private struct Seeded {
    var state: UInt64

    mutating func next(_ bound: UInt64) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % bound)
    }

    mutating func object(depth: Int) -> JSON {
        let names = ["a", "b", "c", "d"].filter { _ in next(2) == 0 }
        return .object(JSON.Object(names.map { ($0, value(depth: depth)) }))
    }

    mutating func value(depth: Int) -> JSON {
        switch next(depth > 0 ? 5 : 3) {
        case 0: JSON(integerLiteral: next(3))
        case 1: ["x", "y"][next(2)]
        case 2: .bool(next(2) == 0)
        case 3: .array([value(depth: depth - 1)])
        default: object(depth: depth - 1)
        }
    }
}
