public import Halyard
import HalyardFoundation

extension ResponseSerializer {
    /// Returns a serializer for a type: the first of the provider's serializers that supports it, or else Halyard's
    /// own.
    ///
    /// ```swift
    /// let table = try await api.request(.table("7")).value(.value(of: CSV.self))     // by the provider's CSVSerializer
    /// ```
    ///
    /// Halyard supports `Void`, which ignores the body, `HTTPResponse`, `Data`, `String`, ``JSON``, and `Decodable`
    /// types from JSON. A `String` is the text, or the JSON string if the response says that it is JSON. An optional of
    /// any of these is `nil` for an empty body. Any other type fails with ``HTTPError`` of kind `decoding`, which names
    /// it.
    public static func value(of type: Value.Type = Value.self) -> ResponseSerializer {
        ResponseSerializer { response, codec in try response.value(of: type, by: codec) }
    }
}

extension HTTPResponse {
    /// Returns a value of the first serializer that supports the type, or of Halyard's own.
    fileprivate func value<T>(of type: T.Type, by codec: Codec) throws(HTTPError) -> T {
        if let value = try codec.serializers.decode(type, from: self) { return value }
        if let value = try plain(type, by: codec) as? T { return value }
        throw HTTPError(
            .decoding, reason: "nothing reads values of the type \(T.self)",
            suggestion: "Make it Decodable, or give the provider a serializer that reads it", response: self)
    }

    private func plain(_ type: Any.Type, by codec: Codec) throws(HTTPError) -> Any? {
        switch type {
        case is Void.Type: return ()
        case is HTTPResponse.Type: return self
        case is JSON.Type: return try json()
        case let type as any AnyOptional.Type: return try optional(type, by: codec)
        case let type as any (Decodable & SendableMetatype).Type: return try object(opening: type, codec)
        default: return nil
        }
    }

    private func optional<Kind: AnyOptional>(_ type: Kind.Type, by codec: Codec) throws(HTTPError) -> Any? {
        // JSON's null is nil as well.
        if let type = type as? any (Decodable & SendableMetatype).Type { return try object(opening: type, codec) }
        return try bytes().isEmpty ? Kind.none : Kind.some(value(of: Kind.Wrapped.self, by: codec))
    }

    private func object<T: Decodable & SendableMetatype>(opening type: T.Type, _ codec: Codec) throws(HTTPError) -> T {
        try object(type, at: "", by: codec)
    }
}
