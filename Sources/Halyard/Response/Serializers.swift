package import HalyardFoundation
package import HalyardHTTP

/// The serializers of a provider or a client. The first one that supports a type is used.
///
/// The provider's precede those of its client's configuration. Halyard's own are last: `Void`, `Data`, `String`,
/// ``JSON``, ``Parameters`` and ``Multipart`` as bodies, optionals, and `Codable` types as JSON.
public struct Serializers: Sendable, ExpressibleByArrayLiteral {
    private let list: [any Serializer]

    /// An empty list: only Halyard's own serializers are used.
    public static let standard: Serializers = []

    /// Makes a list.
    ///
    /// - Parameter list: The serializers, in the order of precedence.
    public init(_ list: [any Serializer]) { self.list = list }

    /// Makes a list from an array literal, in the order of precedence.
    public init(arrayLiteral elements: (any Serializer)...) { list = elements }

    package var isEmpty: Bool { list.isEmpty }

    /// Returns these serializers followed by others.
    func followed(by others: Serializers) -> Serializers {
        others.isEmpty ? self : Serializers(list + others.list)
    }

    /// Returns a value as the first serializer for its type writes it. `nil` if there is none.
    ///
    /// - Throws: ``HTTPError`` of kind `encoding`, with the serializer's name and its error.
    package func encode<T>(_ value: T) throws(HTTPError) -> (data: Data, contentType: String)? {
        guard let serializer = list.first(where: { $0.writes(T.self) }) else { return nil }
        do { return (try serializer.encode(value, as: T.self), serializer.contentType) } catch {
            throw HTTPError(
                .encoding("the body"), reason: "\(type(of: serializer)) cannot write \(T.self): \(error)", cause: error)
        }
    }

    /// Returns a value as the first serializer for its type reads it. `nil` if there is none.
    ///
    /// - Throws: ``HTTPError`` of kind `decoding`, with the serializer's name, its error and the response.
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
