import HalyardFoundation
import HalyardHTTP

/// Parses and formats dates by a Unicode date pattern (UTS 35), in UTC and English.
///
/// Foundation's formatter is not used: it is not in FoundationEssentials, it uses the user's locale by default, and it
/// accepts `hh` without an indication of morning or afternoon.
struct DatePattern: Sendable {
    enum Part: Sendable, Hashable {
        case text(String)
        case number(Unit, digits: Int)
        case fraction(digits: Int)
        case monthName
        case weekdayName
        case zone(colon: Bool, letter: Bool)
    }

    /// The components, in the order in which their values are kept.
    enum Unit: Int, Sendable { case year, month, day, hour, minute, second }

    enum Failure: Error, CustomStringConvertible {
        case letter(Character, count: Int)
        case twelveHours
        case quote
        case tooFar

        var description: String {
            switch self {
            case .letter(let letter, let count):
                "a date pattern has no \(String(repeating: letter, count: count)) here; letters that are literal text "
                    + "need quotes: 'T'"
            case .twelveHours: "h is for a 12-hour clock: use H in the date pattern"
            case .quote: "a quote in the date pattern is not closed"
            case .tooFar: "the date is too far away"
            }
        }
    }

    private let parts: Result<[Part], Failure>

    /// Makes a pattern. An invalid pattern fails when it is used.
    init(_ pattern: String) {
        parts = Result { () throws(Failure) in try Self.parts(of: pattern) }
    }

    private static func parts(of pattern: String) throws(Failure) -> [Part] {
        var (parts, rest) = ([Part](), Substring(pattern))
        while let letter = rest.first {
            if letter == "'" {
                parts.append(.text(try quoted(&rest)))
            } else if letter.isASCII, letter.isLetter {
                let run = rest.prefix { $0 == letter }
                rest = rest.dropFirst(run.count)
                parts.append(try part(letter, run.count))
            } else {
                parts.append(.text(String(rest.removeFirst())))
            }
        }
        return parts
    }

    /// Reads the text between two quotes. Two quotes in a row mean a quote.
    private static func quoted(_ rest: inout Substring) throws(Failure) -> String {
        rest.removeFirst()
        guard let end = rest.firstIndex(of: "'") else { throw .quote }
        let text = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        return text.isEmpty ? "'" : text
    }

    private static func part(_ letter: Character, _ count: Int) throws(Failure) -> Part {
        switch (letter, count) {
        case ("y", 1), ("y", 4): .number(.year, digits: 4)
        case ("M", 1...2): .number(.month, digits: count)
        case ("M", 3): .monthName
        case ("d", 1...2): .number(.day, digits: count)
        case ("H", 1...2): .number(.hour, digits: count)
        case ("m", 1...2): .number(.minute, digits: count)
        case ("s", 1...2): .number(.second, digits: count)
        case ("S", 1...9): .fraction(digits: count)
        case ("E", 1...3): .weekdayName
        case ("Z", 1...3): .zone(colon: false, letter: false)
        case ("Z", 5), ("X", 3): .zone(colon: true, letter: true)
        case ("X", 2): .zone(colon: false, letter: true)
        case ("x", 2): .zone(colon: false, letter: false)
        case ("x", 3): .zone(colon: true, letter: false)
        case ("h", _), ("K", _), ("k", _), ("a", _): throw .twelveHours
        default: throw .letter(letter, count: count)
        }
    }

    /// Returns `nil` for text that does not match the pattern.
    func date(_ text: String) throws(Failure) -> Date? {
        var reader = Reader(rest: text.utf8[...])
        for part in try parts.get() { guard reader.read(part) else { return nil } }
        return reader.rest.isEmpty ? reader.date : nil
    }

    /// Formats a date, rounded to the pattern's precision.
    func text(_ date: Date) throws(Failure) -> String {
        let parts = try parts.get()
        let digits = parts.map { part in if case .fraction(let digits) = part { digits } else { 0 } }.max() ?? 0
        guard let (time, fraction) = CivilTime.split(date, digits: digits) else { throw .tooFar }
        let values = [time.year, time.month, time.day, time.hour, time.minute, time.second]
        return parts.map { part in
            switch part {
            case .text(let text): text
            case .number(let unit, let digits): values[unit.rawValue].padded(digits)
            case .fraction(let count): String(fraction.padded(digits).prefix(count))
            case .monthName: CivilTime.months[time.month - 1]
            case .weekdayName: Self.weekdays[time.weekday]
            case .zone(_, letter: true): "Z"
            case .zone(let colon, letter: false): colon ? "+00:00" : "+0000"
            }
        }.joined()
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
}

extension DatePattern {
    /// Parses the text of a date, part by part.
    private struct Reader {
        private(set) var rest: Substring.UTF8View
        private var values = [1970, 1, 1, 0, 0, 0]
        private var fraction = 0.0
        /// The offset of the text's time zone from UTC, in seconds.
        private var offset = 0

        init(rest: Substring.UTF8View) { self.rest = rest }

        /// The date that was read; `nil` if there is no such day or time.
        var date: Date? {
            let time = CivilTime(values[0], values[1], values[2], values[3], values[4], values[5])
            guard let time, time.second < 60 else { return nil }
            return Date(timeIntervalSince1970: Double(time.secondsSince1970 - Int64(offset)) + fraction)
        }

        /// Reads one part. `false` if the text is different.
        mutating func read(_ part: Part) -> Bool {
            switch part {
            case .text(let text): return rest.pop(text: text)
            case .number(let unit, let digits):
                // One letter in the pattern means one or two digits.
                guard let number = rest.popNumber(digits == 1 ? 1...2 : digits...digits) else { return false }
                values[unit.rawValue] = number
            case .fraction(let digits):
                guard let number = rest.popNumber(digits...digits) else { return false }
                fraction = (0..<digits).reduce(Double(number)) { value, _ in value / 10 }
            case .monthName:
                guard let index = CivilTime.months.firstIndex(where: { rest.pop(text: $0) }) else { return false }
                values[1] = index + 1
            case .weekdayName: return DatePattern.weekdays.contains { rest.pop(text: $0) }
            case .zone:
                guard let offset = rest.popOffset() else { return false }
                self.offset = offset
            }
            return true
        }
    }
}
