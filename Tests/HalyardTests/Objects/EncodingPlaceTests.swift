import Foundation
import Halyard
import Testing

/// Containers may be used in any order. Using an invalid one is an error, not a crash.
struct EncodingPlaceTests {
    private enum Keys: CodingKey { case a, b, c }

    /// A value that is written by a closure.
    private struct Written: Encodable {
        let body: (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    private struct Failure: Error {}

    private func json(_ body: @escaping (any Encoder) throws -> Void) throws -> String {
        String(decoding: try ObjectMapper.standard.encode(Written(body: body)), as: UTF8.self)
    }

    @Test func `nested containers can be written to in turn`() throws {
        let text = try json { encoder in
            var members = encoder.container(keyedBy: Keys.self)
            var b = members.nestedContainer(keyedBy: Keys.self, forKey: .b)
            var a = members.nestedUnkeyedContainer(forKey: .a)
            try b.encode(1, forKey: .b)
            try a.encode("x")
            try members.encode(true, forKey: .c)
            try b.encode(2, forKey: .a)
            var inner = a.nestedContainer(keyedBy: Keys.self)
            try a.encode("y")
            try inner.encode("z", forKey: .a)
        }
        #expect(text == #"{"a":["x",{"a":"z"},"y"],"b":{"a":2,"b":1},"c":true}"#)
    }

    @Test func `two containers for one value or one key write to the same object`() throws {
        let text = try json { encoder in
            var one = encoder.container(keyedBy: Keys.self)
            var other = encoder.container(keyedBy: Keys.self)
            try one.encode(1, forKey: .b)
            try other.encode(2, forKey: .a)
            var nested = one.nestedContainer(keyedBy: Keys.self, forKey: .c)
            try nested.encode(3, forKey: .a)
            nested = other.nestedContainer(keyedBy: Keys.self, forKey: .c)
            try nested.encode(4, forKey: .b)
        }
        #expect(text == #"{"a":2,"b":1,"c":{"a":3,"b":4}}"#)
    }

    @Test func `a value encoded in place of another shares its containers, as in Foundation`() throws {
        struct Base: Encodable { var a = 1, b = "x" }
        let bodies: [(any Encoder) throws -> Void] = [
            { encoder in
                var single = encoder.singleValueContainer()
                try single.encode(Base())
                var members = encoder.container(keyedBy: Keys.self)
                try members.encode(2, forKey: .c)
                try members.encode(5, forKey: .a)
            },
            { encoder in
                var members = encoder.container(keyedBy: Keys.self)
                try members.encode(2, forKey: .c)
                var single = encoder.singleValueContainer()
                try single.encode(Base())
            },
            { encoder in
                var single = encoder.singleValueContainer()
                try single.encode(["z": 1])
                var members = encoder.container(keyedBy: Keys.self)
                try members.encode([true], forKey: .c)
            },
            { encoder in
                var single = encoder.singleValueContainer()
                try single.encode([1, 2])
                var list = encoder.unkeyedContainer()
                try list.encode(3)
                #expect(list.count == 3)
            },
            { encoder in
                var single = encoder.singleValueContainer()
                try single.encode([String: Int]())
            },
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for body in bodies {
            let value = ["v": [Written(body: body)]]
            #expect(try ObjectMapper.standard.encode(value) == encoder.encode(value))
        }
    }

    @Test func `a value encoded in place of one of another kind fails`() throws {
        let text = try json { encoder in
            var list = encoder.unkeyedContainer()
            try list.encode(1)
            var single = encoder.singleValueContainer()
            #expect(throws: EncodingError.self) { try single.encode(["a": 1]) }
            #expect(throws: EncodingError.self) { try single.encode("text") }
            #expect(throws: Failure.self) {
                try single.encode(
                    Written { encoder in
                        var inner = encoder.unkeyedContainer()
                        try inner.encode("lost")
                        throw Failure()
                    })
            }
        }
        #expect(text == "[1]")
    }

    @Test func `a value that encodes itself endlessly fails`() {
        final class Cycle: Encodable {
            func encode(to encoder: any Encoder) throws {
                var single = encoder.singleValueContainer()
                try single.encode(self)
            }
        }
        #expect(throws: EncodingError.self) { try ObjectMapper.standard.encode(Cycle()) }
    }

    @Test func `the last of several values for a key is kept`() throws {
        let text = try json { encoder in
            var members = encoder.container(keyedBy: Keys.self)
            try members.encode(1, forKey: .b)
            try members.encode(2, forKey: .a)
            try members.encode("longer", forKey: .b)
        }
        #expect(text == #"{"a":2,"b":"longer"}"#)
    }

    @Test func `a value that fails leaves nothing behind`() throws {
        let text = try json { encoder in
            var members = encoder.container(keyedBy: Keys.self)
            try members.encode(1, forKey: .a)
            let failing = Written { encoder in
                var members = encoder.container(keyedBy: Keys.self)
                try members.encode("lost", forKey: .a)
                var nested = members.nestedUnkeyedContainer(forKey: .b)
                try nested.encode(1)
                throw Failure()
            }
            #expect(throws: Failure.self) { try members.encode(failing, forKey: .b) }
            #expect(throws: EncodingError.self) { try members.encode(Double.nan, forKey: .b) }
            try members.encode([1, 2], forKey: .c)
        }
        #expect(text == #"{"a":1,"c":[1,2]}"#)
    }

    @Test func `a container used too late or for a second value fails`() throws {
        var kept: KeyedEncodingContainer<Keys>?
        let text = try json { encoder in
            var members = encoder.container(keyedBy: Keys.self)
            try members.encode(Written { kept = $0.container(keyedBy: Keys.self) }, forKey: .a)
            #expect(throws: EncodingError.self) { try kept?.encode(1, forKey: .a) }
            var list = encoder.unkeyedContainer()
            #expect(throws: EncodingError.self) { try list.encode(1) }
            var single = encoder.singleValueContainer()
            #expect(throws: EncodingError.self) { try single.encode(1) }
            let outer = members
            try members.encode(
                Written { _ in
                    var outer = outer
                    #expect(throws: EncodingError.self) { try outer.encode(1, forKey: .c) }
                }, forKey: .b)
        }
        #expect(text == #"{"a":{},"b":{}}"#)
    }

    @Test func `names with escapes are sorted by their characters`() throws {
        let names = ["b", "\"", "a\n", "a", "\\", "é", "\u{1}"]
        let value = Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try ObjectMapper.standard.encode(value) == encoder.encode(value))
    }

