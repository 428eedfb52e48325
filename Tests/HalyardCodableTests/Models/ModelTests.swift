import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Models with options, through the whole pipeline: values, errors and their descriptions.
@Suite(.timeLimit(.minutes(3)))
struct ModelTests {
    struct API: HTTPProvider {
        let baseURL = URL(string: "https://h")!
        let client: HTTPClient
        var mapper = ObjectMapper.standard
    }

    struct Person: Mapped {
        var desc = "DEFAULT"
        var date: Date?
        var cached = 0
        static let mapping = Mapping<Self>(
            .init(\.desc, "description", .nullable),
            .init(\.date, "date", using: .iso8601)
        )
    }

    /// Returns the object of a response.
    private func read<T: Decodable & Sendable>(
        _ type: T.Type, _ json: String, _ mapper: ObjectMapper = .standard
    ) async throws -> T {
        let stub = StubTransport().on(.get, "/", .json(text: json))
        return try await API(client: HTTPClient(transport: stub), mapper: mapper).request(Route(path: "/")).object()
    }

    /// Returns the body of a value.
    private func sent(_ value: some Encodable & Sendable, _ mapper: ObjectMapper = .standard) async throws -> String {
        let stub = StubTransport().on(.put, "/", .status(200))
        let api = API(client: HTTPClient(transport: stub), mapper: mapper)
        try await api.request(Route(path: "/", method: .put, body: .json(value))).void()
        return try #require(stub.requests.first?.text)
    }

    /// Returns the reason why a body cannot be decoded as a type.
    private func reason<T: Decodable & Sendable>(
        _ type: T.Type, _ json: String, _ mapper: ObjectMapper = .standard
    ) async throws -> String {
        let error = await #expect(throws: HTTPError.decoding) { _ = try await read(type, json, mapper) }
        return try #require(error?.reason)
    }

    @Test("renamed, nullable, ignored and transformed properties are mapped in both directions")
    func r15() async throws {
        let json = #"{"description":null,"date":"2017-04-17T12:02:04.142Z"}"#
        let person = try await read(Person.self, json)
        #expect(person.desc == "DEFAULT" && person.cached == 0)
        #expect(abs(try #require(person.date).timeIntervalSince1970 - 1_492_430_524.142) < 0.0005)
        #expect(try await sent(person) == #"{"date":"2017-04-17T12:02:04.142Z","description":"DEFAULT"}"#)
        // Codable like any other: in arrays, dictionaries and optionals.
        #expect(try await read([Person].self, "[\(json)]").first?.desc == "DEFAULT")
        #expect(try await read([String: Person].self, "{\"a\":\(json)}")["a"]?.date == person.date)
        #expect(try await read(Person?.self, "null") == nil)
    }

    struct Kinds: Mapped {
        struct Inner: Mapped {
            var tags: [String] = []
            var more: [Inner]?
            static let mapping = Mapping<Self>(.init(\.tags, "tags"), .init(\.more, "more"))
        }
        var text = ""
        var flag = false
        var small = Int8(0)
        var large = UInt64(0)
        var half = Float(0)
        var ratio = 0.0
        var age: Int?
        var isOn: Bool?
        var any = JSON.null
        var counts: [String: Int] = [:]
        var inner: Inner?
        var lists: [[Inner]] = []
        static let mapping = Mapping<Self>(
            .init(\.text, "text"), .init(\.flag, "flag"), .init(\.small, "small"), .init(\.large, "large"),
            .init(\.half, "half"), .init(\.ratio, "ratio"), .init(\.age, "age"), .init(\.isOn, "isOn"),
            .init(\.any, "any"), .init(\.counts, "counts"), .init(\.inner, "inner"), .init(\.lists, "lists")
        )
    }

