public import HalyardFoundation
public import HalyardHTTP

/// A type that writes values as bodies and reads them from responses. A provider has a list of ``Serializers``.
///
/// For one type, conform to ``ValueSerializer`` instead, which needs no casts. This protocol is for several types, such
/// as all `Codable` types in another format:
///
/// ```swift
/// struct PropertyLists: Serializer {
///     let contentType = "application/x-plist"
///     func writes(_ type: Any.Type) -> Bool { type is any Encodable.Type }
///     func reads(_ type: Any.Type) -> Bool { type is any Decodable.Type }
///     ...
/// }
/// ```
public protocol Serializer: Sendable {
    /// The `Content-Type` of the bodies that the serializer writes. The route's headers take precedence.
    var contentType: String { get }

    /// Returns whether this serializer writes values of a type. The provider's first serializer that does so is used.
    func writes(_ type: Any.Type) -> Bool

    /// Returns whether this serializer reads values of a type. The provider's first serializer that does so is used.
    func reads(_ type: Any.Type) -> Bool

    /// Writes a value of a supported type. If it throws, the request fails with ``HTTPError`` of kind `encoding`, with
    /// the error as its cause.
    func encode<T>(_ value: T, as type: T.Type) throws -> Data

    /// Reads a value of a supported type, off the main actor. If it throws, the request fails with ``HTTPError`` of
    /// kind `decoding`, with the error as its cause.
    func decode<T>(_ type: T.Type, from response: HTTPResponse) throws -> T
}

/// A ``Serializer`` for one type.
///
/// ```swift
/// struct CSVSerializer: ValueSerializer {
///     let contentType = "text/csv; charset=utf-8"
///     func encode(_ table: CSV) -> Data { Data(table.lines.joined(separator: "\n").utf8) }
///     func decode(from response: HTTPResponse) throws -> CSV { try CSV(response.text) }
/// }
///
/// struct StatisticsAPI: HTTPProvider {
///     let baseURL = URL(string: "https://api.example.com/v1")!
///     let serializers: Serializers = [CSVSerializer()]
/// }
/// ```
///
/// To send a table, use `.value(table)` as the body. `.value(of: CSV.self)` reads one.
public protocol ValueSerializer<Value>: Serializer {
    /// The type of the values.
    associatedtype Value

    /// Writes a value. See ``Serializer/encode(_:as:)`` for errors.
    func encode(_ value: Value) throws -> Data

    /// Reads a value, off the main actor. The body may be empty. See ``Serializer/decode(_:from:)`` for errors.
    func decode(from response: HTTPResponse) throws -> Value
}

extension ValueSerializer {
    /// Returns whether the type is `Value`.
    public func writes(_ type: Any.Type) -> Bool { type == Value.self }

    /// Returns whether the type is `Value`.
    public func reads(_ type: Any.Type) -> Bool { type == Value.self }

    /// Writes a value of the serializer's own type. Any other type throws an ``HTTPError`` of kind `configuration`.
    public func encode<T>(_ value: T, as type: T.Type) throws -> Data {
        guard let value = value as? Value else { throw Serializers.unsupportedType(self, type) }
        return try encode(value)
    }

    /// Reads a value of the serializer's own type. Any other type throws an ``HTTPError`` of kind `configuration`.
    public func decode<T>(_ type: T.Type, from response: HTTPResponse) throws -> T {
        guard let value = try decode(from: response) as? T else { throw Serializers.unsupportedType(self, type) }
        return value
    }
}

/// The serializers of a provider or a client. The first one that supports a type is used.
///
/// ```swift
/// let serializers: Serializers = [CSV()]
/// ```
///
/// A provider's serializers precede those of its client's configuration. Halyard's own come last: `Void`, `Data`,
/// `String`, ``JSON``, ``Parameters`` and lists of ``MultipartPart`` as bodies, optionals, and `Codable` types as JSON.
public struct Serializers: Sendable, ExpressibleByArrayLiteral {
    private let list: [any Serializer]

    /// An empty list: only Halyard's own serializers are used.
    public static let standard: Serializers = []

    /// Creates a list in the order of precedence.
    public init(_ list: [any Serializer]) { self.list = list }

    /// Creates a list from an array literal, in the order of precedence.
    public init(arrayLiteral elements: (any Serializer)...) { list = elements }

    package var isEmpty: Bool { list.isEmpty }

    /// Returns these serializers followed by others.
    func followed(by others: Serializers) -> Serializers {
        others.isEmpty ? self : Serializers(list + others.list)
    }

    /// Returns a value as the first serializer for its type writes it. `nil` if there is none. Throws ``HTTPError`` of
    /// kind `encoding`, with the serializer's name and its error.
    package func encode<T>(_ value: T) throws(HTTPError) -> (data: Data, contentType: String)? {
        guard let serializer = list.first(where: { $0.writes(T.self) }) else { return nil }
        do { return (try serializer.encode(value, as: T.self), serializer.contentType) } catch {
            throw HTTPError(
                .encoding("the body"), reason: "\(type(of: serializer)) cannot write \(T.self): \(error)", cause: error)
        }
    }

    /// Returns a value as the first serializer for its type reads it. `nil` if there is none. Throws ``HTTPError`` of
    /// kind `decoding`, with the serializer's name, its error and the response.
    package func decode<T>(
        _ type: T.Type, from response: HTTPResponse
    ) throws(HTTPError) -> sending T? {
        guard let serializer = list.first(where: { $0.reads(type) }) else { return nil }
        do {
            _ = try response.bytes()
            return try serializer.decode(type, from: response)
        } catch {
            if let error = error as? HTTPError { throw error.adding(response: response) }
            throw HTTPError(
                .decoding, reason: "\(Swift.type(of: serializer)) cannot read \(type): \(error)", response: response,
                cause: error)
        }
    }

    /// The error of a serializer that says it supports a type but does not.
    static func unsupportedType(_ serializer: some Serializer, _ type: Any.Type) -> HTTPError {
        HTTPError(
            .configuration("serializers"),
            reason: "\(Swift.type(of: serializer)) claims to support \(type), but cannot convert it",
            suggestion: "Return true from writes(_:) and reads(_:) only for types that the serializer supports")
    }
}

/// Writes and reads values: with a provider's serializers, or as JSON with its mapper.
package struct Codec: Sendable {
    package var mapper = ObjectMapper.standard
    package var serializers = Serializers.standard

    package init(mapper: ObjectMapper = .standard, serializers: Serializers = .standard) {
        self.mapper = mapper
        self.serializers = serializers
    }

    package static let standard = Codec()
}
