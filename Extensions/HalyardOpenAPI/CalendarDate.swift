public import HalyardEndpoints
public import HalyardFoundation
import HalyardHTTP

/// A day without a time, such as a birthday: the format `date` of OpenAPI (RFC 3339 section 5.6).
///
/// ```swift
/// let day = CalendarDate(year: 2030, month: 1, day: 31)
/// let midnight = day?.date(in: .current)
/// ```
public struct CalendarDate: Hashable, Sendable {
    /// The year, from 0 to 9999.
    public let year: Int
    /// The month, from 1 to 12.
    public let month: Int
    /// The day of the month, from 1.
    public let day: Int

    /// Makes a day of the Gregorian calendar. Returns `nil` if there is no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard 0...9999 ~= year, CivilTime(year, month, day) != nil else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Creates the calendar day of a date in a time zone. Returns `nil` outside the years 0 to 9999.
    public init?(_ date: Date, in zone: TimeZone) {
        let seconds = date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))
        guard let whole = Int64(exactly: seconds.rounded(.down)), whole.magnitude < 1 << 40 else { return nil }
        let time = CivilTime(secondsSince1970: whole)
        self.init(year: time.year, month: time.month, day: time.day)
    }

    /// Returns the beginning of the day in a time zone.
    public func date(in zone: TimeZone) -> Date {
        let midnight = CivilTime(year, month, day)?.secondsSince1970 ?? 0
        return zone.date(showing: Date(timeIntervalSince1970: Double(midnight)))
    }
}

extension CalendarDate: LosslessStringConvertible {
    /// Makes the day of a text such as `2030-01-31`. Returns `nil` for any other text.
    public init?(_ description: String) {
        var rest = description.utf8[...]
        self.init(from: &rest)
        guard rest.isEmpty else { return nil }
    }

    private init?(from text: inout Substring.UTF8View) {
        guard let year = text.popNumber(4...4), text.pop("-"), let month = text.popNumber(2...2), text.pop("-"),
            let day = text.popNumber(2...2)
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The day as text, such as `2030-01-31`.
    public var description: String { "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))" }
}

extension CalendarDate: Comparable {
    /// Whether a day comes before another.
    public static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

extension CalendarDate: Codable {
    /// Reads a day. Some servers send a date and time in its place, whose time is dropped. Throws a `DecodingError` for
    /// any other text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        var rest = text.utf8[...]
        guard let day = Self(from: &rest),
            rest.isEmpty || (rest.pop("T") || rest.pop("t") || rest.pop(" ")) && rest.popNumber(2...2) != nil
        else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a date such as 2030-01-31 was expected, and not \"\(text)\"")
        }
        self = day
    }

    /// Writes the day as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension CalendarDate: PathConvertible, PartConvertible {
    /// The day as text.
    public var parameterValue: ParameterValue { description.parameterValue }
}
