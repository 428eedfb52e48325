import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Mapped models through the whole pipeline: dates, nil, classes, hooks and changes.
@Suite(.timeLimit(.minutes(3)))
struct ModelChangeTests {
    struct API: HTTPProvider {
        let baseURL = URL(string: "https://h")!
        let client: HTTPClient
        var mapper = ObjectMapper.standard
    }

    private func read<T: Decodable & SendableMetatype>(_ type: T.Type, _ json: String) async throws -> sending T {
        let stub = StubTransport().on(.get, "/", .json(text: json))
        return try await API(client: HTTPClient(transport: stub)).request(Route(path: "/")).object(type)
    }

    private func sent(_ body: RouteBody, _ mapper: ObjectMapper = .standard) async throws -> String {
        let stub = StubTransport().on(.patch, "/users/1", .status(200))
        let api = API(client: HTTPClient(transport: stub), mapper: mapper)
        try await api.request(Route(path: "/users/1", method: .patch, body: body)).void()
        return try #require(stub.requests.first?.text)
    }

    struct Event: Mapped {
        var at = Date(timeIntervalSince1970: 0)
        static let mapping = Mapping<Self>(.init(\.at, "at", using: .format("yyyy-MM-dd'T'HH:mm:ss.SSSZZZ")))
    }

    @Test("a time in the afternoon survives a round trip", .behaviors(139), .defects("BR15"))
    func row139() async throws {
        let json = #"{"at":"2017-04-17T14:02:04.142+0000"}"#
        let event = try await read(Event.self, json)
        #expect(abs(event.at.timeIntervalSince1970 - 1_492_437_724.142) < 0.0005)
        #expect(try await sent(.json(event)) == json)
    }

    struct Settings: Mapped {
        var color: String?
        var sound: String?
        static let mapping = Mapping<Self>(.init(\.color, "color"), .init(\.sound, "sound", .explicitNull))
    }
    struct Explicit: Mapped {
        var color: String?
        var at: Date?
        static let mapping = Mapping<Self>(
            all: .explicitNull, .init(\.color, "color"), .init(\.at, "at", using: .iso8601))
    }

    @Test("nil is omitted, or written as null if the property or the type requires it", .behaviors(140))
    func row140() async throws {
        #expect(try await sent(.json(Settings())) == #"{"sound":null}"#)
        #expect(try await sent(.json(Explicit())) == #"{"at":null,"color":null}"#)
    }

    @Test(
        "an array for an object, an object for an array, and invalid JSON give different errors",
        .behaviors(141),
        .defects("BR20"))
    func row141() async throws {
        for (json, words) in [
            ("[1,2]", "the body is an array, where Event needs an object"),
            ("<html>", "line 1, column 1"),
        ] {
            let error = await #expect(throws: HTTPError.decoding) { _ = try await read(Event.self, json) }
            #expect(error?.reason?.contains(words) == true)
        }
        let error = await #expect(throws: HTTPError.decoding) { _ = try await read([Event].self, "{}") }
        #expect(error?.reason == "the body is an object, where Array<Event> needs an array")
    }

    class Animal: Mapped {
        var name = ""
        required init() {}
        class var mapping: Mapping<Animal> { Mapping(.init(\.name, "name")) }
    }
    final class Dog: Animal {
        var born: Date?
        override class var mapping: Mapping<Animal> {
            super.mapping.adding(Mapping<Dog>(.init(\.born, "born", using: .format("yyyy"))))
        }
    }

    // Halyard has no list of classes that may have subclasses, and no error for others: a subclass adds to the mapping
    // of its superclass, and one that adds nothing has no properties of its own in the JSON.
    @Test("a subclass is decoded and encoded with the properties of its superclass", .behaviors(142))
    func row142() async throws {
        let json = #"{"born":"2017","name":"Rex"}"#
        let dogs = try await read([Dog].self, "[\(json)]")
        #expect(dogs.map(\.name) == ["Rex"] && dogs[0].born?.timeIntervalSince1970 == 1_483_228_800)
        #expect(try ObjectMapper.standard.json(dogs as [Animal]).description == "[\(json)]")
        #expect(try await read(Animal.self, json).name == "Rex")
    }

    struct Results<Item: Codable & Sendable>: Mapped {
        var items: [Item] = []
        var pages = 0
        static var mapping: Mapping<Self> { Mapping(.init(\.items, "results")) }

