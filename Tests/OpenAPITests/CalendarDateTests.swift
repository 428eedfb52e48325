import Foundation
import HalyardOpenAPI
import Testing

/// Days without a time.
struct CalendarDateTests {
    private struct Person: Codable, Equatable {
        var born: CalendarDate
    }

    @Test(arguments: ["2030-01-31", "2024-02-29", "0000-01-01", "9999-12-31"])
    func `a day goes there and back as text`(text: String) throws {
        let person = try ObjectMapper().decode(Person.self, from: Data(#"{"born":"\#(text)"}"#.utf8))
        #expect(person.born.description == text)
        #expect(String(decoding: try ObjectMapper().encode(person), as: UTF8.self) == #"{"born":"\#(text)"}"#)
        #expect(CalendarDate(text) == person.born)
        #expect(person.born.parameterValue.text == text)
    }

    @Test(arguments: [
        "", "2023-02-29", "2030-13-01", "2030-1-31", "2030-01-31Z", "+030-01-31", "31/01/2030", "２030-01-31",
        "2030-01-31 to 2031", "2030-01-31T",
    ])
    func `another text is no day`(text: String) {
        #expect(CalendarDate(text) == nil)
        let error = #expect(throws: DecodingError.self) {
            try ObjectMapper().decode(Person.self, from: Data(#"{"born":"\#(text)"}"#.utf8))
        }
        #expect(error.map { "\($0)".contains("born") && "\($0)".contains("2030-01-31") } == true)
    }

    @Test(arguments: ["2030-01-31T23:00:00Z", "2030-01-31t23:00:00-08:00", "2030-01-31 00:00:00"])
    func `a server may send a date and time in the place of a day`(text: String) throws {
        let person = try ObjectMapper().decode(Person.self, from: Data(#"{"born":"\#(text)"}"#.utf8))
        #expect(person.born == CalendarDate(year: 2030, month: 1, day: 31))
    }

    @Test("the day depends on the time zone")
    func zones() throws {
        let tokyo = try #require(TimeZone(secondsFromGMT: 9 * 3600))
        let newYork = try #require(TimeZone(secondsFromGMT: -5 * 3600))
        let time = Date(timeIntervalSince1970: 1_893_456_000)  // 2030-01-01T00:00:00Z
        #expect(CalendarDate(time, in: .gmt)?.description == "2030-01-01")
        #expect(CalendarDate(time, in: tokyo)?.description == "2030-01-01")
        #expect(CalendarDate(time, in: newYork)?.description == "2029-12-31")
        let day = try #require(CalendarDate(year: 2030, month: 1, day: 1))
        #expect(day.date(in: .gmt) == time)
        #expect(day.date(in: tokyo) == time - 9 * 3600)
        for date in [
            Date.distantPast - 1e12, Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: .nan),
        ] {
            #expect(CalendarDate(date, in: .gmt) == nil)
        }
    }

    @Test("days are in the order of the calendar, and there are no others")
    func order() throws {
        let days = try ["2030-01-31", "2030-02-01", "2031-01-01"].map { try #require(CalendarDate($0)) }
        #expect(days.shuffled().sorted() == days)
        #expect(CalendarDate(year: 2030, month: 0, day: 1) == nil)
        #expect(CalendarDate(year: 10_000, month: 1, day: 1) == nil)
        #expect(CalendarDate(year: .min, month: .max, day: .min) == nil)
        #expect(CalendarDate(year: 2030, month: 4, day: 31) == nil)
    }
}
