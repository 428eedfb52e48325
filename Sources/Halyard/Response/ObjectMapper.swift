#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// How objects are read from JSON and written as JSON: by a provider for all its routes, by a route for itself.
///
/// ```swift
/// struct MusicAPI: HTTPProvider {
///     let baseURL = URL(string: "https://api.example.com/v1")!
///     let mapper = ObjectMapper(dates: .iso8601, keys: .snakeCase)
/// }
/// ```
///
/// It is Halyard's seam for HalyardCodable; without that module nothing uses it.
public struct ObjectMapper: Sendable {
    /// Reads objects. Do not change it while requests are on their way.
    private let decoder: JSONDecoder
    /// Writes objects.
    private let encoder: JSONEncoder
    private var keys = KeyStyle.asWritten
    /// How dates are read; nil where a decoder of one's own knows.
    package private(set) var dates: DateStyle?

    /// A mapper of a decoder and an encoder of one's own, which must not be changed any more.
    public init(decoder: JSONDecoder, encoder: JSONEncoder) {
        self.decoder = decoder
        self.encoder = encoder
    }

    /// A mapper.
    ///
    /// - Parameters:
    ///   - dates: milliseconds since 1970 unless given, as in parameters.
    ///   - keys: as they are written in the type unless given.
    public init(dates: DateStyle = .millisecondsSince1970, keys: KeyStyle = .asWritten) {
        self.init(dates: dates, keys: keys, userInfo: [:])
    }

    /// A mapper that shows its coders' users something more.
    package init(dates: DateStyle, keys: KeyStyle, userInfo: [CodingUserInfoKey: any Sendable]) {
        let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
        for (key, value) in userInfo { (decoder.userInfo[key], encoder.userInfo[key]) = (value, value) }
        // Members in order of their names: the same value gives the same bytes in every run.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        dates.configure(decoder, encoder)
        if keys == .snakeCase { encoder.keyEncodingStrategy = .custom { SnakeCase.written($0) } }
        self.init(decoder: decoder, encoder: encoder)
        self.keys = keys
        self.dates = dates
    }

    /// A value as JSON, unless it is nested deeper than 511 levels.
    package func encode<Value: Encodable>(_ value: Value) throws -> Data {
        do { return try encoder.encode(value.bounded(at: 0)) } catch EncodingError.invalidValue(
            is Bounded<Value>, let context)
        {
            let words = context.debugDescription.replacing("\(Bounded<Value>.self)", with: "\(Value.self)")
            throw EncodingError.invalidValue(value, .init(codingPath: context.codingPath, debugDescription: words))
        }
    }

    /// A value from JSON.
    package func decode<T: Decodable & SendableMetatype>(_ type: T.Type, from data: Data) throws -> sending T {
        switch keys {
        case .asWritten: try decoder.decode(type, from: data)
        case .snakeCase: try decoder.decode(SnakeCased<T>.self, from: data).value
        }
    }

    /// Dates as milliseconds since 1970, keys as they are written: the default.
    public static let standard = ObjectMapper()

    /// How a type's property names stand in JSON.
    public enum KeyStyle: Sendable, Hashable {
        /// `userName` is `"userName"`.
        case asWritten
        /// `userName` is `"user_name"`, and `imageURL` is `"image_url"`.
        ///
        /// A property is read from the very name that is written for it. Where that is missing, another will do that
        /// Foundation's `convertFromSnakeCase` takes: `address_line_1` for `addressLine1`. A name that stands in the JSON
        /// just as in the type is taken first: so the keys of a dictionary, the members of a ``JSON``, and coding keys
        /// that are spelt out in snake case (`case image = "image_url"`) stay as they are. A name in a model's mapping
        /// always stands as it is written, both ways. Errors name the place in the JSON.
        case snakeCase
    }

    /// How dates stand in JSON.
    public enum DateStyle: Sendable, Hashable {
        /// Whole milliseconds, rounded to the nearest.
        case millisecondsSince1970
        /// Seconds, with a fraction where there is one.
        case secondsSince1970
        /// Text by ISO 8601, `2030-01-31T14:02:03Z`, with or without fractions of a second when it is read.
        case iso8601
    }
}
