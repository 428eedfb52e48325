public import HalyardFoundation

extension ObjectMapper {
    /// How dates are written in JSON.
    ///
    /// ```swift
    /// ObjectMapper(dates: .iso8601(assuming: .gmt), keys: .snakeCase)
    /// ```
    public struct DateStyle: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case milliseconds, seconds
            case iso8601(assumed: TimeZone?)
            case custom(CustomDates)
        }

        let kind: Kind

        /// Whole milliseconds since 1970, rounded to the nearest.
        public static let millisecondsSince1970 = DateStyle(kind: .milliseconds)

        /// Seconds since 1970, with a fraction where there is one.
        public static let secondsSince1970 = DateStyle(kind: .seconds)

        /// Text by ISO 8601 with a time zone, `2030-01-31T14:02:03Z`. Fractions of a second are read, and not written.
        ///
        /// Text without a zone, such as `2030-01-31T14:02:03`, is an error: see ``iso8601(assuming:)``.
        public static let iso8601 = DateStyle(kind: .iso8601(assumed: nil))

        /// Text by ISO 8601, read in a time zone where it names none, as in `2030-01-31T14:02:03.123456`.
        ///
        /// A zone in the text comes first. Dates are written in UTC with `Z`, as by ``iso8601``. Where the clock of the
        /// zone shows a time twice, the first one is meant; a time that it leaves out is as much later.
        ///
        /// - Parameter zone: the zone that the API means, `.gmt` most often.
        public static func iso8601(assuming zone: TimeZone) -> DateStyle { DateStyle(kind: .iso8601(assumed: zone)) }

        /// Dates as closures read and write them. The mapper's ``ObjectMapper/KeyStyle`` is not affected.
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
        /// Two custom styles are equal where one is a copy of the other.
        ///
        /// - Parameters:
        ///   - decode: reads a date. What it throws is the cause of an ``HTTPError`` of kind `decoding`.
        ///   - encode: writes a date. What it throws is the cause of an ``HTTPError`` of kind `encoding`.
        public static func custom(
            decode: @escaping @Sendable (any Decoder) throws -> Date,
            encode: @escaping @Sendable (Date, any Encoder) throws -> Void
        ) -> DateStyle {
            DateStyle(kind: .custom(CustomDates(decode: decode, encode: encode)))
        }

        /// Whether dates are text by ISO 8601.
        package var isISO8601: Bool { if case .iso8601 = kind { true } else { false } }

        /// What a date is in JSON, for an error to tell.
        package var words: String {
            switch kind {
            case .milliseconds: "milliseconds since 1970"
            case .seconds: "seconds since 1970"
            case .iso8601: "text by ISO 8601"
            case .custom: "the mapper's own style has it"
            }
        }
    }
}

/// The closures of a custom style. A class: it has an identity to be compared by.
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

extension ObjectMapper.DateStyle {
    func configure(_ decoder: JSONDecoder, _ encoder: JSONEncoder) {
        // Foundation's own strategies say in an error that a number or a text was missing, and never that it is a date.
        switch kind {
        case .milliseconds:
            decoder.dateDecodingStrategy = .custom { Date(timeIntervalSince1970: try $0.dateValue(Double.self) / 1000) }
            // JSONEncoder's own strategy writes 1004.9999999999999 for 1.005 s.
            encoder.dateEncodingStrategy = .custom { try $0.encodeMilliseconds(to: $1) }
        case .seconds:
            decoder.dateDecodingStrategy = .custom { Date(timeIntervalSince1970: try $0.dateValue(Double.self)) }
            encoder.dateEncodingStrategy = .secondsSince1970
        case .iso8601(let zone):
            // JSONDecoder's own strategy reads fractions of a second on some systems only.
            decoder.dateDecodingStrategy = .custom { try Date(iso8601From: $0, assuming: zone) }
            encoder.dateEncodingStrategy = .iso8601
        case .custom(let dates):
            decoder.dateDecodingStrategy = .custom(dates.decode)
            encoder.dateEncodingStrategy = .custom(dates.encode)
        }
    }
}

extension Decoder {
    /// What stands for a date. Where it is of another type, it is a date that the error says is missing.
    fileprivate func dateValue<T: Decodable>(_ type: T.Type) throws -> T {
        do { return try singleValueContainer().decode(type) } catch DecodingError.typeMismatch(_, let context) {
            throw DecodingError.typeMismatch(Date.self, context)
        } catch DecodingError.valueNotFound(_, let context) {
            throw DecodingError.valueNotFound(Date.self, context)
        }
    }
}

extension Date {
    fileprivate func encodeMilliseconds(to encoder: any Encoder) throws {
        guard let milliseconds = Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) else {
            let words = "the date is too far away for milliseconds since 1970"
            throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: words))
        }
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }

    fileprivate init(iso8601From decoder: any Decoder, assuming zone: TimeZone?) throws {
        let text = try decoder.dateValue(String.self)
        if let date = Date(iso8601: text, assuming: zone) {
            self = date
            return
        }
        let hasNoZone = zone == nil && Date(iso8601: text, assuming: .gmt) != nil
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: decoder.codingPath,
                debugDescription: "\"\(text.prefix(40))\" \(hasNoZone ? "has no time zone" : "is no ISO 8601 date")",
                underlyingError: hasNoZone ? DateWithoutZone() : nil))
    }
}

/// Why a date by ISO 8601 was not read: it names no time zone, and the style assumes none.
package struct DateWithoutZone: Error, CustomStringConvertible {
    package let description = "it has no time zone"

    package init() {}
}
