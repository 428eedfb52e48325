import Foundation
import TestSupport

/// A type with a property of each kind that a coder treats in its own way.
struct Everything: Codable, Equatable {
    enum Choice: Codable, Equatable {
        case nothing
        case one(Int)
        case named(text: String, flag: Bool?)
    }

    enum Size: String, Codable, CodingKeyRepresentable { case small, large }

    struct Point: Codable, Equatable {
        var x: Double
        var y: Float?
    }

    /// A class and its subclass, whose members are in two objects.
    class Base: Codable, Equatable {
        var id = 0

        init() {}
        static func == (left: Base, right: Base) -> Bool { left.id == right.id && left.isEqual(to: right) }
        func isEqual(to other: Base) -> Bool { true }
    }

    final class Derived: Base {
        var title = ""

        private enum Keys: CodingKey { case title }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Keys.self)
            title = try members.decode(String.self, forKey: .title)
            try super.init(from: members.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Keys.self)
            try members.encode(title, forKey: .title)
            try super.encode(to: members.superEncoder())
        }
        override func isEqual(to other: Base) -> Bool { (other as? Derived)?.title == title }
    }

    /// A value whose members are in nested containers.
    struct Nested: Codable, Equatable {
        var city = ""
        var numbers: [Int] = []

        private enum Keys: CodingKey { case address, list }
        private enum Address: CodingKey { case city }
        init() {}
        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Keys.self)
            city = try members.nestedContainer(keyedBy: Address.self, forKey: .address).decode(
                String.self, forKey: .city)
            var list = try members.nestedUnkeyedContainer(forKey: .list)
            while !list.isAtEnd { numbers.append(try list.decodeNil() ? -1 : try list.decode(Int.self)) }
        }
        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Keys.self)
            var address = members.nestedContainer(keyedBy: Address.self, forKey: .address)
            var list = members.nestedUnkeyedContainer(forKey: .list)
            // The containers are written to in turn.
            for number in numbers { try list.encode(number) }
            try address.encode(city, forKey: .city)
        }
    }

    var bool = false, text = "", double = 0.0, float: Float = 0, int = 0
    var int8: Int8 = 0, int16: Int16 = 0, int32: Int32 = 0, int64: Int64 = 0
    var uint: UInt = 0, uint8: UInt8 = 0, uint16: UInt16 = 0, uint32: UInt32 = 0, uint64: UInt64 = 0
    var date = Date(timeIntervalSince1970: 0), data = Data(), url = URL(string: "https://example.com/")
    var decimal = Decimal(0), identifier = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var maybe: Int?, twice: String??, texts: [String] = [], gaps: [Int?] = [], grid: [[Double]] = [], set: Set<Int> = []
    var points: [Point] = [], byName: [String: Point] = [:], byNumber: [Int: String] = [:], bySize: [Size: Bool] = [:]
    var choices: [Choice] = [], derived = Derived(), nested = Nested(), deep: [String: [String: [Int]]] = [:]
}

extension Everything {
    /// Makes a random value.
    static func random(_ chance: inout Seeded) throws -> Everything {
        var value = Everything()
        let texts = ["", "a", "name", "é\u{301}", "\u{0}\n\"\\/", "👍🏽", "longer than fifteen bytes", "\u{2028}", "<>&'"]
        let doubles = [
            0, -0.0, 1, 0.1, -1.5e-7, 1e22, 123456789.125, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e16,
        ]
        func many<T>(_ make: (inout Seeded) throws -> T) rethrows -> [T] {
            try (0..<Int.random(in: 0...3, using: &chance)).map { _ in try make(&chance) }
        }
        value.bool = Bool.random(using: &chance)
        value.text = try chance.pick(texts)
        value.double =
            Bool.random(using: &chance) ? try chance.pick(doubles) : Double.random(in: -1e6...1e6, using: &chance)
        value.float = Float(try chance.pick([0, 0.1, -2.5, 3e7]))
        value.int = try chance.pick([0, -1, .max, .min, 1234567890123456789])
        value.int8 = .random(in: .min ... .max, using: &chance)
        value.int16 = .random(in: .min ... .max, using: &chance)
        value.int32 = .random(in: .min ... .max, using: &chance)
        value.int64 = .random(in: .min ... .max, using: &chance)
        value.uint = .random(in: .min ... .max, using: &chance)
        value.uint8 = .random(in: .min ... .max, using: &chance)
        value.uint16 = .random(in: .min ... .max, using: &chance)
        value.uint32 = .random(in: .min ... .max, using: &chance)
        value.uint64 = .random(in: .min ... .max, using: &chance)
        value.date = Date(timeIntervalSince1970: try chance.pick([0, 1_700_000_000.25, -86_400]))
        value.data = Data(many { _ in UInt8.random(in: .min ... .max, using: &chance) })
        value.decimal = Decimal(string: try chance.pick(["0", "0.10", "-12345678901234567890.5"])) ?? 0
        value.maybe = Bool.random(using: &chance) ? 7 : nil
        value.twice = Bool.random(using: &chance) ? .some(.some("x")) : .none
        value.texts = try many { try $0.pick(texts) }
        value.gaps = many { Bool.random(using: &$0) ? 1 : nil }
        value.grid = try many { _ in try many { try $0.pick(doubles) } }
        value.set = Set(many { Int.random(in: 0...1, using: &$0) }.prefix(1))
        value.points = try many { Point(x: try $0.pick(doubles), y: Bool.random(using: &$0) ? 1.5 : nil) }
        for name in try many({ try $0.pick(texts) }) { value.byName[name] = Point(x: 1, y: nil) }
        for number in many({ Int.random(in: -9...99, using: &$0) }) { value.byNumber[number] = "n" }
        value.bySize = Bool.random(using: &chance) ? [.small: true] : [:]
        value.choices = try many { try $0.pick([.nothing, .one(1), .named(text: "t", flag: nil)]) }
        value.derived.title = try chance.pick(texts)
        value.derived.id = Int.random(in: 0...9, using: &chance)
        value.nested.city = try chance.pick(texts)
        value.nested.numbers = many { Int.random(in: 0...9, using: &$0) }
        value.deep = Bool.random(using: &chance) ? ["a": ["someKey": [1, 2]], "b": [:]] : [:]
        return value
    }
}
