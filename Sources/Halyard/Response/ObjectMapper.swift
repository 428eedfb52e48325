public import HalyardFoundation

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
    /// A class, so that a response can have the mapper of its provider as one reference.
    private final class Coders: Sendable {
        /// Reads objects. Do not change it while requests are on their way.
        let decoder: JSONDecoder
        /// Writes objects.
        let encoder: JSONEncoder
        let keys: KeyStyle
        let dates: DateStyle?

        init(_ decoder: JSONDecoder, _ encoder: JSONEncoder, _ keys: KeyStyle, _ dates: DateStyle?) {
            self.decoder = decoder
            self.encoder = encoder
            self.keys = keys
            self.dates = dates
        }
    }

    private let coders: Coders

    /// How dates are read; nil where a decoder of one's own knows.
    package var dates: DateStyle? { coders.dates }

    /// A mapper of a decoder and an encoder of one's own, which must not be changed any more.
    public init(decoder: JSONDecoder, encoder: JSONEncoder) {
        coders = Coders(decoder, encoder, .asWritten, nil)
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
        coders = Coders(decoder, encoder, keys, dates)
    }

    /// Writes a value as JSON, in UTF-8, as a route's `.json(value)` body is written.
    ///
    /// ```swift
    /// let data = try api.mapper.encode(user)
    /// ```
    ///
    /// Members are in order of their names, unless the mapper has an encoder of one's own.
    ///
    /// - Parameter value: nested at most 511 levels deep.
    /// - Returns: the JSON.
    /// - Throws: `EncodingError` for a value that JSON cannot have, such as a number that is not finite, a date too far
    ///   away for milliseconds, or one that is nested deeper than 511 levels; what the value's `encode(to:)` throws.
    public func encode<Value: Encodable>(_ value: Value) throws -> Data {
        do { return try coders.encoder.encode(value.bounded(at: 0)) } catch EncodingError.invalidValue(
            is Bounded<Value>, let context)
        {
            let words = context.debugDescription.replacing("\(Bounded<Value>.self)", with: "\(Value.self)")
            throw EncodingError.invalidValue(value, .init(codingPath: context.codingPath, debugDescription: words))
        }
    }

    /// Reads a value from JSON, as a response's `object()` is read, but for the ``HTTPError`` around the error.
    ///
    /// ```swift
    /// let user = try api.mapper.decode(User.self, from: data)
    /// ```
    ///
    /// - Parameters:
    ///   - type: what to read.
    ///   - data: JSON in UTF-8. Empty data is an error, for an optional type too.
    /// - Returns: the value.
    /// - Throws: `DecodingError` for what is not JSON (`dataCorrupted`), and for what does not fit the type, with its place
    ///   in the JSON; what the type's `init(from:)` throws.
    public func decode<T: Decodable & SendableMetatype>(_ type: T.Type, from data: Data) throws -> sending T {
        switch coders.keys {
        case .asWritten: try coders.decoder.decode(type, from: data)
        case .snakeCase: try coders.decoder.decode(SnakeCased<T>.self, from: data).value
        }
    }

    /// The mapper as a response has it: one reference, and none for ``standard``, so that most responses are not changed.
    package var reference: (any AnyObject & Sendable)? { coders === Self.standard.coders ? nil : coders }

    /// The mapper that a response has; nil for one without.
    package init?(_ reference: (any AnyObject & Sendable)?) {
        guard let coders = reference as? Coders else { return nil }
        self.coders = coders
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
}
