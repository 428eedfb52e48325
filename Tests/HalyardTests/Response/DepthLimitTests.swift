import Foundation
import Halyard
import Testing

/// Values that are encoded by Foundation's encoder, with a limit on their depth that protects the stack.
struct DepthLimitTests {
    private static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .iso8601
        encoder.dataEncodingStrategy = .base64
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        encoder.userInfo[Zoo.note] = "noted"
        return encoder
    }

    /// Uses every function of an encoder.
    struct Zoo: Encodable {
        static let note = CodingUserInfoKey(rawValue: "note")!

        enum Kind: String, Codable { case oneTwo }
        enum Choice: Codable { case left(someValue: Int), right }
        struct Point: Codable { var xValue = 1, yValue: Double? }
        class Base: Encodable {
            let baseName = "base"
        }
        final class Derived: Base {
            enum Keys: CodingKey { case ownName }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode("own", forKey: .ownName)
                try super.encode(to: container.superEncoder())
                try super.encode(to: container.superEncoder(forKey: .ownName))
            }
        }

        let bool = true, text = "é\u{0}\"", float: Float = 0.1, double = Double.nan
        let int8 = Int8.min, int16 = Int16.min, int32 = Int32.min, int64 = Int64.min, int = -1
        let uint8 = UInt8.max, uint16 = UInt16.max, uint32 = UInt32.max, uint64 = UInt64.max, uint: UInt = 1
        let date = Date(timeIntervalSince1970: 86_400), data = Data([1, 2, 3]), url = URL(string: "https://a.example/b")
        let decimal = Decimal(string: "12345678901234567890.123"),
            identifier = UUID(uuidString: "00000000-0000-0000-0000-000000000001")
        let none: Int? = nil, some: Int?? = .some(.some(1)), kind = Kind.oneTwo
        let choices = [Choice.left(someValue: 1), .right]
        let ints = [1, 2], dates = [Date(timeIntervalSince1970: 0), nil], grid = [[1.5], []], points = [Point(), nil]
        let byName = ["someKey": 1], datesByName = ["someKey": Date(timeIntervalSince1970: 0)]
        let deepByName = ["someKey": ["otherKey": ["thirdKey": Point(yValue: 2)]]],
            empty: [String: [String: Point]] = [:]
        let listsByName = ["someKey": [["otherKey": Point()]]],
            maybeByName = ["someKey": ["otherKey": Point()] as Optional]
        let byNumber = [1: Point()], byKind = [Kind.oneTwo: "x"], base = Base(), derived: Base = Derived()

        enum Keys: CodingKey { case allFields, nested, list, note, nothing }
        enum Inner: CodingKey { case innerValue, innerList, nothing }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(Fields(zoo: self), forKey: .allFields)
            try container.encode(encoder.userInfo[Self.note] as? String, forKey: .note)
            try container.encodeNil(forKey: .nothing)
            var inner = container.nestedContainer(keyedBy: Inner.self, forKey: .nested)
            try inner.encode(Point(), forKey: .innerValue)
            var innerList = inner.nestedUnkeyedContainer(forKey: .innerList)
            try innerList.encode(Date(timeIntervalSince1970: 0))
            try innerList.encodeNil()
            try innerList.encode(contentsOf: [true, false])
            var list = container.nestedUnkeyedContainer(forKey: .list)
            var member = list.nestedContainer(keyedBy: Inner.self)
            try member.encodeIfPresent(nil as Int?, forKey: .nothing)
            var deeper = list.nestedUnkeyedContainer()
            try deeper.encode(["someKey": 1])
            try Point().encode(to: list.superEncoder())
            try list.encode(list.count)
        }
    }

    private struct Fields: Encodable {
        let zoo: Zoo
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Name.self)
            for child in Mirror(reflecting: zoo).children {
                let name = try #require(child.label.map(Name.init))
                guard let value = child.value as? any Encodable else { throw CocoaError(.coderInvalidValue) }
                try container.encode(value, forKey: name)
            }
        }
        struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
    }

    @Test func `every value is encoded as Foundation's encoder does`() throws {
        let encoder = Self.encoder()
        let mapper = ObjectMapper(decoder: JSONDecoder(), encoder: encoder)
        let plain = try encoder.encode(Zoo())
        let limited = try mapper.encode(Zoo())
        #expect(String(decoding: limited, as: UTF8.self) == String(decoding: plain, as: UTF8.self))
        #expect(String(decoding: plain, as: UTF8.self).contains(#""deep_by_name":{"someKey":{"otherKey""#))

        let values: [any Encodable] = [
            1, "text", Date(), Data([1]), [1], ["someKey": ["otherKey": 1]], Zoo.Kind.oneTwo,
        ]
        for value in values { #expect(try mapper.encode(value) == encoder.encode(value)) }
    }

    @Test func `errors give the path in the value`() throws {
        struct Outer: Encodable { var innerList = [["x": [1.5, .nan]]] }
        let error = #expect(throws: EncodingError.self) { try ObjectMapper.standard.encode(Outer()) }
        guard case .invalidValue(let value, let context) = error else { throw try #require(error) }
        #expect(value as? Double != nil)
        #expect(context.codingPath.map(\.stringValue) == ["innerList", "Index 0", "x", "Index 1"])
    }

    @Test func `the error for a value that encodes nothing names its type`() throws {
        struct Silent: Encodable { func encode(to encoder: any Encoder) throws {} }
        let error = #expect(throws: EncodingError.self) { try ObjectMapper.standard.encode(Silent()) }
        guard case .invalidValue(let value, let context) = error else { throw try #require(error) }
        #expect(value is Silent && context.debugDescription == "Top-level Silent did not encode any values.")
    }

    // MARK: Nesting

    final class Chain: Encodable {
        var next: Chain?
        /// Releases the links in sequence, because a recursive release of a deep chain would exhaust the stack.
        deinit {
            var rest = next
            next = nil
            while let link = rest, isKnownUniquelyReferenced(&rest) { (rest, link.next) = (link.next, nil) }
        }
        init(_ depth: Int) {
            var last = self
            for _ in 1..<max(1, depth) {
                let link = Chain(1)
                (last.next, last) = (link, link)
            }
        }
    }

    /// A value that is nested in itself to a given depth.
    struct Deep: Encodable, Sendable {
        enum Way: CaseIterable, Sendable { case member, array, dictionary, optional, scalar, members, elements, parent }
        enum Keys: CodingKey { case next }
        let way: Way
        let rest: Int

        private var next: Deep? { rest == 0 ? nil : Deep(way: way, rest: rest - 1) }

        func encode(to encoder: any Encoder) throws {
            switch way {
            case .member:
                var container = encoder.container(keyedBy: Keys.self)
                try container.encodeIfPresent(next, forKey: .next)
            case .array:
                var container = encoder.unkeyedContainer()
                if let next { try container.encode(next) }
            case .dictionary:
                var container = encoder.singleValueContainer()
                try container.encode(next.map { ["a": ["b": $0]] } ?? [:])
            case .optional:
                var container = encoder.unkeyedContainer()
                try container.encode(next)
            case .scalar:
                var container = encoder.singleValueContainer()
                if let next { try container.encode(next) } else { try container.encode(1) }
            case .members:
                var container = encoder.container(keyedBy: Keys.self)
                var nested = container.nestedContainer(keyedBy: Keys.self, forKey: .next)
                try nested.encodeIfPresent(next, forKey: .next)
            case .elements:
                var container = encoder.unkeyedContainer()
                var nested = container.nestedUnkeyedContainer()
                if let next { try nested.encode(next) }
            case .parent:
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(rest, forKey: .next)
                try next?.encode(to: container.superEncoder())
            }
        }
    }

    @Test(arguments: Deep.Way.allCases) func `a value that is too deep fails`(way: Deep.Way) throws {
        _ = try ObjectMapper.standard.encode(Deep(way: way, rest: 120))
        let error = #expect(throws: EncodingError.self) {
            try ObjectMapper.standard.encode(Deep(way: way, rest: 10_000))
        }
        #expect("\(try #require(error))".contains("nested more than 511 levels deep"))
    }

    @Test func `values may have 511 levels, and a cycle of objects fails`() throws {
        #expect(try ObjectMapper.standard.encode(Chain(511)).count == #"{"next":}"#.count * 510 + 2)
        #expect(throws: EncodingError.self) { try ObjectMapper.standard.encode(Chain(512)) }
        #expect(throws: EncodingError.self) { try ObjectMapper.standard.encode(Chain(10_000)) }
        let circle = Chain(1)
        circle.next = circle
        #expect(throws: EncodingError.self) { try ObjectMapper.standard.encode(circle) }
        circle.next = nil
    }

    /// A value that JSON does not have, before one that is too deep.
    private struct Uneven: Encodable {
        let number = Double.nan, price = Decimal.nan, date = Date.distantFuture, next: Chain
    }

    @Test(arguments: Deep.Way.allCases)
    func `a value that is too deep does not reach Foundation's encoder`(way: Deep.Way) throws {
        let mapper = ObjectMapper(decoder: JSONDecoder(), encoder: Self.encoder())
        _ = try mapper.encode(Deep(way: way, rest: 120))
        for value in [Deep(way: way, rest: 10_000), Uneven(next: Chain(600))] as [any Encodable] {
            let error = #expect(throws: EncodingError.self) { try mapper.encode(value) }
            #expect("\(try #require(error))".contains("nested more than 511 levels deep"))
        }
    }
}
