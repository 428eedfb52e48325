import HalyardFoundation
import HalyardHTTP

/// Parses the text of a date, part by part.
struct DateReader {
    private var rest: Substring.UTF8View
    private var values = [1970, 1, 1, 0, 0, 0]
    private var fraction = 0.0
    /// The offset of the text's time zone from UTC, in seconds.
    private var offset = 0

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// The date that was read; `nil` if there is no such day or time.
    var date: Date? {
        let (year, month, day) = (values[0], values[1], values[2])
        guard (1...12).contains(month), (1...CivilDate.length(ofMonth: month, year)).contains(day),
            values[3] < 24, values[4] < 60, values[5] < 60
        else { return nil }
        let seconds = CivilDate.seconds(year, month, day, values[3], values[4], values[5])
        return Date(timeIntervalSince1970: Double(seconds - Int64(offset)) + fraction)
    }

    /// Reads one part.
    ///
    /// - Returns: `false` if the text is different.
    mutating func read(_ part: DatePattern.Part) -> Bool {
        switch part {
        case .text(let text): return skip(text)
        case .number(let unit, let digits):
            // One letter in the pattern means one or two digits.
            guard let number = number(digits == 1 ? 1...2 : digits...digits) else { return false }
            values[unit.rawValue] = number
        case .fraction(let digits):
            guard let number = number(digits...digits) else { return false }
            fraction = (0..<digits).reduce(Double(number)) { value, _ in value / 10 }
        case .monthName:
            guard let index = CivilDate.months.firstIndex(where: { skip($0) }) else { return false }
            values[1] = index + 1
        case .weekdayName: return DatePattern.Calendar.weekdays.contains { skip($0) }
        case .zone: return zone()
        }
        return true
    }

    private mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    private mutating func number(_ digits: ClosedRange<Int>) -> Int? {
        let found = rest.prefix(digits.upperBound).prefix { (0x30...0x39).contains($0) }
        guard found.count >= digits.lowerBound else { return nil }
        rest = rest.dropFirst(found.count)
        return found.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Reads a time zone in any form: `Z`, `+02`, `+0200` or `+02:00`.
    private mutating func zone() -> Bool {
        if skip("Z") { return true }
        let isAhead = skip("+")
        guard isAhead || skip("-"), let hours = number(2...2), hours < 24 else { return false }
        let hasColon = skip(":")
        let minutes = number(2...2)
        guard minutes != nil || !hasColon, minutes ?? 0 < 60 else { return false }
        offset = (hours * 3600 + (minutes ?? 0) * 60) * (isAhead ? 1 : -1)
        return true
    }
}
