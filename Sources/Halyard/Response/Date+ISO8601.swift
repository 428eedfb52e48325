package import HalyardFoundation

extension Date {
    /// The date that a text by ISO 8601 means, with or without fractions of a second.
    ///
    /// - Parameter zone: the zone of a text that names none; nil for a text that must name one.
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
    /// When the zone's clock shows what that of UTC shows at another date: the first time, where it shows it twice. A time
    /// that is left out, as summer time begins, is counted on from before.
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
