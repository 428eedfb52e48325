public import HalyardFoundation

/// Decodes objects from JSON and encodes them as JSON, for a provider or a route.
///
/// ```swift
/// struct MusicAPI: HTTPProvider {
///     let baseURL = URL(string: "https://api.example.com/v1")!
///     let mapper = ObjectMapper(dates: .iso8601, keys: .snakeCase)
/// }
/// ```
///
/// Objects need the module HalyardCodable. Without it, the mapper is not used.
public struct ObjectMapper: Sendable {
    /// A class, so that a response refers to the mapper of its provider with one reference.
    private final class Coders: Sendable {
        enum Kind: Sendable {
            case own(ObjectCoding)
            /// They must not be changed while requests run.
            case custom(JSONDecoder, JSONEncoder)
        }

        let kind: Kind

        init(_ kind: Kind) { self.kind = kind }
    }

    private let coders: Coders

    /// The format of dates. `nil` for a mapper with a custom decoder.
    package var dates: DateStyle? {
        if case .own(let coding) = coders.kind { coding.dates } else { nil }
    }

    /// Creates a mapper that uses your own decoder and encoder. Do not change them afterwards.
    public init(decoder: JSONDecoder, encoder: JSONEncoder) {
        coders = Coders(.custom(decoder, encoder))
    }

    /// Creates a mapper with a date format, a naming style, and a choice of whether numbers may be text.
    public init(dates: DateStyle = .automatic, keys: KeyStyle = .asWritten, numbers: NumberStyle = .strict) {
        self.init(dates: dates, keys: keys, numbers: numbers, userInfo: [:])
    }

    /// Makes a mapper whose coders have further user info.
    package init(
        dates: DateStyle, keys: KeyStyle, numbers: NumberStyle, userInfo: [CodingUserInfoKey: any Sendable]
    ) {
        let coding = ObjectCoding(
            dates: dates, isSnakeCase: keys == .snakeCase, readsTextAsNumber: numbers == .orText, userInfo: userInfo)
        coders = Coders(.own(coding))
    }

    /// Encodes a value as JSON in UTF-8, as the body of a route with `.json(value)` does.
    ///
    /// Members are sorted by name, unless the mapper uses your own encoder.
    ///
    /// - Throws: `EncodingError` for a value that JSON cannot represent, such as a number that is not finite, a date
    ///   too far away for milliseconds, or more than 511 levels of nesting; and errors of the value's `encode(to:)`.
    public func encode<Value: Encodable>(_ value: Value) throws -> Data {
        switch coders.kind {
        case .own(let coding): return try coding.encode(value)
        case .custom(_, let encoder):
            // Foundation's encoder recurses before it checks the depth, and a cycle would exhaust the stack.
            try ObjectCoding.checkDepth(of: value, userInfo: encoder.userInfo)
            return try encoder.encode(value)
        }
    }

    /// Decodes a value from JSON in UTF-8, as a response's `object()` does, but without wrapping errors in
    /// ``HTTPError``.
    ///
    /// An array of 1 MiB or more is decoded in parts to save memory, so its first elements may be created before the
    /// rest of the text has been checked. Empty data is an error, even for an optional type.
    ///
    /// - Throws: `DecodingError` with the place in the JSON, which is `dataCorrupted` if the data is not JSON; and
    ///   errors of the type's `init(from:)`.
    public func decode<T: Decodable & SendableMetatype>(_ type: T.Type, from data: Data) throws -> sending T {
        try decode(type, from: data, at: .whole)
    }

    /// Returns the value at a path in JSON. Throws ``JSONPath/Missing`` for a path that is not in the JSON, and what
    /// ``decode(_:from:)`` throws.
    package func decode<T: Decodable & SendableMetatype>(
        _ type: T.Type, from data: Data, at path: JSONPath
    ) throws -> sending T {
        switch coders.kind {
        case .own(let coding): return try coding.decode(type, from: data, at: path)
        case .custom where type is any OrderedJSON.Type:
            return try Self.standard.decode(type, from: data, at: path)
        case .custom(let decoder, _):
            let part = path.isWhole ? data : try path.value(in: JSON(untilCancelled: data)).encoded()
            return try decoder.decode(type, from: part)
        }
    }

    /// The mapper as a response has it. `nil` for ``standard``, so that most responses need not be changed.
    package var reference: (any AnyObject & Sendable)? { coders === Self.standard.coders ? nil : coders }

    /// Makes the mapper of a response. `nil` for a response without one.
    package init?(_ reference: (any AnyObject & Sendable)?) {
        guard let coders = reference as? Coders else { return nil }
        self.coders = coders
    }

