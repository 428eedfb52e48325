import Foundation
import HalyardCodable
import Testing

/// Dates by ISO 8601 with fractions of any length, and without a time zone.
struct ZonelessDateTests {
    struct Event: Codable, Equatable { var startsAt: Date }

    private static let seconds = 1_714_979_289.0  // 2024-05-06T07:08:09Z

    private func date(_ text: String, _ mapper: ObjectMapper) throws -> Date {
        try mapper.decode(Event.self, from: Data("{\"startsAt\":\"\(text)\"}".utf8)).startsAt
    }

    @Test(arguments: 0...9)
    func `a fraction may have up to nine digits`(_ count: Int) throws {
        let digits = "123456789".prefix(count)
        let text = "2024-05-06T07:08:09" + (digits.isEmpty ? "" : ".\(digits)")
        let seconds = Self.seconds + (Double("0.\(digits)0") ?? 0)
        for zone in ["Z", "+00:00"] {
            let date = try date(text + zone, ObjectMapper(dates: .iso8601))
            #expect(abs(date.timeIntervalSince1970 - seconds) < 0.000_001, "\(text)\(zone)")
        }
        let date = try date(text, ObjectMapper(dates: .iso8601(assuming: .gmt)))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.000_001, "\(text)")
    }

    @Test func `a date without a time zone fails with a suggestion`() throws {
        let text = "2024-05-06T07:08:09.123456"
        let response = HTTPResponse(
            status: 200, data: Data(#"{"startsAt":"\#(text)"}"#.utf8), url: URL(string: "https://h/")!)
        let error = try #require(
            #expect(throws: HTTPError.self) {
                _ = try response.object(Event.self, mapper: ObjectMapper(dates: .iso8601))
            })
        #expect(error.reason == #""startsAt" is not valid for Event: "\#(text)" has no time zone"#)
        #expect(
            error.recoverySuggestion
                == "Set the ObjectMapper(dates:) of the provider or the route to .iso8601(assuming: .gmt), "
                + "or to the API's time zone")
        #expect(error.cause is DecodingError)
    }

    @Test func `a date without a time zone fails in a mapping, but a transformer can assume one`() throws {
        struct Plain: Mapped {
            static let mapping = Mapping<Self>(.init(\.at, "at"))
            var at = Date(timeIntervalSince1970: 0)
        }
        struct Strict: Mapped {
            static let mapping = Mapping<Self>(.init(\.at, "at", using: .iso8601))
            var at = Date(timeIntervalSince1970: 0)
        }
        struct Assuming: Mapped {
            static let mapping = Mapping<Self>(.init(\.at, "at", using: .iso8601(assuming: .gmt)))
            var at = Date(timeIntervalSince1970: 0)
        }
        let response = HTTPResponse(
            status: 200, data: Data(#"{"at":"2024-05-06T07:08:09.250000"}"#.utf8), url: URL(string: "https://h/")!)
        let plain = #expect(throws: HTTPError.self) {
            _ = try response.object(Plain.self, mapper: ObjectMapper(dates: .iso8601))
        }
        #expect(
            plain?.suggestion?.hasPrefix("Set the ObjectMapper(dates:) of the provider or the route to .iso8601(")
                == true)
        let strict = #expect(throws: HTTPError.self) { _ = try response.object(Strict.self) }
        #expect(strict?.reason?.hasSuffix(#""2024-05-06T07:08:09.250000": it has no time zone"#) == true)
        #expect(strict?.suggestion?.hasPrefix("Set the property's using: to .iso8601(assuming: .gmt)") == true)
        let date = Date(timeIntervalSince1970: Self.seconds + 0.25)
        #expect(try response.object(Assuming.self).at == date)
        #expect(try response.object(Plain.self, mapper: ObjectMapper(dates: .iso8601(assuming: .gmt))).at == date)
    }

    @Test func `a time zone in the text takes precedence over the assumed one`() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let mapper = ObjectMapper(dates: .iso8601(assuming: berlin), keys: .snakeCase)
        let json =
            #"[{"starts_at":"2024-05-06T09:08:09"},{"starts_at":"2024-05-06T07:08:09Z"},"#
            + #"{"starts_at":"2024-05-06T03:08:09-04:00"},{"starts_at":"2024-05-06T09:08:09.000000"}]"#
        let events = try mapper.decode([Event].self, from: Data(json.utf8))
        #expect(events == Array(repeating: Event(startsAt: Date(timeIntervalSince1970: Self.seconds)), count: 4))
        #expect(
            String(decoding: try mapper.encode(events[0]), as: UTF8.self) == #"{"starts_at":"2024-05-06T07:08:09Z"}"#)
    }

    @Test(arguments: [
        ("2024-01-15T12:00:00", "2024-01-15T11:00:00Z"), ("2024-07-15T12:00:00", "2024-07-15T10:00:00Z"),
        // The clock is set from 2 to 3: a time that it skips is an hour later.
        ("2024-03-31T01:59:59", "2024-03-31T00:59:59Z"), ("2024-03-31T02:30:00", "2024-03-31T01:30:00Z"),
        ("2024-03-31T03:00:00", "2024-03-31T01:00:00Z"),
        // The clock is set from 3 to 2: a time that it shows twice is the first one.
        ("2024-10-27T01:59:59", "2024-10-26T23:59:59Z"), ("2024-10-27T02:30:00", "2024-10-27T00:30:00Z"),
        ("2024-10-27T03:00:00", "2024-10-27T02:00:00Z"),
    ])
    func `an assumed time zone uses daylight saving time according to the date`(_ text: String, _ utc: String) throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        #expect(
            try date(text, ObjectMapper(dates: .iso8601(assuming: berlin)))
                == date(utc, ObjectMapper(dates: .iso8601)))
    }

    @Test(arguments: [
        "yesterday", "", "2024-05-06", "2024-05-06T", "2024-13-06T07:08:09", "07:08:09", "2024-05-06T07:08:09.5x",
    ])
    func `text that is not a date fails even with an assumed time zone`(_ text: String) throws {
        for style in [ObjectMapper.DateStyle.iso8601, .iso8601(assuming: .gmt)] {
            let error = #expect(throws: DecodingError.self) { _ = try date(text, ObjectMapper(dates: style)) }
            guard case .dataCorrupted(let context) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(context.debugDescription == "\"\(text)\" is not an ISO 8601 date")
        }
    }

    @Test func `a custom style encodes and decodes dates together with snake case keys`() throws {
        let style = ObjectMapper.DateStyle.custom { decoder in
            Date(timeIntervalSince1970: try decoder.singleValueContainer().decode(Double.self) / 1_000_000)
        } encode: { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Int64((date.timeIntervalSince1970 * 1_000_000).rounded()))
        }
        let mapper = ObjectMapper(dates: style, keys: .snakeCase)
        let json = #"{"starts_at":1714979289000000}"#
        let event = try mapper.decode(Event.self, from: Data(json.utf8))
        #expect(event.startsAt == Date(timeIntervalSince1970: Self.seconds))
        #expect(String(decoding: try mapper.encode(event), as: UTF8.self) == json)
    }

    @Test func `the error for a date that a custom style cannot decode gives the path and the reason`() throws {
        struct Odd: Error, CustomStringConvertible { let description = "the calendar is another" }
        let style = ObjectMapper.DateStyle.custom { _ in
            throw Odd()
        } encode: { _, _ in
            throw Odd()
        }
        let mapper = ObjectMapper(dates: style)
        let response = HTTPResponse(
            status: 200, data: Data(#"{"startsAt":1}"#.utf8), url: URL(string: "https://h/")!)
        let error = try #require(
            #expect(throws: HTTPError.self) { _ = try response.object(Event.self, mapper: mapper) })
        #expect(error.kind == .decoding && error.reason?.contains("the calendar is another") == true)
        #expect(throws: (any Error).self) { _ = try mapper.encode(Event(startsAt: .distantPast)) }
    }

    @Test func `styles are equal if they encode and decode in the same way`() {
        let custom = ObjectMapper.DateStyle.custom { _ in
            Date()
        } encode: { _, _ in
        }
        let styles: [ObjectMapper.DateStyle] = [
            .iso8601, .iso8601(assuming: .gmt), .millisecondsSince1970, .secondsSince1970, custom,
            .custom { _ in
                Date()
            } encode: { _, _ in
            },
        ]
        for (index, style) in styles.enumerated() { #expect(styles.firstIndex(of: style) == index) }
        #expect(custom == styles[4])
        #expect(ObjectMapper.DateStyle.iso8601(assuming: .gmt) == .iso8601(assuming: .gmt))
    }
}
