import Foundation
import HalyardAsync
import Testing

// The examples of the article on models, word for word: they compile, and only the one with unknown values is run.

private struct Color: Sendable {
    static let black = Color(hex: "000000")
    var hex: String
}

private struct ModelsArticle {
    struct TooMany: Error {}
    struct User: Codable { var age: Int }

    struct State: RawRepresentable, Codable, Hashable, Sendable {
        let rawValue: String
        static let open = State(rawValue: "open")
        static let closed = State(rawValue: "closed")
    }

    struct Person: Mapped {
        var id = 0
        var desc = "DEFAULT"
        var level = 1
        var nick: String?
        var date: Date?
        var cached = 0  // not in the mapping: ignored, both ways

        static let mapping = Mapping<Self>(
            .init(\.id, "id", .readOnly),
            .init(\.desc, "description", .nullable),
            .init(\.level, "level", [.nullable, .optional]),
            .init(\.nick, "nick", .explicitNull),
            .init(\.date, "date", using: .iso8601)
        )
    }

    struct Track: Mapped {
        var released = Date.distantPast
        var plays: [Date] = []
        var isLive = false
        var cover: Data?
        var home: URL?
        var color = Color.black

        static let mapping = Mapping<Self>(
            .init(\.released, "released", using: .format("yyyy-MM-dd")),
            .init(\.plays, "plays", using: .secondsSince1970),
            .init(\.isLive, "is_live", using: .texts(true: "t", false: "f")),
            .init(\.cover, "cover", using: .base64),
            .init(\.home, "home", using: .strictURL),
            .init(\.color, "color", using: .hex)
        )
    }

    struct Results<Item: Codable & Sendable>: Mapped {
        var items: [Item] = []
        static var mapping: Mapping<Self> { Mapping(.init(\.items, "results")) }

        mutating func didDecode(from decoder: any Decoder) throws {
            guard items.count <= 100 else { throw TooMany() }
        }
    }

    class Animal: Mapped {
        var name = ""
        required init() {}
        class var mapping: Mapping<Animal> { Mapping(.init(\.name, "name")) }
    }

    final class Dog: Animal {
        var owner: String?
        override class var mapping: Mapping<Animal> {
            super.mapping.adding(Mapping<Dog>(.init(\.owner, "owner")))
        }
    }

    func list() -> ObjectMapper {
        let mapper = ObjectMapper(
            dates: .iso8601, transformers: .strictURL, .texts(true: "t", false: "f"))
        return mapper
    }

    func changes(_ old: some Encodable & Sendable, _ new: some Encodable & Sendable) -> Route {
        let route = Route(
            // {"name":"Alice"}
            path: "/users/1", method: .patch, body: .changes(from: old, to: new))
        return route
    }

    func merging(_ person: Person, _ user: User) throws {
        // properties without a mapping keep their values
        let renamed = try person.merging(["description": "x"])
        // for a plain Codable type
        let older = try ObjectMapper.standard.merging(["age": 8], into: user)
        _ = (renamed, older)
    }
}

extension Transformer where Value == Color {
    static var hex: Transformer {
        Transformer(decode: { Color(hex: $0) }, encode: { $0.hex })
    }
}

struct ModelsArticleTests {
    @Test func `a struct keeps a value that it does not list, and an enum fails`() throws {
        enum Listed: String, Codable { case open, closed }
        let (mapper, data) = (ObjectMapper.standard, Data(#"["open","paused"]"#.utf8))
        let states = try mapper.decode([ModelsArticle.State].self, from: data)
        #expect(states.map(\.rawValue) == ["open", "paused"] && states.map { $0 == .open } == [true, false])
        #expect(try mapper.encode(states) == data)
        #expect(throws: (any Error).self) { try mapper.decode([Listed].self, from: data) }
    }
}
