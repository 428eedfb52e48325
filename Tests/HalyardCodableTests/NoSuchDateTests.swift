import Foundation
import HalyardCodable
import Testing

/// Dates in ISO 8601 that do not exist are errors, and those that exist are read exactly.
struct NoSuchDateTests {
    private struct Event: Codable { var at: Date }
    private struct Plain: Mapped {
        static let mapping = Mapping<Self>(.init(\.at, "at", using: .iso8601(assuming: .gmt)))
        var at = Date(timeIntervalSince1970: 0)
    }

    private func date(_ text: String, _ style: ObjectMapper.DateStyle = .iso8601) throws -> Date {
        try ObjectMapper(dates: style).decode(Event.self, from: Data("{\"at\":\"\(text)\"}".utf8)).at
    }

    @Test(arguments: [
        "2030-02-30T00:00:00Z", "2030-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2030-04-31T00:00:00Z",
        "2030-13-01T00:00:00Z", "2030-00-01T00:00:00Z", "2030-01-00T00:00:00Z", "2030-01-32T00:00:00Z",
        "2030-01-31T25:00:00Z", "2030-01-31T24:00:01Z", "2030-01-31T24:30:00Z", "2030-01-31T00:60:00Z",
        "2030-01-31T00:00:61Z", "2030-01-31T12:00:60Z", "2030-01-31T00:00:00Zjunk", "2030-01-31T00:00:00Z ",
        "2030-01-31T00:00:00ZZ",
        "2030-01-31T00:00:00+24:00", "2030-01-31T00:00:00+02:60", "2030-01-31T00:00:00+02:00x",
        "2030-01-31T00:00:00.Z", "2030-01-31T00:00:00.5.5Z", " 2030-01-31T00:00:00Z", "2030-1-31T00:00:00Z",
        "12030-01-31T00:00:00Z", "-2030-01-31T00:00:00Z", "2030-01-31", "2030-01-31T00:00Z", "2030-01-31T00:00:00+2",
        "２030-01-31T00:00:00Z", "2030-01-31T00:00:00EST", "",
    ])
    func `a date that does not exist is rejected`(_ text: String) {
        #expect(throws: DecodingError.self) { try date(text) }
        #expect(throws: DecodingError.self) { try date(text, .iso8601(assuming: .gmt)) }
        #expect(throws: DecodingError.self) { try date(text, .automatic) }
        #expect(throws: (any Error).self) {
            try ObjectMapper.standard.decode(Plain.self, from: Data("{\"at\":\"\(text)\"}".utf8))
        }
    }

    @Test(arguments: [
        ("2028-02-29T00:00:00Z", 1_835_395_200), ("2000-02-29T23:59:59Z", 951_868_799),
        ("1900-03-01T00:00:00Z", -2_203_891_200),
        ("2030-01-31T24:00:00Z", 1_896_134_400), ("2016-12-31T23:59:60Z", 1_483_228_800),
        ("2016-12-31T18:59:60-05:00", 1_483_228_800),
        ("2030-01-31t00:00:00z", 1_896_048_000), ("2030-01-31T00:00:00-00:00", 1_896_048_000),
        ("2030-01-31T00:00:00+02", 1_896_040_800), ("2030-01-31T00:00:00+0200", 1_896_040_800),
        ("2030-01-31T00:00:00-02:30", 1_896_057_000),
        ("0001-01-01T00:00:00Z", -62_135_596_800), ("0000-01-01T00:00:00Z", -62_167_219_200),
        ("9999-12-31T23:59:59Z", 253_402_300_799),
        ("2030-01-31T00:00:00.000000000000000000000000000001Z", 1_896_048_000),
    ])
    func `a date that exists is decoded`(_ text: String, _ seconds: Double) throws {
        #expect(try date(text).timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [1e11 * 8, -1e11, 1e19, 1e300, -1e300, .infinity, .nan])
    func `a date outside the years of four digits is not encoded`(_ seconds: Double) throws {
        let event = Event(at: Date(timeIntervalSince1970: seconds))
        #expect(throws: EncodingError.self) { try ObjectMapper(dates: .iso8601).encode(event) }
        if !seconds.isFinite || abs(seconds) > 1e16 {
            #expect(throws: EncodingError.self) { try ObjectMapper.standard.encode(event) }
        }
    }

    @Test(arguments: [0, 1_700_000_000, 1_700_000_000.4, -62_135_596_800, 253_402_300_799, -1, -0.5, 951_782_400])
    func `an encoded date decodes to the same value`(_ seconds: Double) throws {
        let data = try ObjectMapper(dates: .iso8601).encode(Event(at: Date(timeIntervalSince1970: seconds)))
        let read = try ObjectMapper(dates: .iso8601).decode(Event.self, from: data).at.timeIntervalSince1970
        #expect(read == seconds.rounded(.down), "\(String(decoding: data, as: UTF8.self))")
    }
}
