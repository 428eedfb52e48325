package import HalyardFoundation
import HalyardHTTP

extension Date {
    /// Parses a date and time in ISO 8601 and RFC 3339, such as `2030-01-31T14:02:03.5+01:00`.
    ///
    /// Foundation's parser is not used: it accepts 30 February, and any text after the time zone.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - zone: The time zone of a text that names none. `nil` to require a time zone in the text.
    package init?(iso8601 text: String, assuming zone: TimeZone? = nil) {
        var rest = text.utf8[...]
        guard let year = rest.popNumber(4), rest.pop("-"), let month = rest.popNumber(2), rest.pop("-"),
            let day = rest.popNumber(2), rest.pop("T") || rest.pop("t"), let hour = rest.popNumber(2), rest.pop(":"),
            let minute = rest.popNumber(2), rest.pop(":"), let second = rest.popNumber(2),
            let fraction = rest.popFraction(), (1...12).contains(month),
            (1...CivilDate.length(ofMonth: month, year)).contains(day), minute < 60, second <= 60
        else { return nil }
        // 24:00:00 is the end of the day.
        guard hour < 24 || hour == 24 && minute == 0 && second == 0 && fraction == 0 else { return nil }
        var seconds = CivilDate.seconds(year, month, day, hour, minute, second)
        if rest.isEmpty {
            guard let zone, second < 60 else { return nil }
            self = zone.date(showing: Date(timeIntervalSince1970: Double(seconds) + fraction))
            return
        }
        guard let offset = rest.popOffset(), rest.isEmpty else { return nil }
        seconds -= Int64(offset)
        // A leap second is the last one of a day.
        guard second < 60 || seconds % 86_400 == 0 else { return nil }
        self.init(timeIntervalSince1970: Double(seconds) + fraction)
    }

    /// The date in UTC, in whole seconds, such as `2030-01-31T14:02:03Z`. `nil` outside of the years 0 to 9999.
    package var iso8601Text: String? {
        let seconds = timeIntervalSince1970.rounded(.down)
        guard (-62_167_219_200...253_402_300_799).contains(seconds) else { return nil }
        let day = (seconds / 86_400).rounded(.down)
        let (date, time) = (CivilDate(daysSince1970: Int(day)), Int(seconds - day * 86_400))
        let parts = [(date.month, "-"), (date.day, "T"), (time / 3600, ":"), (time / 60 % 60, ":"), (time % 60, "Z")]
        let year = String(String(10_000 + date.year).dropFirst())
        return parts.reduce(into: year + "-") { $0 += ($1.0 < 10 ? "0" : "") + String($1.0) + $1.1 }
    }
}

extension Substring.UTF8View {
    fileprivate mutating func pop(_ scalar: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: scalar) else { return false }
        removeFirst()
        return true
    }

    /// Removes a number of exactly so many digits.
    fileprivate mutating func popNumber(_ count: Int) -> Int? {
        let digits = prefix(count)
        guard digits.count == count, digits.allSatisfy(ASCIISet.digits.contains) else { return nil }
        self = dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Removes a fraction of any number of digits, which may be missing.
    fileprivate mutating func popFraction() -> Double? {
        guard pop(".") else { return 0 }
        let digits = prefix { ASCIISet.digits.contains($0) }
        self = self[digits.endIndex...]
        return digits.isEmpty ? nil : Double("0." + Substring(digits))
    }

    /// Removes a time zone: `Z`, `+02`, `+0200` or `+02:00`. Returns its offset from UTC, in seconds.
    fileprivate mutating func popOffset() -> Int? {
        if pop("Z") || pop("z") { return 0 }
        let isAhead = pop("+")
        guard isAhead || pop("-"), let hours = popNumber(2), hours < 24 else { return nil }
        var minutes = 0
        if pop(":") || !isEmpty {
            guard let number = popNumber(2), number < 60 else { return nil }
            minutes = number
        }
        return (hours * 3600 + minutes * 60) * (isAhead ? 1 : -1)
    }
}

extension TimeZone {
    /// Returns the date at which the zone's clock shows the time that UTC shows at another date. For a time that occurs
    /// twice it is the first one. For a time that is skipped at the beginning of summer time, the offset before the
    /// change is used.
    fileprivate func date(showing clock: Date) -> Date {
        func offset(_ date: Date) -> Double { Double(secondsFromGMT(for: date)) }
        let day = 86_400.0
        let (before, after) = (offset(clock - day), offset(clock + day))
        let first = clock - before
        if offset(first) == before { return first }
        let second = clock - after
        return offset(second) == after ? second : first
    }
}
