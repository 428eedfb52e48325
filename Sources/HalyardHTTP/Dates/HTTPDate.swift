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
