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

    private static let separators = ASCIISet(" ,-")

    private typealias Word = Substring.UTF8View

    private static func seconds(day: Word, month: Word, year: Word, time: Word) -> Int64? {
        guard let day = number(day, 1...2), (1...31).contains(day),
            let month = CivilDate.months.firstIndex(where: { equals(month, $0) }),
            var year = number(year, 2...4), year < 100 || year >= 1600
        else { return nil }
        year = CivilDate.year(ofTwoDigits: year)
        let parts = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map {
            number($0, 2...2) ?? 99
        }
        guard parts.count == 3, parts[0] < 24, parts[1] < 60, parts[2] <= 60,
            day <= CivilDate.length(ofMonth: month + 1, year)
        else { return nil }
        return CivilDate.seconds(year, month + 1, day, parts[0], parts[1], parts[2])
    }

    private static func equals(_ word: Word, _ text: String) -> Bool {
        word.elementsEqual(text.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    private static func number(_ text: Word, _ digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.count), text.allSatisfy(ASCIISet.digits.contains) else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