    @Test("every kind of value, nested and optional, is mapped in both directions", .behaviors(131))
    func row131() async throws {
        let json =
            #"{"age":7,"any":[null,{"a":1.5}],"counts":{"a":1},"flag":true,"half":0.5,"#
            + #""inner":{"more":[{"tags":[]}],"tags":["x"]},"isOn":false,"large":18446744073709551615,"#
            + #""lists":[[{"tags":["y"]}],[]],"ratio":0.1,"small":-128,"text":"é"}"#
        let kinds = try await read(Kinds.self, json)
        #expect(kinds.age == 7 && kinds.isOn == false && kinds.large == .max && kinds.any[1]["a"].double == 1.5)
        #expect(kinds.inner?.more?.first?.tags == [] && kinds.lists[0][0].tags == ["y"])
        #expect(try await sent(kinds) == json)
        #expect(
            try await reason(Kinds.self, json.replacing("-128", with: "-129")).hasPrefix(
                #""small" is not valid for Kinds.small: "#))
    }

    @Test("a missing key fails with an error that names it, and is nil for an optional property", .behaviors(132))
    func row132() async throws {
        #expect(try await reason(Person.self, "{}") == #""description" is missing, but Person.desc requires it"#)
        #expect(try await read(Person.self, #"{"description":""}"#).date == nil)
        #expect(
            try await reason([Person].self, "[{}]") == #""[0].description" is missing, but Person.desc requires it"#)
    }

    struct Profile: Mapped {
        var name = ""
        var level = 1
        var nick: String? = "none"
        var seen = Date(timeIntervalSince1970: 0)
        var home: Date? = Date(timeIntervalSince1970: 7)
        static let mapping = Mapping<Self>(
            .init(\.name, "name"), .init(\.level, "level", [.nullable, .optional]), .init(\.nick, "nick", .optional),
            .init(\.seen, "seen", using: .secondsSince1970),
            .init(\.home, "home", using: .secondsSince1970, [.nullable, .optional])
        )
    }

    @Test(
        "null fails with the property's name, nullable() keeps the default, and a missing value fails",
        .behaviors(133), .defects("BR17")
    )
    func row133() async throws {
        let found = try await reason(Profile.self, #"{"name":null,"seen":1}"#)
        #expect(found == #""name" is null, where Profile.name needs String"#)
        let missing = try await reason(Person.self, #"{"date":null}"#)
        #expect(missing == #""description" is missing, but Person.desc requires it"#)
        // With this option, a missing value also keeps its default.
        for json in [#"{"name":"a","seen":1}"#, #"{"name":"a","seen":1,"level":null,"home":null}"#] {
            let profile = try await read(Profile.self, json)
            #expect(profile.level == 1 && profile.nick == "none" && profile.home == Date(timeIntervalSince1970: 7))
        }
        #expect(try await read(Profile.self, #"{"name":"a","seen":1,"nick":null}"#).nick == nil)
        // Null for a transformed property is an error as well, not a crash.
        #expect(
            try await reason(Profile.self, #"{"name":"a","seen":null}"#)
                == #""seen" is null, where Profile.seen needs a Date, as seconds since 1970"#)
    }

    @Test(
        "a wrong type fails with the expected and the found type, even for an optional property", .behaviors(134),
        .defects("BR16"))
    func row134() async throws {
        #expect(
            try await reason(Kinds.Inner.self, #"{"tags":[1988]}"#)
                == #""tags[0]" is a number, where Inner.tags needs String"#)
        #expect(
            try await reason(Profile.self, #"{"name":"a","level":"1988"}"#)
                == #""level" is a string, where Profile.level needs Int"#)
        #expect(
            try await reason(Profile.self, #"{"name":"a","nick":1988}"#)
                == #""nick" is a number, where Profile.nick needs String"#)
        #expect(
            try await reason(Person.self, #"{"description":"","date":5}"#)
                == #""date" is a number, where Person.date needs a Date, as text in ISO 8601"#)
    }

    struct Twice: Mapped {
        var first = "", last = ""
        static let mapping = Mapping<Self>(.init(\.first, "name"), .init(\.last, "name"))
    }

    @Test(
        "a name applies in both directions, and duplicate names are rejected", .behaviors(135),
        .defects("BR21"))
    func row135() async throws {
        #expect(try await read(Person.self, #"{"description":"x","desc":"y"}"#).desc == "x")
        #expect(try await sent(Person(desc: "x")) == #"{"description":"x"}"#)
        let words =
            #"the mapping of Twice has two properties named "name": its number 1, Twice.first, and number 2, Twice.last"#
        #expect(try await reason(Twice.self, #"{"name":"x"}"#).hasSuffix(words))
        let error = await #expect(throws: HTTPError(.encoding("the body"))) { _ = try await sent(Twice()) }
        #expect(error?.reason == "Twice: \(words)")
    }

    struct Account: Mapped {
        let kind = "account"
        var id = 0
        var password = ""
        var isShown = true
        static let mapping = Mapping<Self>(.init(\.id, "id", .readOnly), .init(\.password, "password", .writeOnly))
    }

    @Test(
        "ignored and constant properties are skipped both ways; others are only decoded or only encoded",
        .behaviors(136))
    func row136() async throws {
        let json = #"{"id":7,"isShown":false,"kind":"other","password":"x"}"#
        var account = try await read(Account.self, json)
        #expect(account.isShown && account.kind == "account" && account.id == 7 && account.password == "")
        account.password = "secret"
        #expect(try await sent(account) == #"{"password":"secret"}"#)
    }

    struct Flags: Mapped {
        var one = false
        var many: [Date] = []
        var named: [String: Date]?
        var deep: [[Bool]] = []
        var data: Data?
        var own = Date(timeIntervalSince1970: 0)
        static let mapping = Mapping<Self>(
            .init(\.one, "one"), .init(\.many, "many"), .init(\.named, "named"), .init(\.deep, "deep"),
            .init(\.data, "data", using: .base64), .init(\.own, "own", using: .format("yyyy-MM-dd"))
        )
    }

    @Test(
        "transformers apply in arrays, dictionaries and optionals, the property's before the provider's",
        .behaviors(137))
    func row137() async throws {
        let mapper = ObjectMapper(transformers: .texts(true: "t", false: "f"), .secondsSince1970)
        let json =
            #"{"data":"aGk=","deep":[["t"],["f","t"]],"many":[1.5,2],"named":{"a":3},"one":"t","own":"2017-04-17"}"#
        let flags = try await read(Flags.self, json, mapper)
        #expect(flags.one && flags.deep == [[true], [false, true]] && flags.data == Data("hi".utf8))
        #expect(flags.many.map(\.timeIntervalSince1970) == [1.5, 2] && flags.named?["a"]?.timeIntervalSince1970 == 3)
        // The property's transformer takes precedence over the provider's.
        #expect(flags.own.timeIntervalSince1970 == 1_492_387_200)
        #expect(try await sent(flags, mapper) == json)
        // Null is passed to neither transformer.
        let bare = json.replacing(#"{"a":3}"#, with: "null").replacing(#""aGk=""#, with: "null")
        let none = try await read(Flags.self, bare, mapper)
        #expect(none.named == nil && none.data == nil)
        #expect(
            try await reason(Flags.self, json.replacing(#"["f","t"]"#, with: #"["f","x"]"#), mapper)
                == #""deep[1][1]" is not valid for Flags.deep: "x" is not a Bool, as "t" or "f""#)
    }

    struct Phone: Mapped {
        struct Model: Codable, Equatable { var name = "" }
        var model = Model()
        var root: String?
        static let mapping = Mapping<Self>(.init(\.model, "model"), .init(\.root, "root", .optional))
    }

    @Test("a model can contain a nested type of any name, even Model")
    func nestedModel() async throws {
        let json = #"{"model":{"name":"x"},"root":"r"}"#
        let phone = try await read(Phone.self, json)
        #expect(phone.model == Phone.Model(name: "x") && phone.root == "r")
        #expect(try await sent(phone) == json)
    }

    struct Links: Mapped {
        var home: URL?
        static let mapping = Mapping<Self>(.init(\.home, "home", using: .strictURL))
    }

    @Test(
        "the error for a URL with unescaped characters names the property", .behaviors(138),
        arguments: [
            "a string with spaces", "|", "%zz", "é", "",
        ])
    func row138(text: String) async throws {
        #expect(
            try await reason(Links.self, "{\"home\":\"\(text)\"}")
                == "\"home\" is not valid for Links.home: \"\(text)\" is not a URL without characters that need escaping"
        )
        #expect(try await read(Links.self, #"{"home":"boring"}"#).home?.absoluteString == "boring")
        #expect(try await read(Links.self, #"{"home":null}"#).home == nil)
        let whole = #"{"home":"https://h/a%20b?c=d#e"}"#
        #expect(try await sent(try await read(Links.self, whole)) == whole)
    }
}

// Four of Retrolux's defects cannot occur: BR12 (a spin lock around user code), BR18 and BR19 (Objective-C), and BR25
// (iOS only). There is no reflection, no lock is held while a model's code runs, and the code is built on Linux too.
// BN21 is a misspelt hook that is ignored. The compiler rejects a property of a wrong type (Tests/Negative) and warns
// of a hook in the extension that declares the conformance. "First steps" describes the remaining case.
