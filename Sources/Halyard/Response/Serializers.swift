package import HalyardFoundation
package import HalyardHTTP

/// The serializers of a provider or a client, in the order in which they are asked: the first that supports a type wins.
///
/// The provider's come first, then those of its client's configuration, then Halyard's own: `Void`, `Data`, `String`,
/// ``JSON``, ``Parameters`` and ``Multipart`` as bodies, optionals, and all that is `Codable`, as JSON.
public struct Serializers: Sendable, ExpressibleByArrayLiteral {
    private let list: [any Serializer]

    /// None but Halyard's own.
    public static let standard: Serializers = []

    /// Serializers in the order in which they are asked.
    public init(_ list: [any Serializer]) { self.list = list }

    /// Serializers in the order in which they are asked.
    public init(arrayLiteral elements: (any Serializer)...) { list = elements }

    package var isEmpty: Bool { list.isEmpty }

    /// These, and behind them others.
    func followed(by others: Serializers) -> Serializers {
        others.isEmpty ? self : Serializers(list + others.list)
    }

    /// A value in the form of the first serializer that writes its type; nil where none does.
    ///
    /// - Throws: ``HTTPError`` of kind `encoding`, which names the serializer and keeps what it threw.
    package func encode<T>(_ value: T) throws(HTTPError) -> (data: Data, contentType: String)? {
        guard let serializer = list.first(where: { $0.writes(T.self) }) else { return nil }
        do { return (try serializer.encode(value, as: T.self), serializer.contentType) } catch {
            throw HTTPError(
                .encoding("the body"), reason: "\(type(of: serializer)) cannot write \(T.self): \(error)", cause: error)
        }
    }

    /// A value as the first serializer that reads its type makes it of a response; nil where none does.
    ///
    /// - Throws: ``HTTPError`` of kind `decoding`, which names the serializer and keeps what it threw, and the response.
    package func decode<T>(
        _ type: T.Type, from response: HTTPResponse
    ) throws(HTTPError) -> sending T? {
        guard let serializer = list.first(where: { $0.reads(type) }) else { return nil }
        do {
            _ = try response.bytes()
            return try serializer.decode(type, from: response)
        } catch {
            if let error = error as? HTTPError { throw error.of(nil, response) }
            throw HTTPError(
                .decoding, reason: "\(Swift.type(of: serializer)) cannot read \(type): \(error)", response: response,
                cause: error)
        }
    }

    /// What a serializer is told that was asked for another type than its own, against what it had said.
    static func unfit(_ serializer: some Serializer, _ type: Any.Type) -> HTTPError {
        HTTPError(
            .configuration("serializers"), reason: "\(Swift.type(of: serializer)) says that it supports \(type)",
            suggestion: "Let its writes(_:) and reads(_:) name the types alone that it handles")
    }
}

/// How values are written and read: by a provider's serializers, or as JSON by its mapper.
package struct Codec: Sendable {
    package var mapper = ObjectMapper.standard
    package var serializers = Serializers.standard

    package init(mapper: ObjectMapper = .standard, serializers: Serializers = .standard) {
        self.mapper = mapper
        self.serializers = serializers
    }

    package static let standard = Codec()
}
