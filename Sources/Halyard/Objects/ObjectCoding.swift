public import HalyardFoundation

/// How a mapper's coders read and write.
final class ObjectCoding: Sendable {
    let dates: ObjectMapper.DateStyle
    let isSnakeCase: Bool
    let userInfo: [CodingUserInfoKey: any Sendable]

    init(dates: ObjectMapper.DateStyle, isSnakeCase: Bool, userInfo: [CodingUserInfoKey: any Sendable]) {
        self.dates = dates
        self.isSnakeCase = isSnakeCase
        self.userInfo = userInfo
    }
}

extension ObjectMapper {
    /// The format of dates in JSON.
    ///
    /// ```swift
    /// ObjectMapper(dates: .iso8601(assuming: .gmt), keys: .snakeCase)
    /// ```
    public struct DateStyle: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case automatic, milliseconds, seconds
            case iso8601(assumed: TimeZone?)
            case custom(CustomDates)
        }

        let kind: Kind

        /// Reads text in ISO 8601 with a time zone, and numbers as milliseconds since 1970. Writes whole milliseconds,
        /// rounded, as parameters are written.
        ///
        /// For an API that expects text, use ``iso8601``.
        public static let automatic = DateStyle(kind: .automatic)

        /// Whole milliseconds since 1970, rounded.
        public static let millisecondsSince1970 = DateStyle(kind: .milliseconds)

        /// Seconds since 1970, with a fraction if there is one.
        public static let secondsSince1970 = DateStyle(kind: .seconds)

        /// Text in ISO 8601 with a time zone, such as `2030-01-31T14:02:03Z`. Fractions of a second are read, but not
        /// written. A date that does not exist, such as 30 February, is an error.
        ///
        /// Text without a time zone, such as `2030-01-31T14:02:03`, is an error. See ``iso8601(assuming:)``.
        public static let iso8601 = DateStyle(kind: .iso8601(assumed: nil))

        /// Returns the format for text in ISO 8601 that may lack a time zone, such as `2030-01-31T14:02:03.123456`.
        ///
        /// A time zone in the text takes precedence. Dates are written in UTC with `Z`, as with ``iso8601``. A time
        /// that occurs twice in the zone means the first one. A time that is skipped is moved by the same amount.
        ///
        /// - Parameter zone: The time zone of texts without one, often `.gmt`.
        public static func iso8601(assuming zone: TimeZone) -> DateStyle { DateStyle(kind: .iso8601(assumed: zone)) }

        /// Returns a format that closures read and write. It does not affect the mapper's ``ObjectMapper/KeyStyle``.
        ///
        /// ```swift
        /// let microseconds = ObjectMapper.DateStyle.custom {
        ///     Date(timeIntervalSince1970: try $0.singleValueContainer().decode(Double.self) / 1_000_000)
        /// } encode: { date, encoder in
        ///     var container = encoder.singleValueContainer()
        ///     try container.encode(Int64(date.timeIntervalSince1970 * 1_000_000))
        /// }
        /// ```
        ///
        /// Two custom formats are equal if one is a copy of the other.
        ///
        /// - Parameters:
        ///   - decode: Reads a date. Its error is the cause of an ``HTTPError`` of kind `decoding`.
        ///   - encode: Writes a date. Its error is the cause of an ``HTTPError`` of kind `encoding`.
        public static func custom(
            decode: @escaping @Sendable (any Decoder) throws -> Date,
            encode: @escaping @Sendable (Date, any Encoder) throws -> Void
        ) -> DateStyle {
            DateStyle(kind: .custom(CustomDates(decode: decode, encode: encode)))
        }

        /// Whether dates are text in ISO 8601.
        package var isISO8601: Bool { if case .iso8601 = kind { true } else { false } }

        /// The format in words, for an error.
        package var formatName: String {
            switch kind {
            case .automatic: "milliseconds since 1970 or text in ISO 8601"
            case .milliseconds: "milliseconds since 1970"
            case .seconds: "seconds since 1970"
            case .iso8601: "text in ISO 8601"
            case .custom: "defined by the mapper's custom style"
            }
        }
    }
}

/// The closures of a custom style. It is a class, so that styles can be compared by identity.
final class CustomDates: Sendable, Hashable {
    let decode: @Sendable (any Decoder) throws -> Date
    let encode: @Sendable (Date, any Encoder) throws -> Void

    init(
        decode: @escaping @Sendable (any Decoder) throws -> Date,
        encode: @escaping @Sendable (Date, any Encoder) throws -> Void
    ) {
        self.decode = decode
        self.encode = encode
    }

    static func == (left: CustomDates, right: CustomDates) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Date {
    /// Returns whole milliseconds since 1970, rounded.
    ///
    /// - Throws: `EncodingError` for a date that is too far away.
    func milliseconds(at path: @autoclosure () -> [any CodingKey]) throws -> Int64 {
        if let milliseconds = Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) { return milliseconds }
        throw tooFar("milliseconds since 1970", at: path())
    }

    /// The error for a date that a format does not have. Its value is a number, because Foundation's description of a
    /// date that is infinite ends the process.
    func tooFar(_ format: String, at path: [any CodingKey]) -> EncodingError {
        let message = "the date is too far away for \(format)"
        return .invalidValue(timeIntervalSince1970, .init(codingPath: path, debugDescription: message))
    }
}

/// The error for a date in ISO 8601 without a time zone, if the style assumes none.
package struct DateWithoutZone: Error, CustomStringConvertible {
    package let description = "it has no time zone"

    package init() {}
}
