import Foundation
import HalyardHTTP
import Testing

struct DateTests {
    @Test func `a time accepts only days of its month and at most one leap second`() {
        #expect(CivilTime(2028, 2, 29)?.secondsSince1970 == 1_835_395_200)
        #expect(CivilTime(2030, 12, 31, 23, 59, 60)?.secondsSince1970 == 1_924_992_000)
        for time in [
            CivilTime(2030, 2, 29), CivilTime(2030, 4, 31), CivilTime(2030, 0, 1), CivilTime(2030, 13, 1),
            CivilTime(2030, 1, 0), CivilTime(2030, 1, 1, 24), CivilTime(2030, 1, 1, 0, 60),
            CivilTime(2030, 1, 1, 0, 0, 61),
        ] { #expect(time == nil) }
    }

    @Test(arguments: [-62_167_219_200, -86_401, -1, 0, 951_782_399, 951_782_400, 4_107_542_399, 253_402_300_799])
    func `a time converts to seconds and back`(_ seconds: Int64) {
        let time = CivilTime(secondsSince1970: seconds)
        #expect(time.secondsSince1970 == seconds)
        #expect(CivilTime(time.year, time.month, time.day, time.hour, time.minute, time.second) == time)
    }

    @Test func `a strict date matches one of three formats exactly`() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "sun nov 16 08:49:37 1994",
        ] { #expect(HTTPDate.strictSeconds(text) != nil, "\(text)") }
        for text in [
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
            "Sun,  06 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:61 GMT",
        ] { #expect(HTTPDate.strictSeconds(text) == nil, "\(text)") }
        #expect(HTTPDate.seconds("Sun, 6 Nov 1994 08:49:37 GMT") == HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT"))
    }

    @Test func `a date is written with the given digits and rounding`() {
        let date = Date(timeIntervalSince1970: 1.9996)
        #expect(date.iso8601Text() == "1970-01-01T00:00:01Z")
        #expect(date.iso8601Text(digits: 3, rounded: .toNearestOrAwayFromZero) == "1970-01-01T00:00:02.000Z")
        #expect(date.iso8601Text(digits: 2) == "1970-01-01T00:00:01.99Z")
        #expect(Date(timeIntervalSince1970: -0.25).iso8601Text(digits: 2) == "1969-12-31T23:59:59.75Z")
        #expect(Date(timeIntervalSince1970: -62_167_219_200).iso8601Text() == "0000-01-01T00:00:00Z")
        #expect(Date(timeIntervalSince1970: 253_402_300_800).iso8601Text() == nil)
        #expect(Date(timeIntervalSince1970: .infinity).iso8601Text() == nil)
    }
}
