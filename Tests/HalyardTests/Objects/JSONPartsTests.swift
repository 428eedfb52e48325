import Foundation
import TestSupport
import Testing

@testable import Halyard

/// A long list is read a part at a time, with the same result as if it were read at once.
struct JSONPartsTests {
    private struct Item: Decodable, Equatable {
        let id: Int
        var name: String?
        var tags: [[String]] = []
    }

    /// Keeps its decoder, and reads from it later.
    private struct Late: Decodable {
        let decoder: any Decoder
        init(from decoder: any Decoder) { self.decoder = decoder }
    }

    private let coding = ObjectCoding(dates: .iso8601, isSnakeCase: true, userInfo: [:])

    private func outcome<T: Decodable>(_ type: T.Type, _ text: String, partedFrom: Int, limit: Int = 1) -> String {
        outcome(type, Data(text.utf8), partedFrom: partedFrom, limit: limit)
    }

    private func outcome<T: Decodable>(_ type: T.Type, _ data: Data, partedFrom: Int, limit: Int = 1) -> String {
        do {
            return "\(try coding.decode(type, from: data, partedFrom: partedFrom, partLimit: limit))"
        } catch { return "\(error)" }
    }

    private static func text(_ chance: inout Seeded, count: Int) -> String {
        let items = (0..<count).map { number in
            let name = Bool.random(using: &chance) ? #""na\u00efve [,]""# : "null"
            return #"{"id": \#(number), "name": \#(name), "tags": [["a", "b"], [], ["]"]]}"#
        }
        return "\u{FEFF} [ " + items.joined(separator: " ,\n") + " ] "
    }

    @Test func `a list decoded in parts equals the list decoded at once`() throws {
        var chance = Seeded(31)
        for count in [1, 2, 3, 40] {
            let text = Self.text(&chance, count: count)
            let whole = try coding.decode([Item].self, from: Data(text.utf8), partedFrom: .max)
            #expect(whole.map(\.id) == Array(0..<count))
            for limit in [1, 5, 30, 100, 100_000] {
                let parts = try coding.decode([Item].self, from: Data(text.utf8), partedFrom: 0, partLimit: limit)
                #expect(parts == whole)
            }
        }
    }

    @Test func `modified bytes give the same list or the same error`() throws {
        var chance = Seeded(32)
        var (values, errors) = (0, 0)
        for round in 0..<3000 {
            var bytes = Array(Self.text(&chance, count: round % 6).utf8)
            for _ in 0..<Int.random(in: 0...2, using: &chance) {
                let place = Int.random(in: bytes.indices, using: &chance)
                bytes[place] = try chance.pick(Array("{}[]\",:0.-eE\\u \u{80}".utf8) + [0xFF, 0xEF, 0xBB, 0xBF])
            }
            let whole = outcome([Item].self, Data(bytes), partedFrom: .max)
            for limit in [1, 12, 40] {
                let parts = outcome([Item].self, Data(bytes), partedFrom: 0, limit: limit)
                #expect(parts == whole, "\(String(decoding: bytes, as: UTF8.self))")
            }
            if whole.hasPrefix("[") { values += 1 } else { errors += 1 }
        }
        #expect(values > 200 && errors > 200)
    }