    /// The default mapper. It uses ``DateStyle/automatic`` for dates, and names as in the type.
    public static let standard = ObjectMapper()

    /// How a mapper reads numbers from JSON.
    public enum NumberStyle: Sendable {
        /// Only JSON numbers are numbers. Text such as `"123"` is an error.
        case strict
        /// Text that is exactly a JSON number is read as well: `"123"`, `"-0.5"`, `"1e3"`. Many APIs write 64-bit
        /// integers and amounts of money this way, because JavaScript would round them. Numbers are written as numbers.
        case orText
    }

    /// The style of property names in JSON. More styles may be added.
    public struct KeyStyle: Sendable, Equatable {
        fileprivate enum Kind: Sendable { case asWritten, snakeCase }

        fileprivate let kind: Kind

        /// Names are the same as in the type: `userName` is `"userName"`.
        public static let asWritten = KeyStyle(kind: .asWritten)
        /// Names are in snake case: `userName` is `"user_name"`, and `imageURL` is `"image_url"`.
        ///
        /// A property is read from its name as in the type, or else from the name that would be written, or else from a
        /// name that Foundation's `convertFromSnakeCase` accepts: `address_line_1` for `addressLine1`. Dictionary keys,
        /// the members of a ``JSON``, coding keys in snake case, and the names in a model's mapping are left unchanged.
        public static let snakeCase = KeyStyle(kind: .snakeCase)
    }
}

/// ``JSON`` and containers of it. They are never read by a decoder of Foundation's, which would lose the order of
/// members and digits of numbers.
private protocol OrderedJSON {}

extension JSON: OrderedJSON {}
extension Array: OrderedJSON where Element: OrderedJSON {}
extension Dictionary: OrderedJSON where Key == String, Value: OrderedJSON {}
extension Optional: OrderedJSON where Wrapped: OrderedJSON {}

/// How a mapper's coders read and write.
final class ObjectCoding: Sendable {
    let dates: ObjectMapper.DateStyle
    let isSnakeCase: Bool
    let readsTextAsNumber: Bool
    let userInfo: [CodingUserInfoKey: any Sendable]
    /// Whether an encoding only counts levels, so that it accepts numbers that JSON does not have.
    let countsOnly: Bool

    static let plain = ObjectCoding(dates: .automatic)

    init(
        dates: ObjectMapper.DateStyle, isSnakeCase: Bool = false, readsTextAsNumber: Bool = false,
        userInfo: [CodingUserInfoKey: any Sendable] = [:], countsOnly: Bool = false
    ) {
        (self.dates, self.isSnakeCase, self.readsTextAsNumber) = (dates, isSnakeCase, readsTextAsNumber)
        (self.userInfo, self.countsOnly) = (userInfo, countsOnly)
    }
}

extension ObjectMapper {
    /// The format of dates in JSON.
    public struct DateStyle: Sendable, Equatable {
        enum Kind: Sendable, Equatable {
            case automatic, milliseconds, seconds
            case iso8601(assumed: TimeZone?)
            case custom(CustomDates)
        }

        let kind: Kind

        /// Reads ISO 8601 text with a time zone, and numbers as milliseconds since 1970. Dates are written as whole
        /// milliseconds, rounded, as in parameters.
        public static let automatic = DateStyle(kind: .automatic)

        /// Milliseconds since 1970, rounded to whole numbers.
        public static let millisecondsSince1970 = DateStyle(kind: .milliseconds)

        /// Seconds since 1970, with a fraction if needed.
        public static let secondsSince1970 = DateStyle(kind: .seconds)

        /// ISO 8601 text with a time zone, such as `2030-01-31T14:02:03Z`. Fractions of a second are read but not
        /// written. Text without a time zone is an error, and so is a date that does not exist, such as February 30.
        public static let iso8601 = DateStyle(kind: .iso8601(assumed: nil))

        /// Returns a format for ISO 8601 text that may lack a time zone, such as `2030-01-31T14:02:03.123456`.
        ///
        /// A time zone in the text takes precedence. Dates are written in UTC with `Z`. A time that occurs twice in the
        /// zone means the first occurrence. A time that the zone skips is moved forward by the length of the gap.
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
final class CustomDates: Sendable, Equatable {
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
}

/// The error for a date in ISO 8601 without a time zone, if the style assumes none.
package struct DateWithoutZone: Error, CustomStringConvertible {
    package let description = "it has no time zone"

    package init() {}
}