    @Test func `a decoder retained by a value can be used later`() throws {
        struct Kept: Decodable {
            let decoder: any Decoder
            init(from decoder: any Decoder) { self.decoder = decoder }
        }
        let kept = try ObjectMapper.standard.decode([Kept].self, from: Data(#"[{"a":"text that is not short"}]"#.utf8))
        let members = try kept[0].decoder.container(keyedBy: Keys.self)
        #expect(try members.decode(String.self, forKey: .a) == "text that is not short")
        #expect(members.codingPath.map(\.stringValue) == ["Index 0"])
    }

    @Test func `the first of several members with the same name counts, in any order and spelling`() throws {
        struct Three: Decodable {
            var c: Int, a: Int, b: Int
        }
        let json = #"{"a":1,"b":2,"a":3,"\u0062":4,"c":5,"c":6}"#
        let three = try ObjectMapper.standard.decode(Three.self, from: Data(json.utf8))
        #expect(three.a == 1 && three.b == 2 && three.c == 5)
    }

    @Test func `an object with many members is decoded quickly`() throws {
        struct Sparse: Decodable {
            var a: Int?, b: Int?, c: Int?, d: Int?, e: Int?, last: Int
        }
        let members = (0..<100_000).map { "\"name\($0)\":\($0)" }.joined(separator: ",")
        let value = try ObjectMapper.standard.decode(Sparse.self, from: Data("{\(members),\"last\":1}".utf8))
        #expect(value.last == 1 && value.a == nil)
    }
}