        enum Meta: String, CodingKey { case meta, pages }

        mutating func didDecode(from decoder: any Decoder) throws {
            let meta = try decoder.container(keyedBy: Meta.self).nestedContainer(keyedBy: Meta.self, forKey: .meta)
            pages = try meta.decode(Int.self, forKey: .pages)
        }

        mutating func willEncode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Meta.self)
            var meta = container.nestedContainer(keyedBy: Meta.self, forKey: .meta)
            try meta.encode(pages, forKey: .pages)
        }
    }

    @Test("a generic wrapper with its own members is mapped in both directions", .behaviors(143), .defects("BR23"))
    func row143() async throws {
        let json = #"{"meta":{"pages":2},"results":[{"sound":"a"},{"sound":"b"}]}"#
        let results = try await read(Results<Settings>.self, json)
        #expect(results.items.map(\.sound) == ["a", "b"] && results.pages == 2)
        #expect(try await sent(.json(results)) == json)
        let error = await #expect(throws: HTTPError.decoding) {
            _ = try await read([Results<Int>].self, #"[{"results":[]}]"#)
        }
        #expect(error?.reason?.hasPrefix(#""[0].meta" is missing"#) == true)
    }

    struct User: Codable, Sendable {
        struct Home: Codable, Sendable { var city: String, zip: String? }
        var name: String
        var age: Int?
        var tags = ["a", "b"]
        var home = Home(city: "x", zip: "1")
    }

    @Test(
        "a PATCH contains only the changes: removed values as null, nested objects and whole arrays", .behaviors(144),
        .defects("BR22"))
    func row144() async throws {
        let old = User(name: "Bob", age: 7)
        var new = User(name: "Alice", age: 7)
        #expect(try await sent(.changes(from: old, to: new)) == #"{"name":"Alice"}"#)
        #expect(try await sent(.changes(from: old, to: old)) == "{}")
        new = User(name: "Bob", age: nil, tags: ["a"], home: .init(city: "y", zip: "1"))
        #expect(try await sent(.changes(from: old, to: new)) == #"{"home":{"city":"y"},"tags":["a"],"age":null}"#)
        #expect(
            try await sent(.changes(from: old, to: new, nested: false))
                == #"{"home":{"city":"y","zip":"1"},"tags":["a"],"age":null}"#)
        // The provider's mapper and a type's mapping are both applied.
        let (before, after) = (Event(), Event(at: Date(timeIntervalSince1970: 1.5)))
        #expect(try await sent(.changes(from: before, to: after)) == #"{"at":"1970-01-01T00:00:01.500+0000"}"#)
        #expect(
            try await sent(.changes(from: ["theAge": 1], to: ["theAge": "2"]), ObjectMapper(keys: .snakeCase))
                == #"{"theAge":"2"}"#)
        let error = await #expect(throws: HTTPError(.encoding("the body"))) {
            _ = try await sent(.changes(from: ["a": 1], to: ["a": Double.nan]))
        }
        #expect(error?.reason?.contains("\"a\"") == true)
    }

    @Test("an object can be copied and updated from another type by its JSON names", .behaviors(145))
    func row145() async throws {
        let dog = try await read(Dog.self, #"{"born":"2017","name":"Rex"}"#)
        let copy = dog.copy()
        copy.name = "Max"
        #expect(dog.name == "Rex" && copy.born == dog.born)
        let merged = try dog.merging(User(name: "Alice"))
        #expect(dog.name == "Rex" && merged.name == "Alice" && merged.born == dog.born)
        let user = try ObjectMapper.standard.merging(["age": 8], into: User(name: "Bob"))
        #expect(user.name == "Bob" && user.age == 8 && user.home.city == "x")
    }

    struct Many: Mapped {
        static let made = Counter()
        var values: [Int] = []
        static var mapping: Mapping<Self> {
            made.increment()
            return Mapping(.init(\.values, "values"))
        }
    }

    // There is no reflection whose result could be cached: a mapping is created once, for any number of values.
    @Test("the mapping of a type is read only once", .behaviors(146))
    func row146() async throws {
        let json = "[" + Array(repeating: #"{"values":[1]}"#, count: 1000).joined(separator: ",") + "]"
        #expect(try await read([Many].self, json).count == 1000)
        #expect(Many.made.count == 1)
    }
}
