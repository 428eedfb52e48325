package import HalyardFoundation

/// Dates in header fields, in the three formats of RFC 9110 section 5.6.7.
package enum HTTPDate {
    /// Returns the seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37
    /// GMT` or `Sun Nov  6 08:49:37 1994`; `nil` for any other text. Case is ignored.
    package static func seconds(_ text: String) -> Int64? {
        let words = text.utf8.split(whereSeparator: separators.contains)
        if words.count == 6, equals(words[5], "GMT") {
            return seconds(day: words[1], month: words[2], year: words[3], time: words[4])
        }
        guard words.count == 5 else { return nil }
        return seconds(day: words[2], month: words[1], year: words[4], time: words[3])
    }

    /// Returns the seconds since 1970 of a date that has one of the formats to the letter. A cache needs this: a date in
    /// another format means that a response is stale.
    package static func strictSeconds(_ text: String) -> Int64? {
        let isKnown =
            formats.contains { has(text.utf8[...], $0) }
            || has(text.utf8.suffix(obsoleteEnd.utf8.count), obsoleteEnd)
        return isKnown ? seconds(text) : nil
    }

    private static let separators = ASCIISet(" ,-")
    /// The formats: `0` is a digit, and `a` a letter.
    private static let formats = [
        "aaa, 00 aaa 0000 00:00:00 aaa", "aaa aaa 00 00:00:00 0000", "aaa aaa  0 00:00:00 0000",
    ]
    /// The end of a date of RFC 850, which has the whole name of the day.
    private static let obsoleteEnd = "aaaaaa, 00-aaa-00 00:00:00 aaa"

    private typealias Word = Substring.UTF8View

    private static func seconds(day: Word, month: Word, year: Word, time: Word) -> Int64? {
        let time = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { number($0, 2...2) }
        guard time.count == 3, let hour = time[0], let minute = time[1], let second = time[2],
            let day = number(day, 1...2), let month = CivilTime.months.firstIndex(where: { equals(month, $0) }),
            let year = number(year, 2...4), year < 100 || year >= 1600
        else { return nil }
        let date = CivilTime(CivilTime.year(ofTwoDigits: year), month + 1, day, hour, minute, second)
        return date?.secondsSince1970
    }

    private static func equals(_ word: Word, _ text: String) -> Bool {
        word.elementsEqual(text.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    private static func number(_ word: Word, _ digits: ClosedRange<Int>) -> Int? {
        var rest = word
        let number = rest.popNumber(digits)
        return rest.isEmpty ? number : nil
    }

    private static func has(_ text: Word, _ format: String) -> Bool {
        text.count == format.utf8.count
            && zip(text, format.utf8).allSatisfy { byte, wanted in
                switch wanted {
                case UInt8(ascii: "0"): ASCIISet.digits.contains(byte)
                case UInt8(ascii: "a"): ASCIISet.upperCase.contains(byte & ~0x20)
                default: byte == wanted
                }
            }
    }
}

/// Parses a cookie's date (draft-ietf-httpbis-rfc6265bis section 5.1.1): time, day, month and year in any order, with
/// anything between them. The time zone is ignored. It accepts any bytes and has no side effects.
package struct CookieDate {
    private var time: (hour: Int, minute: Int, second: Int)?
    private var day, month, year: Int?

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
