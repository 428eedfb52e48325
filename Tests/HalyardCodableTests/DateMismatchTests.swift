import Foundation
import HalyardCodable
import Testing

/// The error of a date that does not match the mapper.
struct DateMismatchTests {
    struct Event: Decodable { var at: Date, size: Double? }

    private func error(_ json: String, _ mapper: ObjectMapper) throws -> HTTPError {
        let response = HTTPResponse(status: 200, data: Data(json.utf8), url: URL(string: "https://h/")!)
        return try #require(#expect(throws: HTTPError.self) { _ = try response.object(Event.self, mapper: mapper) })
    }

    @Test(arguments: [
        (ObjectMapper.DateStyle.millisecondsSince1970, "milliseconds since 1970"),
        (.secondsSince1970, "seconds since 1970"),
    ])
    func `the error for text in place of a number names the mapper's date style and suggests another`(
        _ dates: ObjectMapper.DateStyle, _ words: String
    ) throws {
        let mapper = ObjectMapper(dates: dates)
        let error = try error(#"{"at":"2020-01-01T00:00:00Z"}"#, mapper)
        #expect(error.reason == #""at" is a string, where Event needs a Date, as \#(words)"#)
        #expect(error.recoverySuggestion == "Set the ObjectMapper(dates:) of the provider or the route to .iso8601")
        for text in [#""yesterday""#, #""2020-1-1""#, "{}"] {
            let error = try self.error("{\"at\":\(text)}", mapper)
            #expect(error.reason?.hasSuffix("where Event needs a Date, as \(words)") == true && error.suggestion == nil)
        }
        #expect(try self.error(#"{"at":null}"#, mapper).reason == #""at" is null, where Event needs Date"#)
    }

    @Test(arguments: [
        #"{"at":1577836800000}"#, #"{"at":"2020-01-01T00:00:00Z"}"#, #"{"at":"2020-01-01T01:00:00+01:00"}"#,
    ])
    func `the standard mapper decodes milliseconds and text with a time zone`(_ json: String) throws {
        let response = HTTPResponse(status: 200, data: Data(json.utf8), url: try #require(URL(string: "https://h/")))
        #expect(try response.object(Event.self).at == Date(timeIntervalSince1970: 1_577_836_800))
    }

    @Test(arguments: [
        (#"{"at":"2020-01-01T00:00:00"}"#, "has no time zone"), (#"{"at":"yesterday"}"#, "is not an ISO 8601 date"),
        (#"{"at":{}}"#, "where Event needs a Date, as milliseconds since 1970 or text in ISO 8601"),
    ])
    func `the error names a value the standard mapper cannot decode as a date`(_ json: String, _ words: String) throws {
        let error = try error(json, .standard)
        #expect(error.reason?.contains(words) == true, "\(error)")
        #expect((error.suggestion?.contains(".iso8601(assuming: .gmt)") == true) == (words == "has no time zone"))
    }

    @Test func `the error for a number in place of text names the date style and suggests another`() throws {
        let error = try error(#"{"at":1500}"#, ObjectMapper(dates: .iso8601, keys: .snakeCase))
        #expect(error.reason == #""at" is a number, where Event needs a Date, as text in ISO 8601"#)
        #expect(error.suggestion?.hasSuffix("to .millisecondsSince1970 or .secondsSince1970") == true)
        #expect(error.cause is DecodingError)
    }

    @Test(arguments: [
        (#"{"at":"2020-01-01"}"#, ", or a Date that the ObjectMapper reads as text"), (#"{"at":"x"}"#, ""),
        (#"{"at":1,"size":"1.5 MB"}"#, ""),
    ])
    func `a custom decoder's error mentions dates only if the type contains one`(_ json: String, _ tail: String) throws
    {
        let mapper = ObjectMapper(decoder: JSONDecoder(), encoder: JSONEncoder())
        #expect(try error(json, mapper).reason?.hasSuffix("is a string, where Event needs Double\(tail)") == true)
    }
}