    @Test(arguments: [
        "[]", " [ ] ", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1]]", "[1]x", "[1],[2]", "[\u{FEFF}1]",
        "[1,\u{FEFF}2]", "{}",
        "1", "", "[[1,2],[3]]", "[1,\"2\"]", "[1,\"2\",]", "[null]", "[1,2,3,4]", "[1.5]", "[1,2,3.5,4]",
    ])
    func `the ends of parts are checked`(_ text: String) {
        #expect(outcome([Int].self, text, partedFrom: 0) == outcome([Int].self, text, partedFrom: .max))
        #expect(outcome([[Int]].self, text, partedFrom: 0) == outcome([[Int]].self, text, partedFrom: .max))
        #expect(outcome([JSON].self, text, partedFrom: 0) == outcome([JSON].self, text, partedFrom: .max))
        #expect(outcome([Int]?.self, text, partedFrom: 0) == outcome([Int]?.self, text, partedFrom: .max))
    }

    @Test func `the nesting depth has the same limit`() {
        for depth in [510, 511, 512, 513] {
            let text = "[1," + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "]"
            let whole = outcome([JSON].self, text, partedFrom: .max)
            #expect(outcome([JSON].self, text, partedFrom: 0) == whole)
            #expect(whole.hasPrefix("[") == (depth < 512))
        }
    }

    @Test func `an error names the element of the list`() throws {
        let elements = (0..<5000).map { $0 == 4321 ? #"{"id": 1, "tags": [["a", 5]]}"# : #"{"id": 1}"# }
        let error = #expect(throws: DecodingError.self) {
            try coding.decode([Element].self, from: Data("[\(elements.joined(separator: ","))]".utf8), partedFrom: 0)
        }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("the error is \(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["Index 4321", "tags", "Index 0", "Index 1"])
    }

    private struct Element: Decodable {
        let tags: [[String]]?
    }

    @Test func `a retained decoder can be used after its part is gone`() throws {
        let late = try coding.decode(
            [Late].self, from: Data(Self.lines(count: 2000).utf8), partedFrom: 0, partLimit: 50)
        #expect(try late.map { try Item(from: $0.decoder).id } == Array(0..<2000))
        #expect(late[1234].decoder.codingPath.map(\.stringValue) == ["Index 1234"])
    }

    @Test func `decoders from lists, earlier parts and errors can be used too`() throws {
        let text = Data("[[1,2],[3],[4,5,6]]".utf8)
        let lists = try coding.decode([[Late]].self, from: text, partedFrom: 0, partLimit: 1)
        #expect(try lists.map { try $0.map { try Int(from: $0.decoder) } } == [[1, 2], [3], [4, 5, 6]])

        let error = #expect(throws: Refusal.self) {
            let key = try #require(CodingUserInfoKey(rawValue: "keeper"))
            let keeping = ObjectCoding(dates: .iso8601, isSnakeCase: false, userInfo: [key: Keeper()])
            return try keeping.decode([Chained].self, from: text, partedFrom: 0, partLimit: 1)
        }
        let decoders = try #require(error?.keeper.decoders)
        #expect(try decoders.map { try [Int](from: $0) } == [[1, 2], [3], [4, 5, 6]])
        #expect(decoders.map { $0.codingPath.map(\.stringValue) } == [["Index 0"], ["Index 1"], ["Index 2"]])
    }

    /// Keeps the decoders of all elements, reads from the first one for each, and refuses the last element.
    private struct Chained: Decodable {
        init(from decoder: any Decoder) throws {
            let keeper = try #require(decoder.userInfo.values.first as? Keeper)
            keeper.decoders.append(decoder)
            guard try [Int](from: keeper.decoders[0]) == [1, 2], keeper.decoders.count < 3 else {
                throw Refusal(keeper: keeper)
            }
        }
    }

    /// `@unchecked Sendable` is sound: one test uses it, on one thread.
    private final class Keeper: @unchecked Sendable {
        var decoders: [any Decoder] = []
    }

    private struct Refusal: Error { let keeper: Keeper }

    @Test func `reserves no more memory than the text requires`() throws {
        // Small elements, and a long one.
        let text = Data("[\(String(repeating: "{},", count: 1000))\"\(String(repeating: "x", count: 1 << 20))\"]".utf8)
        try text.withUnsafeBytes { raw in
            let bytes = JSONBytes(raw.bindMemory(to: UInt8.self))
            var parts = try #require(JSONParts(bytes, coding, limit: 100))
            _ = try parts.next()
            #expect(parts.count == 49)
            #expect(parts.expectedCount(stride: 1) > 100_000)
            #expect(parts.expectedCount(stride: 400) <= text.count / 400)
        }
    }

    @Test func `a list of a megabyte is decoded in parts`() throws {
        let text = Self.lines(count: 60_000)
        #expect(text.utf8.count >= JSONParts.minimumLength)
        let parts = try #require(
            Data(text.utf8).withUnsafeBytes { raw -> Int? in
                var parts = JSONParts(JSONBytes(raw.bindMemory(to: UInt8.self)), coding, limit: JSONParts.limit)
                var count = 0
                while try parts?.next() != nil { count += 1 }
                return count
            })
        #expect((5...20).contains(parts))
        #expect(try ObjectMapper().decode([Item].self, from: Data(text.utf8)).map(\.id) == Array(0..<60_000))
    }

    @Test func `a canceled task stops at the next part`() async {
        let task = Task { [coding] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try coding.decode([Int].self, from: Data("[1,2,".utf8), partedFrom: 0, partLimit: 1)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    private static func lines(count: Int) -> String {
        "[" + (0..<count).map { #"{"id": \#($0), "tags": []}"# }.joined(separator: ",") + "]"
    }
}
