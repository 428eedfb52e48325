import Foundation
import HalyardCodable
import HalyardHTTP
import Testing

/// Mapped models without a request.
struct MappedTests {
    private func read<T: Decodable & SendableMetatype>(
        _ type: T.Type, _ json: String, _ mapper: ObjectMapper = .standard
    ) throws -> T {
        try HTTPResponse(status: 200, data: Data(json.utf8), url: URL(string: "https://h/")!)
            .object(type, mapper: mapper)
    }

    private func reason<T: Decodable & SendableMetatype>(
        _ type: T.Type, _ json: String, _ mapper: ObjectMapper = .standard
    ) throws -> String {
        let error = #expect(throws: HTTPError.decoding) { _ = try read(type, json, mapper) }
        return try #require(error?.reason)
    }

    private func written(_ value: some Encodable, _ mapper: ObjectMapper = .standard) throws -> String {
        try mapper.json(value).description
    }

    struct Song: Mapped, Equatable {
        var songName = ""
        var imageURL: String?
        var at = Date(timeIntervalSince1970: 0)
        static let mapping = Mapping<Self>(
            .init(\.songName, "songName"), .init(\.imageURL, "image_url"), .init(\.at, "at"))
    }

    @Test func `the mapper decides the format of dates, and the mapping decides the names`() throws {
        let song = Song(songName: "a", imageURL: "b", at: Date(timeIntervalSince1970: 1))
        #expect(try written(song) == #"{"at":1000,"image_url":"b","songName":"a"}"#)
        let snake = ObjectMapper(dates: .iso8601, keys: .snakeCase)
        let json = #"{"at":"1970-01-01T00:00:01Z","image_url":"b","songName":"a"}"#
        #expect(try written(song, snake) == json)
        #expect(try read(Song.self, json, snake) == song)
        #expect(
            try reason(Song.self, #"{"songName":"a","at":true}"#)
                == #""at" is a boolean, where Song.at needs a Date, as milliseconds since 1970 or text in ISO 8601"#)
    }

    struct Member: Mapped, Equatable {
        struct Badge: Codable, Equatable { var shownName = "" }
        var joined = "", name = "", xy = "", badges: [Badge] = []
        static let mapping = Mapping<Self>(
            .init(\.joined, "memberSince"), .init(\.name, "b-Name", .optional), .init(\.xy, "X.Y"),
            .init(\.badges, "allBadges"))
    }

    @Test func `a name in a mapping is used unchanged in both directions, even with snake case`() throws {
        let (member, snake) = (
            Member(joined: "1", name: "2", xy: "3", badges: [.init(shownName: "4")]), ObjectMapper(keys: .snakeCase)
        )
        let json = #"{"X.Y":"3","allBadges":[{"shown_name":"4"}],"b-Name":"2","memberSince":"1"}"#
        #expect(try written(member, snake) == json)
        #expect(try read(Member.self, json, snake) == member)
        #expect(try written(["aKey": member], snake) == #"{"aKey":\#(json)}"#)
        #expect(
            try reason(Member.self, #"{"member_since":"1","X.Y":"3","allBadges":[]}"#, snake)
                == #""memberSince" is missing, but Member.joined requires it"#)
        #expect(try member.merging(["memberSince": "5"], mapper: snake).joined == "5")
        var other = member
        other.joined = "6"
        let changes = try JSON.changes(from: snake.json(member), to: snake.json(other))
        #expect(changes == ["memberSince": "6"])
    }

    struct Outer: Mapped {
        struct Plain: Codable, Sendable { var size: Int8 }
        var song: Song?
        var plain: [Plain] = []
        static let mapping = Mapping<Self>(.init(\.song, "song"), .init(\.plain, "plain"))
    }

    @Test(arguments: [
        (#"{"song":{"at":1},"plain":[]}"#, #""song.songName" is missing, but Song.songName requires it"#),
        (#"{"plain":[{"size":1},{}]}"#, #""plain[1].size" is missing, but Outer.plain requires it"#),
        (#"{"plain":[{"size":"1"}]}"#, #""plain[0].size" is a string, where Outer.plain needs Int8"#),
        (#"{"song":1,"plain":[]}"#, #""song" is a number, where Outer.song needs an object"#),
    ])
    func `the error names the innermost known property`(
        _ json: String, _ words: String
    ) throws {
        #expect(try reason(Outer.self, json) == words)
    }

    struct Bare: Mapped {
        static let mapping = Mapping<Self>()
    }

    @Test func `an empty mapping decodes any object and encodes an empty one`() throws {
        _ = try read(Bare.self, #"{"a":1}"#)
        #expect(try written(Bare()) == "{}")
        #expect(try reason(Bare.self, "[1,2]") == "the body is an array, where Bare needs an object")
    }

    struct Both: Mapped {
        var read = "", write = ""
        static let mapping = Mapping<Self>(
            .init(\.read, "name", .readOnly), .init(\.write, "name", .writeOnly))
    }

    @Test func `a name can be decoded into one property and encoded from another`() throws {
        let both = try read(Both.self, #"{"name":"a"}"#)
        #expect(both.read == "a" && both.write == "")
        #expect(try written(Both(read: "a", write: "b")) == #"{"name":"b"}"#)
    }

    struct Checked: Mapped {
        struct TooMany: Error, CustomStringConvertible { let description = "at most 3" }
        var count = 0
        var doubled = 0
        static let mapping = Mapping<Self>(.init(\.count, "count"))

        mutating func didDecode(from decoder: any Decoder) throws {
            guard count <= 3 else { throw TooMany() }
            doubled = count * 2
        }

        mutating func willEncode(to encoder: any Encoder) throws {
            guard count <= 3 else { throw TooMany() }
            count += 1
        }
    }

    @Test func `hooks check and change values, and their errors include the path`() throws {
        let checked = try read(Checked.self, #"{"count":3}"#)
        #expect(checked.doubled == 6)
        #expect(
            try reason([Checked].self, #"[{"count":1},{"count":4}]"#)
                == #""[1]" is not valid for Checked: at most 3"#)
        var small = checked
        small.count = 1
        #expect(try written(small) == #"{"count":2}"#)
        #expect(small.count == 1)
        #expect(throws: Checked.TooMany.self) { try written(Checked(count: 4)) }
    }

    class Shape: Mapped {
        var name = ""
        var checks = 0
        required init() {}
        class var mapping: Mapping<Shape> { Mapping(.init(\.name, "name")) }
        func didDecode(from decoder: any Decoder) throws { checks += 1 }
    }
    class Round: Shape {
        var radius = 0.0
        override class var mapping: Mapping<Shape> {
            super.mapping.adding(Mapping<Round>(.init(\.radius, "radius")))
        }
        override func didDecode(from decoder: any Decoder) throws {
            try super.didDecode(from: decoder)
            checks += 10
        }
    }
    final class Named: Round {
        var tag: String?
        override class var mapping: Mapping<Shape> {
            super.mapping.adding(Mapping<Named>(.init(\.tag, "tag", .explicitNull)))
        }
    }
    final class Clash: Shape {
        var other = ""
        override class var mapping: Mapping<Shape> {
            super.mapping.adding(Mapping<Clash>(.init(\.other, "name")))
        }
    }

    @Test func `a class hierarchy is decoded and encoded completely, including its hooks`() throws {
        let named = try read(Named.self, #"{"name":"a","radius":1.5,"tag":"t"}"#)
        #expect(named.name == "a" && named.radius == 1.5 && named.tag == "t" && named.checks == 11)
        #expect(
            try written([Round(), named] as [Shape]) == #"[{"name":"","radius":0},{"name":"a","radius":1.5,"tag":"t"}]"#
        )
        #expect(try reason(Named.self, #"{"name":"a"}"#) == #""radius" is missing, but Round requires it"#)
        #expect(
            try reason(Clash.self, #"{"name":"a"}"#).hasSuffix(
                #"the mapping of Shape has two properties named "name": its number 1, Shape, and number 2, Clash.other"#
            ))
    }

    final class Alone: Mapped {
        var name = ""
        static let mapping = Mapping<Alone>(.init(\.name, "name"))
    }

    @Test func `a final class needs no more code than a struct`() throws {
        #expect(try read(Alone.self, #"{"name":"a"}"#).name == "a")
    }

    struct Stranger: Mapped {
        static let mapping = Mapping<Song>(.init(\.songName, "name"))
    }

    @Test func `a mapping of another type fails in both directions`() throws {
        #expect(try reason(Stranger.self, "{}").hasSuffix("the mapping of Stranger is declared for Song"))
        #expect(throws: EncodingError.self) { try written(Stranger()) }
    }

    @Test func `several threads may read a mapping at once`() async throws {
        struct Page<Item: Codable & Sendable>: Mapped {
            var items: [Item] = []
            static var mapping: Mapping<Self> { Mapping(.init(\.items, "items")) }
        }
        let total = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 200) { _ in
            let page = try? ObjectMapper.standard.merging(["items": [1]], into: Page<Int>())
            total.withLock { $0 += page?.items.first ?? 0 }
        }
        #expect(total.withLock { $0 } == 200)
    }
}
