import Foundation
import HalyardCodable
import Testing

/// Values whose JSON differs from the default of their types.
struct TransformerTests {
    struct Color: Equatable, Sendable {
        var red: Int
        struct Unknown: Error, CustomStringConvertible { let description = "no such color" }
    }

    private static let color = Transformer<Color>(
        decode: { (text: String) in
            if text == "boom" { throw Color.Unknown() }
            return Int(text, radix: 16).map { Color(red: $0) }
        }, encode: { String($0.red, radix: 16) })

    struct Palette: Mapped {
        var main: Color? = Color(red: 0)
        var all: [Color] = []
        var named: [String: Color]?
        var grid: [[Color?]] = []
        var times: [Date] = []
        static let mapping = Mapping<Self>(
            .init(\.main, "main", using: color),
            .init(\.all, "all", using: color, .optional),
            .init(\.named, "named", using: color),
            .init(\.grid, "grid", using: .array(of: .array(of: .optional(of: color))), .optional),
            .init(\.times, "times", using: .millisecondsSince1970, .optional)
        )
    }

    private func read<T: Decodable & Sendable>(
        _ type: T.Type, _ json: String, _ mapper: ObjectMapper = .standard
    ) throws -> T {
        try HTTPResponse(status: 200, data: Data(json.utf8), url: URL(string: "https://h/")!)
            .object(type, mapper: mapper)
    }

    private func reason<T: Decodable & Sendable>(
        _ type: T.Type, _ json: String, _ mapper: ObjectMapper = .standard
    ) throws -> String {
        let error = #expect(throws: HTTPError.decoding) { _ = try read(type, json, mapper) }
        return try #require(error?.reason)
    }

    @Test func `a custom transformer applies in every container, in both directions`() throws {
        let json = #"{"all":["a","b"],"grid":[["1",null],[]],"main":"ff","named":{"x":"7"},"times":[1500]}"#
        let palette = try read(Palette.self, json)
        #expect(palette.main == Color(red: 255) && palette.all == [Color(red: 10), Color(red: 11)])
        #expect(palette.named == ["x": Color(red: 7)] && palette.grid == [[Color(red: 1), nil], []])
        #expect(palette.times.map(\.timeIntervalSince1970) == [1.5])
        #expect(try ObjectMapper.standard.json(palette).description == json)
        #expect(try ObjectMapper(keys: .snakeCase).json(palette).description == json)
        #expect(try read(Palette.self, json, ObjectMapper(keys: .snakeCase)).grid == palette.grid)
    }

    @Test func `a transformer never receives null`() throws {
        #expect(try read(Palette.self, #"{"main":null,"named":null}"#).main == nil)
    }

    @Test(arguments: [
        (#"{"main":"x"}"#, #""main" is not valid for Palette.main: "x" is not Color, as String"#),
        (#"{"main":1}"#, #""main" is a number, where Palette.main needs Color, as String"#),
        (#"{"main":"boom"}"#, #""main" is not valid for Palette.main: "boom": no such color"#),
        (#"{"all":["a",null]}"#, #""all[1]" is null, where Palette.all needs Color, as String"#),
        (#"{"all":{}}"#, #""all" is an object, where Palette.all needs an array of Color, as String"#),
        (#"{"named":{"k":false}}"#, #""named.k" is a boolean, where Palette.named needs Color, as String"#),
        (#"{"grid":[["1"],["x"]]}"#, #""grid[1][0]" is not valid for Palette.grid: "x" is not Color, as String"#),
        (
            #"{"times":["1500"]}"#,
            #""times[0]" is a string, where Palette.times needs a Date, as milliseconds since 1970"#
        ),
    ])
    func `the error names the path, the property, and the expected and found types`(_ json: String, _ words: String)
        throws
    {
        #expect(try reason(Palette.self, json) == words)
    }

    @Test func `the error for a value that cannot be encoded names the path and the property`() throws {
        struct Far: Mapped {
            var list = [Date(timeIntervalSince1970: 1e300)]
            static let mapping = Mapping<Self>(.init(\.list, "days", using: .format("yyyy")))
        }
        let body = RouteBody.json([Far()])
        #expect(try encodingReason(body) == #"Far.list at "[0].days[0]": the date is too far away"#)
    }

    @Test func `two transformers for one type fail with an error that names the type`() throws {
        let mapper = ObjectMapper(transformers: .iso8601, .secondsSince1970)
        struct Event: Mapped {
            var at = Date()
            static let mapping = Mapping<Self>(.init(\.at, "at"))
        }
        #expect(
            try reason(Event.self, #"{"at":1}"#, mapper) == "Event: the ObjectMapper has two transformers for Date")
    }

    @Test func `the provider's transformers do not apply to types that are only Codable`() throws {
        let mapper = ObjectMapper(dates: .secondsSince1970, transformers: .iso8601)
        #expect(try read([Date].self, "[1]", mapper) == [Date(timeIntervalSince1970: 1)])
    }

    struct Stamp: Mapped {
        var at: Date? = nil
        static let mapping = Mapping<Self>(.init(\.at, "at", using: .iso8601))
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (1.5, "1970-01-01T00:00:01.500Z"), (1.0001, "1970-01-01T00:00:01Z"),
        (-0.001, "1969-12-31T23:59:59.999Z"), (1_492_430_524.142, "2017-04-17T12:02:04.142Z"),
    ])
    func `ISO 8601 text includes milliseconds if there are any`(_ seconds: Double, _ text: String) throws {
        let stamp = Stamp(at: Date(timeIntervalSince1970: seconds))
        #expect(try ObjectMapper.standard.json(stamp)["at"].string == text)
        let read = try read(Stamp.self, "{\"at\":\"\(text)\"}").at
        #expect(abs(try #require(read).timeIntervalSince1970 - seconds) < 0.001)
    }

    private func encodingReason(_ body: RouteBody) throws -> String? {
        struct API: HTTPProvider { let baseURL = URL(string: "https://h")! }
        let route = Route(path: "/", method: .put, body: body)
        return #expect(throws: HTTPError(.encoding("the body"))) { _ = try API().prepare(route) }?.reason
    }
}
