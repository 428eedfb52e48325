package import HalyardFoundation

extension Date {
    /// Parses a date and time in ISO 8601 and RFC 3339, such as `2030-01-31T14:02:03.5+01:00`.
    ///
    /// Foundation's parser is not used: it accepts 30 February, and any text after the time zone. `zone` is the time
    /// zone of a text that names none. `nil` to require a time zone in the text.
    package init?(iso8601 text: String, assuming zone: TimeZone? = nil) {
        var rest = text.utf8[...]
        guard let year = rest.popNumber(4...4), rest.pop("-"), let month = rest.popNumber(2...2), rest.pop("-"),
            let day = rest.popNumber(2...2), rest.pop("T") || rest.pop("t"), let hour = rest.popNumber(2...2),
            rest.pop(":"), let minute = rest.popNumber(2...2), rest.pop(":"), let second = rest.popNumber(2...2),
            let fraction = rest.popFraction()
        else { return nil }
        // 24:00:00 is the end of the day.
        let isEndOfDay = hour == 24 && minute == 0 && second == 0 && fraction == 0
        guard let time = CivilTime(year, month, day, isEndOfDay ? 0 : hour, minute, second) else { return nil }
        var seconds = time.secondsSince1970 + (isEndOfDay ? 86_400 : 0)
        if rest.isEmpty {
            guard let zone, second < 60 else { return nil }
            self = zone.date(showing: Date(timeIntervalSince1970: Double(seconds) + fraction))
            return
        }
        guard let offset = rest.pop("z") ? 0 : rest.popOffset(), rest.isEmpty else { return nil }
        seconds -= Int64(offset)
        // A leap second is the last one of a day.
        guard second < 60 || seconds % 86_400 == 0 else { return nil }
        self.init(timeIntervalSince1970: Double(seconds) + fraction)
    }

    /// Returns the date in UTC, such as `2030-01-31T14:02:03Z`. `nil` outside of the years 0 to 9999.
    ///
    /// - Parameters:
    ///   - digits: The number of digits of the fraction of a second. Defaults to whole seconds.
    ///   - rule: How digits after these are rounded. Defaults to rounding down.
    package func iso8601Text(digits: Int = 0, rounded rule: FloatingPointRoundingRule = .down) -> String? {
        guard let (time, fraction) = CivilTime.split(self, digits: digits, rounded: rule) else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(32)
        text.append(time.year, digits: 4, "-")
        text.append(time.month, digits: 2, "-")
        text.append(time.day, digits: 2, "T")
        text.append(time.hour, digits: 2, ":")
        text.append(time.minute, digits: 2, ":")
        text.append(time.second, digits: 2, digits > 0 ? "." : "Z")
        if digits > 0 { text.append(Int(fraction), digits: digits, "Z") }
        return String(decoding: text, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends a number with exactly so many digits, and a character after it.
    fileprivate mutating func append(_ number: Int, digits: Int, _ separator: Unicode.Scalar) {
        var power = (1..<digits).reduce(1) { power, _ in power * 10 }
        while power > 0 {
            append(UInt8(ascii: "0") + UInt8(number / power % 10))
            power /= 10
        }
        append(UInt8(ascii: separator))
    }
}

extension CivilTime {
    /// Splits a date into a time and the digits after its second. `nil` outside of the years 0 to 9999.
    package static func split(
        _ date: Date, digits: Int, rounded rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
    ) -> (time: CivilTime, fraction: Int64)? {
        let scale = (0..<digits).reduce(Int64(1)) { product, _ in product * 10 }
        guard let scaled = Int64(exactly: (date.timeIntervalSince1970 * Double(scale)).rounded(rule)) else {
            return nil
        }
        let (seconds, fraction) = scaled.floorDivided(by: scale)
        guard (-62_167_219_200...253_402_300_799).contains(seconds) else { return nil }
        return (CivilTime(secondsSince1970: seconds), fraction)
    }
}

extension Substring.UTF8View {
    /// Removes a fraction of any number of digits, which may be missing.
    fileprivate mutating func popFraction() -> Double? {
        guard pop(".") else { return 0 }
        let digits = prefix { ASCIISet.digits.contains($0) }
        self = self[digits.endIndex...]
        return digits.isEmpty ? nil : Double("0." + Substring(digits))
    }
}

extension TimeZone {
    /// Returns the date at which the zone's clock shows the time that UTC shows at another date. For a time that occurs
    /// twice it is the first one. For a time that is skipped at the beginning of summer time, the offset before the
    /// change is used.
    package func date(showing clock: Date) -> Date {
        func offset(_ date: Date) -> Double { Double(secondsFromGMT(for: date)) }
        let day = 86_400.0
        let (before, after) = (offset(clock - day), offset(clock + day))
        let first = clock - before
        if offset(first) == before { return first }
        let second = clock - after
        return offset(second) == after ? second : first
    }
}
