import Foundation
import Halyard
import TestSupport
import Testing

/// The mapper reads and writes what Foundation's `JSONDecoder` and `JSONEncoder` read and write.
struct FoundationComparisonTests {
    private let mapper = ObjectMapper(dates: .secondsSince1970)

    private static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
    }

    private static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    @Test func `random values are encoded to the same bytes as Foundation and decoded again`() throws {
        var chance = Seeded(1)
        for _ in 0..<400 {
            let value = try Everything.random(&chance)
            let data = try Self.encoder().encode(value)
            #expect(try mapper.encode(value) == data)
            #expect(try mapper.decode(Everything.self, from: data) == value)
        }
    }

    @Test func `modified JSON gives the same value or the same error as Foundation`() throws {
        var chance = Seeded(2)
        var (values, errors) = (0, 0)
        for _ in 0..<4000 {
            let json = try JSON(parsing: Self.encoder().encode(Everything.random(&chance)))
            let data = try json.changed(&chance).encoded()
            let expected = Outcome { try Self.decoder().decode(Everything.self, from: data) }
            let actual = Outcome { try mapper.decode(Everything.self, from: data) }
            #expect(actual == expected, "\(String(decoding: data, as: UTF8.self))")
            if case .value = expected { values += 1 } else { errors += 1 }
        }
        #expect(values > 200 && errors > 200)
    }

    @Test func `modified bytes are valid JSON for both Foundation's parser and ours or for neither`() throws {
        var chance = Seeded(3)
        var valid = 0
        for _ in 0..<4000 {
            var bytes = try [UInt8](
                JSON(parsing: Self.encoder().encode(Everything.random(&chance)))["points"].encoded())
            bytes += Array(#"{"a":[tr\u00e9,1.5e3,"é"],"b":null}"#.utf8)[(Int.random(in: 0...9, using: &chance))...]
            if Bool.random(using: &chance) {
                bytes = Array(#"{"a":[true,-1.5e3,"é\u00e9\ud83d\udc4d"],"b":null}"#.utf8)
            }
            for _ in 0..<Int.random(in: 0...2, using: &chance) {
                let place = Int.random(in: bytes.indices, using: &chance)
                bytes[place] = try chance.pick(Array("{}[]\",:0.-eE\\u \u{80}".utf8) + [0xFF, 0xC0, 0x1F])
            }
            let parsed = try? JSON(parsing: bytes)
            let decoded = try? JSONDecoder().decode(JSON.self, from: Data(bytes))
            #expect(parsed == decoded, "\(String(decoding: bytes, as: UTF8.self))")
            if parsed != nil { valid += 1 }
        }
        #expect(valid > 200)
    }

    @Test func `numbers decode to the nearest Double`() throws {
        var chance = Seeded(4)
        for _ in 0..<50_000 {
            let digits = String(
                UInt64.random(in: 0...UInt64.max, using: &chance) >> UInt64.random(in: 0...63, using: &chance))
            let text =
                switch Int.random(in: 0...2, using: &chance) {
                case 0: "\(digits)e\(Int.random(in: -340...308, using: &chance))"
                case 1: "-0.\(digits)"
                default:
                    "\(digits).\(digits.reversed().map(String.init).joined())e\(Int.random(in: -30...30, using: &chance))"
                }
            let expected = Double(text).flatMap { $0.isFinite && ($0 != 0 || digits == "0") ? $0 : nil }
            #expect((try? mapper.decode(Double.self, from: Data(text.utf8))) == expected, "\(text)")
        }
    }

    @Test(arguments: ["1.0", "1e2", "12e-1", "-0", "1E+2", "9223372036854775807", "9223372036854775808", "1.5", "-1"])
    func `whole numbers may have a fraction of zeros or an exponent`(_ text: String) throws {
        let data = Data(text.utf8)
        #expect((try? mapper.decode(Int.self, from: data)) == (try? Self.decoder().decode(Int.self, from: data)))
        #expect((try? mapper.decode(UInt8.self, from: data)) == (try? Self.decoder().decode(UInt8.self, from: data)))
    }
}

/// What decoding gives. Errors are compared by their kind, the type and the path.
private enum Outcome: Equatable {
    case value(Everything)
    case error(String)

    init(_ decode: () throws -> Everything) {
        do { self = .value(try decode()) } catch let error as DecodingError {
            self = .error(Self.summary(of: error))
        } catch { self = .error("\(error)") }
    }

    private static func summary(of error: DecodingError) -> String {
        // Foundation reads the members of a dictionary in any order, so that any of two errors may come first.
        if let first = error.path?.first?.stringValue, ["byName", "byNumber", "bySize", "deep"].contains(first) {
            return "dictionary \(first)"
        }
        func path(_ context: DecodingError.Context) -> String {
            context.codingPath.map(\.stringValue).joined(separator: ".")
        }
        return switch error {
        case .keyNotFound(let key, let context): "missing \(path(context)).\(key.stringValue)"
        // Foundation names the number or text of a date.
        case .typeMismatch(let type, let context):
            "mismatch \(context.codingPath.first?.stringValue == "date" ? "Date" : "\(type)") \(path(context))"
        case .valueNotFound(let type, let context):
            "null \(context.codingPath.first?.stringValue == "date" ? "Date" : "\(type)") \(path(context))"
        // Foundation reports a number that does not fit without its path.
        case .dataCorrupted: "corrupted"
        @unknown default: "unknown"
        }
    }
}

extension DecodingError {
    fileprivate var path: [any CodingKey]? {
        switch self {
        case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
            context.codingPath
        default: nil
        }
    }
}

extension JSON {
    /// Returns this value with up to three changes at random places.
    fileprivate func changed(_ chance: inout Seeded) throws -> JSON {
        var json = self
        for _ in 0..<Int.random(in: 0...3, using: &chance) { json = try json.changedOnce(&chance) }
        return json
    }

    private func changedOnce(_ chance: inout Seeded) throws -> JSON {
        let others: [JSON] = [
            nil, true, 0, 1.5, 300, -1, "", "7", "text", [], [1], ["a": 1], [:],
            .number(JSON.Number(text: "1e400") ?? 0),
            ["x": 1, "y": nil], [nil], ["one": ["_0": 3]], "AAECAw==", "https://example.com/a b",
        ]
        switch self {
        case .object(let members) where !members.isEmpty && Int.random(in: 0...5, using: &chance) > 0:
            var members = Array(members)
            let index = Int.random(in: members.indices, using: &chance)
            switch Int.random(in: 0...7, using: &chance) {
            case 0: members.remove(at: index)
            case 1: members.append((members[index].key, try chance.pick(others)))
            case 2: members.insert((members[index].key, try chance.pick(others)), at: 0)
            case 3: members.shuffle(using: &chance)
            default: members[index].value = try members[index].value.changedOnce(&chance)
            }
            return .object(Object(members))
        case .array(var elements) where !elements.isEmpty && Int.random(in: 0...3, using: &chance) > 0:
            let index = Int.random(in: elements.indices, using: &chance)
            elements[index] = try elements[index].changedOnce(&chance)
            return .array(elements)
        default: return try chance.pick(others)
        }
    }
}
