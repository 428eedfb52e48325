import HalyardFoundation
import HalyardHTTP

/// Parses a cookie's date (draft-ietf-httpbis-rfc6265bis section 5.1.1): time, day, month and year in any order, with
/// anything between them. The time zone is ignored. It accepts any bytes and has no side effects.
struct CookieDate {
    private var time: (hour: Int, minute: Int, second: Int)?
    private var day, month, year: Int?

    /// Returns `nil` for text that is not a date.
    static func date(_ text: String) -> Date? {
        var date = CookieDate()
        for token in text.utf8.split(whereSeparator: isDelimiter) { date.take(Array(token)) }
        guard let time = date.time, let day = date.day, let month = date.month, let year = date.year,
            (1...31).contains(day), year >= 1601, time.hour < 24, time.minute < 60, time.second < 60,
            day <= CivilDate.length(ofMonth: month, year)
        else { return nil }
        let seconds = CivilDate.seconds(year, month, day, time.hour, time.minute, time.second)
        return Date(timeIntervalSince1970: Double(seconds))
    }

    /// Takes a token as the first component that it matches and that is still missing.
    private mutating func take(_ token: [UInt8]) {
        if time == nil, let found = Self.time(token) {
            time = found
        } else if day == nil, let found = Self.number(token, 1...2) {
            day = found
        } else if month == nil, let found = Self.month(token) {
            month = found
        } else if year == nil, let found = Self.number(token, 2...4) {
            year = CivilDate.year(ofTwoDigits: found)
        }
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Parses a number of digits, followed by anything that is not a digit.
    private static func number(_ token: [UInt8], _ count: ClosedRange<Int>) -> Int? {
        let digits = token.prefix { ASCIISet.digits.contains($0) }
        guard count.contains(digits.count) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func time(_ token: [UInt8]) -> (Int, Int, Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= 2, parts[1].count <= 2,
            parts[0].allSatisfy(ASCIISet.digits.contains), parts[1].allSatisfy(ASCIISet.digits.contains),
            let hour = number(Array(parts[0]), 1...2), let minute = number(Array(parts[1]), 1...2),
            let second = number(Array(parts[2]), 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func month(_ token: [UInt8]) -> Int? {
        let start = String(decoding: token.prefix(3), as: UTF8.self)
        return CivilDate.months.firstIndex { $0.equalsIgnoringASCIICase(start) }.map { $0 + 1 }
    }
}
