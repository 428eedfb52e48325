package import HalyardFoundation

/// Parses a cookie's date (draft-ietf-httpbis-rfc6265bis section 5.1.1): time, day, month and year in any order, with
/// anything between them. The time zone is ignored. It accepts any bytes and has no side effects.
package struct CookieDate {
    private var time: (hour: Int, minute: Int, second: Int)?
    private var day, month, year: Int?

    /// Returns `nil` for text that is not a date.
    package static func date(_ text: String) -> Date? {
        var date = CookieDate()
        for token in text.utf8.split(whereSeparator: isDelimiter) { date.take(token) }
        guard let time = date.time, let day = date.day, let month = date.month, let year = date.year, year >= 1601,
            time.second < 60, let date = CivilTime(year, month, day, time.hour, time.minute, time.second)
        else { return nil }
        return Date(timeIntervalSince1970: Double(date.secondsSince1970))
    }

    private typealias Token = Substring.UTF8View

    /// Takes a token as the first component that it matches and that is still missing.
    private mutating func take(_ token: Token) {
        if time == nil, let found = Self.time(token) {
            time = found
        } else if day == nil, let found = Self.number(token, 1...2) {
            day = found
        } else if month == nil, let found = Self.month(token) {
            month = found
        } else if year == nil, let found = Self.number(token, 2...4) {
            year = CivilTime.year(ofTwoDigits: found)
        }
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Parses a number of digits, followed by anything that is not a digit.
    private static func number(_ token: Token, _ count: ClosedRange<Int>) -> Int? {
        var rest = token
        let number = rest.popNumber(count)
        return rest.first.map(ASCIISet.digits.contains) == true ? nil : number
    }

    private static func time(_ token: Token) -> (Int, Int, Int)? {
        var rest = token
        guard let hour = rest.popNumber(1...2), rest.pop(":"), let minute = rest.popNumber(1...2), rest.pop(":"),
            let second = number(rest, 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func month(_ token: Token) -> Int? {
        let start = String(decoding: token.prefix(3), as: UTF8.self)
        return CivilTime.months.firstIndex { $0.equalsIgnoringASCIICase(start) }.map { $0 + 1 }
    }
}
