public import HalyardFoundation

/// Reads objects from JSON and writes them as JSON, for a provider or a route.
///
/// ```swift
/// struct MusicAPI: HTTPProvider {
///     let baseURL = URL(string: "https://api.example.com/v1")!
///     let mapper = ObjectMapper(dates: .iso8601, keys: .snakeCase)
/// }
/// ```
///
/// Objects need the module HalyardCodable. Without it the mapper is not used.
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

    /// Makes a mapper with a decoder and an encoder of your own. Do not change them afterwards.
    public init(decoder: JSONDecoder, encoder: JSONEncoder) {
        coders = Coders(.custom(decoder, encoder))
    }

    /// Makes a mapper.
    ///
    /// - Parameters:
    ///   - dates: The format of dates. Defaults to ``DateStyle/automatic``, which reads text in ISO 8601 and
    ///     milliseconds since 1970, and writes milliseconds, as in parameters.
    ///   - keys: The style of names. Defaults to names as in the type.
    public init(dates: DateStyle = .automatic, keys: KeyStyle = .asWritten) {
        self.init(dates: dates, keys: keys, userInfo: [:])
    }

    /// Makes a mapper whose coders have further user info.
    package init(dates: DateStyle, keys: KeyStyle, userInfo: [CodingUserInfoKey: any Sendable]) {
        coders = Coders(.own(ObjectCoding(dates: dates, isSnakeCase: keys == .snakeCase, userInfo: userInfo)))
    }

    /// Returns a value as JSON in UTF-8, like the body of a route with `.json(value)`.
    ///
    /// ```swift
    /// let data = try api.mapper.encode(user)
    /// ```
    ///
    /// Members are in the order of their names, unless the mapper has an encoder of your own.
    ///
    /// - Parameter value: The value. It may have at most 511 nested levels.
    /// - Throws: `EncodingError` for a value that JSON cannot contain, such as a number that is not finite, a date too
    ///   far away for milliseconds, or more than 511 nested levels. Errors of the value's `encode(to:)`.
    public func encode<Value: Encodable>(_ value: Value) throws -> Data {
        switch coders.kind {
        case .own(let coding): try coding.encode(value)
        case .custom(_, let encoder): try Self.encode(value, with: encoder)
        }
    }

    /// Writes a value with an encoder that checks no depth before it recurses.
    private static func encode<Value: Encodable>(_ value: Value, with encoder: JSONEncoder) throws -> Data {
        do { return try encoder.encode(value.depthLimited(at: 0)) } catch EncodingError.invalidValue(
            is DepthLimited<Value>, let context)
        {
            let message = context.debugDescription.replacing("\(DepthLimited<Value>.self)", with: "\(Value.self)")
            throw EncodingError.invalidValue(value, .init(codingPath: context.codingPath, debugDescription: message))
        }
    }

    /// Returns a value from JSON, like a response's `object()`, but without an ``HTTPError`` around the error.
    ///
    /// ```swift
    /// let user = try api.mapper.decode(User.self, from: data)
    /// ```
    ///
    /// An array of a megabyte or more is decoded in parts, which saves memory. Its first elements may be made before the
    /// rest of the text is checked.
    ///
    /// - Parameter data: JSON in UTF-8. Empty data is an error, also for an optional type.
    /// - Throws: `DecodingError` for data that is not JSON (`dataCorrupted`) or does not fit the type, with the place
    ///   in the JSON. Errors of the type's `init(from:)`.
    public func decode<T: Decodable & SendableMetatype>(_ type: T.Type, from data: Data) throws -> sending T {
        try decode(type, from: data, at: .whole)
    }

    /// Returns the value at a path in JSON.
    ///
    /// - Throws: ``JSONPath/Missing`` for a path that is not in the JSON, and what ``decode(_:from:)`` throws.
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

    /// The default mapper: dates as in ``DateStyle/automatic``, names as in the type.
    public static let standard = ObjectMapper()

    /// The style of property names in JSON. More styles may be added.
    public struct KeyStyle: Sendable, Hashable {
        fileprivate enum Kind: Sendable, Hashable { case asWritten, snakeCase }

        fileprivate let kind: Kind

        /// Names as in the type: `userName` is `"userName"`.
        public static let asWritten = KeyStyle(kind: .asWritten)
        /// Names in snake case: `userName` is `"user_name"`, and `imageURL` is `"image_url"`.
        ///
        /// A property is read from the name that is written for it. If that is missing, it is read from a name that
        /// Foundation's `convertFromSnakeCase` accepts: `address_line_1` for `addressLine1`. A name that is in the JSON
        /// exactly as in the type takes precedence. Therefore the keys of a dictionary, the members of a ``JSON``, and
        /// coding keys in snake case (`case image = "image_url"`) are not changed. A name in a model's mapping is never
        /// changed. Errors name the place in the JSON.
        public static let snakeCase = KeyStyle(kind: .snakeCase)
    }
}

/// ``JSON`` and containers of it. They are never read by a decoder of Foundation's, which would lose the order of members
/// and digits of numbers.
private protocol OrderedJSON {}

extension JSON: OrderedJSON {}
extension Array: OrderedJSON where Element: OrderedJSON {}
extension Dictionary: OrderedJSON where Key == String, Value: OrderedJSON {}
extension Optional: OrderedJSON where Wrapped: OrderedJSON {}
