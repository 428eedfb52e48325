public import Halyard
import HalyardFoundation

extension RouteBody {
    /// Returns a body with a value, written by the first of the provider's serializers that supports its type, or else
    /// by Halyard.
    ///
    /// ```swift
    /// Route(path: "/tables/7", method: .put, body: .value(table))          // by the provider's CSVSerializer
    /// ```
    ///
    /// Halyard writes `Data` and `String` as they are, ``Multipart`` and ``Parameters`` as forms, and ``JSON`` and
    /// `Encodable` types as JSON. For an optional it writes the value. `nil` and `()` have no body. Any other type
    /// fails the request with ``HTTPError`` of kind `encoding`, which names it.
    ///
    /// - Parameter value: The value.
    /// - Returns: The body.
    public static func value<Value: Sendable>(_ value: Value) -> RouteBody {
        RouteBody { codec in try make(value, codec) }
    }

    fileprivate static func make<Value>(_ value: Value, _ codec: Codec) throws -> Made? {
        if let made = try codec.serializers.encode(value) { return (HTTPBody(made.data), made.contentType) }
        switch value {
        case is Void: return nil
        case let value as any AnyOptional: return try makeWrapped(value, codec)
        case let body as RouteBody: return try body.make(codec)
        case let data as Data: return try RouteBody.data(data).make(codec)
        case let text as String: return try RouteBody.text(text).make(codec)
        case let json as JSON: return try RouteBody.json(json).make(codec)
        case let form as Multipart: return try RouteBody.multipart(form).make(codec)
        case let params as Parameters: return try RouteBody.form(params: params).make(codec)
        case let value as any Encodable: return try encode(value, codec)
        default:
            throw HTTPError(
                .encoding("the body"), reason: "nothing writes values of the type \(Value.self)",
                suggestion: "Make it Encodable, or give the provider a serializer that writes it")
        }
    }

    private static func makeWrapped(_ optional: some AnyOptional, _ codec: Codec) throws -> Made? {
        try optional.asOptional.flatMap { try make($0, codec) }
    }
}
