import HalyardFoundation
import HalyardHTTP

/// Parses and formats dates by a Unicode date pattern (UTS 35), in UTC and English.
///
/// Foundation's formatter is not used: it is not in FoundationEssentials, it uses the user's locale by default, and it
/// accepts `hh` without an indication of morning or afternoon.
struct DatePattern: Sendable {
    enum Part: Sendable, Hashable {
        case text(String)
        case number(Calendar.Unit, digits: Int)
        case fraction(digits: Int)
        case monthName
        case weekdayName
        case zone(colon: Bool, letter: Bool)
    }

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

    static let iso8601 = DatePattern("yyyy-MM-dd'T'HH:mm:ssXXX")
    static let iso8601Fractional = DatePattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX")

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

    /// Parses a date.
    ///
    /// - Returns: `nil` for text that does not match the pattern.
    func date(_ text: String) throws(Failure) -> Date? {
        var reader = DateReader(text)
        for part in try parts.get() { guard reader.read(part) else { return nil } }
        return reader.isAtEnd ? reader.date : nil
    }

    /// Formats a date, rounded to the pattern's precision.
    func text(_ date: Date) throws(Failure) -> String {
        let parts = try parts.get()
        let digits = parts.map { part in if case .fraction(let digits) = part { digits } else { 0 } }.max() ?? 0
        guard let fields = Calendar.Fields(date, digits: digits) else { throw .tooFar }
        return parts.map { part in
            switch part {
            case .text(let text): text
            case .number(let unit, let digits): fields[unit].padded(digits)
            case .fraction(let count): String(fields.fraction.padded(digits).prefix(count))
            case .monthName: CivilDate.months[fields[.month] - 1]
            case .weekdayName: Calendar.weekdays[fields.weekday]
            case .zone(_, letter: true): "Z"
            case .zone(let colon, letter: false): colon ? "+00:00" : "+0000"
            }
        }.joined()
    }
}

extension DatePattern {
    /// The ISO 8601 calendar in UTC.
    enum Calendar {
        enum Unit: Int, Sendable { case year, month, day, hour, minute, second }

        static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

        struct Fields {
            private var values: [Int]
            let fraction: Int
            let weekday: Int

            subscript(_ unit: Unit) -> Int { values[unit.rawValue] }

            /// Splits a date into its fields.
            ///
            /// - Parameters:
            ///   - date: The date.
            ///   - digits: The number of digits of the fraction of a second, to which the date is rounded.
            /// - Returns: `nil` outside of the years 0 to 9999.
            init?(_ date: Date, digits: Int) {
                let scale = (0..<digits).reduce(1) { product, _ in product * 10 }
                let scaled = (date.timeIntervalSince1970 * Double(scale)).rounded()
                guard let whole = Int(exactly: scaled) else { return nil }
                let (seconds, fraction) = whole.floorDivided(by: scale)
                let (days, ofDay) = seconds.floorDivided(by: 86_400)
                guard (CivilDate.days(0, 1, 1)..<CivilDate.days(10_000, 1, 1)).contains(days) else { return nil }
                let date = CivilDate(daysSince1970: days)
                values = [date.year, date.month, date.day, ofDay / 3600, ofDay / 60 % 60, ofDay % 60]
                self.fraction = fraction
                weekday = (days + 4).floorDivided(by: 7).remainder
            }
        }
    }
}

extension Int {
    fileprivate func padded(_ digits: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
    }
}
