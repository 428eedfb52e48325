package import HalyardFoundation

extension Date {
    /// Parses a date in ISO 8601, with or without fractions of a second.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - zone: The time zone of a text that names none. `nil` to require a time zone in the text.
    package init?(iso8601 text: String, assuming zone: TimeZone? = nil) {
        if let date = Date(zoned: text) {
            self = date
        } else if let zone, let clock = Date(zoned: text + "Z") {
            self = zone.date(showing: clock)
        } else {
            return nil
        }
    }

    private init?(zoned text: String) {
        for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
            if let date = try? Date(text, strategy: style) {
                self = date
                return
            }
        }
        return nil
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
