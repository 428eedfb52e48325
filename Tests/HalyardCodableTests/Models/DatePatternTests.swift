import Foundation
import Testing

@testable import HalyardCodable

/// Dates as text by a pattern.
struct DatePatternTests {
    private static let patterns = [
        "yyyy-MM-dd'T'HH:mm:ss.SSSZ", "yyyy-MM-dd HH:mm:ss", "d.M.yyyy H:mm", "EEE, dd MMM yyyy HH:mm:ss 'GMT'",
        "yyyyMMdd''HHmmssXXX", "yyyy-MM-dd'T'HH:mm:ssxxx",
    ]

    @Test(arguments: patterns, [-11_676_096_000, -2_203_891_200, -1, 0, 951_825_600, 1_492_437_724, 253_402_300_799])
    func `a date pattern formats and parses dates as Foundation does`(pattern: String, seconds: Int) throws {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.calendar = Calendar(identifier: .iso8601)
        formatter.dateFormat = pattern
        let date = Date(timeIntervalSince1970: Double(seconds))
        let text = try DatePattern(pattern).text(date)
        #expect(text == formatter.string(from: date))
        #expect(try DatePattern(pattern).date(text) == formatter.date(from: text))
    }

    @Test func `every day of four centuries survives a round trip`() throws {
        let pattern = DatePattern("yyyy-MM-dd")
        var known = Set<String>()
        for day in stride(from: -60_000, to: 90_000, by: 1) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            let text = try pattern.text(date)
            #expect(try pattern.date(text) == date)
            known.insert(text)
        }
        #expect(known.count == 150_000 && known.contains("2000-02-29") && !known.contains("1900-02-29"))
    }

    @Test(arguments: [
        ("2030-01-31T14:02:03.142Z", 1_896_098_523.142), ("2030-01-31T14:02:03.142+0200", 1_896_091_323.142),
        ("2030-01-31T14:02:03.142-05:30", 1_896_118_323.142),
    ])
    func `a time zone may be written in any supported form`(text: String, seconds: Double) throws {
        let date = try #require(try DatePattern("yyyy-MM-dd'T'HH:mm:ss.SSSZ").date(text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.0005)
    }

    @Test(arguments: [
        "", "2030-01-31", "2030-01-31 14:02", "2030-13-01 14:02:03", "2030-00-01 14:02:03", "2030-02-29 14:02:03",
        "2030-01-31 24:00:00", "2030-01-31 14:60:00", "2030-01-31 14:00:60", "2030-01-31 14:02:03 ",
        "2030-1-31 14:02:03", "2030-01-31 14:02:0x", "+030-01-31 14:02:03", "2030-01-31T14:02:03",
    ])
    func `text that does not match the pattern, or is not a day, is not parsed as a date`(text: String) throws {
        #expect(try DatePattern("yyyy-MM-dd HH:mm:ss").date(text) == nil)
    }

    @Test(arguments: [
        ("yyyy-MM-dd hh:mm", "h is for a 12-hour clock: use H in the date pattern"),
        ("HH:mm a", "h is for a 12-hour clock: use H in the date pattern"),
        ("yyyy-MM-ddTHH:mm", "a date pattern has no T here; letters that are literal text need quotes: 'T'"),
        ("yyyyy", "a date pattern has no yyyyy here; letters that are literal text need quotes: 'T'"),
        ("yyyy'T", "a quote in the date pattern is not closed"),
    ])
    func `the error for an invalid pattern gives the reason`(pattern: String, words: String) {
        let reading = #expect(throws: DatePattern.Failure.self) { _ = try DatePattern(pattern).date("2030") }
        let writing = #expect(throws: DatePattern.Failure.self) { _ = try DatePattern(pattern).text(Date()) }
        #expect(reading?.description == words && writing?.description == words)
    }

    @Test(arguments: [-1e12, 1e12, 1e300, .infinity, -.infinity, .nan])
    func `a date that is too far away fails`(seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(throws: DatePattern.Failure.self) { _ = try DatePattern("yyyy").text(date) }
        #expect(throws: DatePattern.Failure.self) { _ = try DatePattern("yyyy.SSSSSSSSS").text(date) }
    }

    @Test func `a fraction is rounded and carries into the seconds`() throws {
        #expect(try DatePattern("ss.SSS").text(Date(timeIntervalSince1970: 1.0006)) == "01.001")
        #expect(try DatePattern("ss.S").text(Date(timeIntervalSince1970: 1.96)) == "02.0")
        #expect(try DatePattern("ss.SSS").text(Date(timeIntervalSince1970: -0.25)) == "59.750")
    }
}
