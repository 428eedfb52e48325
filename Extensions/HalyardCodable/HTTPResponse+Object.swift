// Objects are read from Halyard's responses, so this module exports Halyard.
@_exported public import Halyard
import HalyardFoundation

extension HTTPResponse {
    /// Decodes the body from JSON. For an optional type, an empty or blank body gives `nil`.
    ///
    /// ```swift
    /// let users = try response.object([User].self, at: "data.items")
    /// ```
    ///
    /// `Data` is the bytes of the body. `String` is its text, or the JSON string if the response's content type is
    /// JSON. A ``JSON`` is read as by ``json()``, without the mapper, so its members keep their order and names.
    ///
    /// - Parameters:
    ///   - keyPath: The path of the value in the JSON: member names and element indices, separated by dots. A negative
    ///     index counts from the end of an array. A path that is not in the JSON is an error without a cause.
    ///   - mapper: Defaults to the mapper of the response's route or provider, including inside `validate` and in an
    ///     error. For a response that you created, and inside an interceptor, it defaults to ``ObjectMapper/standard``.
    /// - Throws: ``HTTPError`` of kind `emptyResponse` if there is no body and the type needs one, or of kind
    ///   `decoding` if the body is not JSON or does not fit the type. A `decoding` error has the place in the JSON, and
    ///   the `DecodingError` as its cause.
    public func object<T: Decodable & SendableMetatype>(
        _ type: T.Type = T.self, at keyPath: String = "", mapper: ObjectMapper? = nil
    ) throws(HTTPError) -> sending T {
        if keyPath.isEmpty, let value = try plain(type) { return value }
        let mapper = mapper ?? ObjectMapper(notes.mapper) ?? .standard
        _ = try bytes()
        guard !isBlank || type is any AnyOptional.Type else { throw HTTPError(.emptyResponse, response: self) }
        guard !isBlank else { return try object(type, from: Data("null".utf8), JSONPath(""), at: keyPath, mapper) }
        return try object(type, from: data, JSONPath(keyPath), at: keyPath, mapper)
    }

    /// Returns the body as a value. A serializer of the provider that supports the type takes precedence.
    package func object<T: Decodable & SendableMetatype>(
        _ type: T.Type, at keyPath: String, by codec: Codec
    ) throws(HTTPError) -> sending T {
        if keyPath.isEmpty, let value = try codec.serializers.decode(type, from: self) { return value }
        return try object(type, at: keyPath, mapper: codec.mapper)
    }

    /// Returns a value of a stream, whose bytes are the body of this copy of its response. `isJSON` says whether text
    /// is a JSON string, whatever the content type.
    package func object<T: Decodable & SendableMetatype>(
        _ type: T.Type, ofPartAt place: String, isJSON: Bool, by codec: Codec
    ) throws(HTTPError) -> sending T {
        if let value = try codec.serializers.decode(type, from: self) { return value }
        if !isJSON || type is Data.Type, let value = try plain(type) { return value }
        return try object(type, from: data, JSONPath(""), at: place, codec.mapper)
    }

    /// Returns the bytes or the text of the body, for the types that are not decoded from JSON; `nil` for any other
    /// type. An empty body is `nil` for an optional.
    func plain<T>(_ type: T.Type) throws(HTTPError) -> T? {
        switch type {
        case is Data.Type: return try bytes() as? T
        case is Data?.Type: return try (bytes().isEmpty ? nil : data) as Data? as? T
        case is String.Type where !isJSON:
            _ = try bytes()
            return text as? T
        case is String?.Type where !isJSON: return try (bytes().isEmpty ? nil : text) as String? as? T
        default: return nil
        }
    }

    /// Whether the content type is JSON.
    var isJSON: Bool {
        guard let type = mediaType else { return false }
        return type == "application/json" || type.hasSuffix("+json")
    }

    private func object<T: Decodable & SendableMetatype>(
        _ type: T.Type, from data: Data, _ path: JSONPath, at place: String, _ mapper: ObjectMapper
    ) throws(HTTPError) -> sending T {
        do { return try mapper.decode(type, from: data, at: path) } catch let missing as JSONPath.Missing {
            throw HTTPError(.decoding, reason: "\(missing), where \(type) was expected", response: self)
        } catch {
            // Nobody waits for the reason, which takes as long as the decoding.
            if error is CancellationError || Task.isCancelled { throw .cancelled }
            let (reason, suggestion) = mismatch(error, type, in: data, path, at: place, mapper.dates)
            throw HTTPError(.decoding, reason: reason, suggestion: suggestion, response: self, cause: error)
        }
    }
}

extension JSON {
    /// Decodes this JSON as a value of a type.
    ///
    /// ```swift
    /// let owner = try json["data"]["owner"].decode(User.self)
    /// ```
    ///
    /// - Throws: `DecodingError` with the place relative to this value, or an error of the type's `init(from:)`.
    public func decode<T: Decodable & SendableMetatype>(
        _ type: T.Type = T.self, mapper: ObjectMapper = .standard
    ) throws -> sending T {
        try mapper.decode(type, from: encoded())
    }
}

extension Failures {
    /// Returns an error type that is decoded from JSON with the mapper of the route or the provider.
    ///
    /// ```swift
    /// let failures = Failures.json(OutOfStock.self, for: 409...409).followed(by: .json(ShopFailure.self))
    /// ```
    ///
    /// It applies to responses whose content type is JSON and whose status is in the range.
    public static func json<Failure: Error & Decodable>(
        _ type: Failure.Type, at keyPath: String = "", for statuses: ClosedRange<Int> = 400...599
    ) -> Failures {
        Failures([
            { response, codec in
                guard statuses.contains(response.status), response.isJSON else { return nil }
                return try response.object(type, at: keyPath, by: codec)
            }
        ])
    }
}

extension Request {
    /// Calls a handler on the main actor with the response decoded from JSON. Decoding runs elsewhere. To get the
    /// result on a queue, use `responseValue(.object(), on: queue)`.
    ///
    /// ```swift
    /// api.request(.me).responseObject { (response: Response<User>) in print(response.result) }
    /// api.request(.all).responseObject(of: [User].self, at: "data.items") { print($0.result) }
    /// ```
    ///
    /// See ``HTTPResponse/object(_:at:mapper:)`` for the path and the errors.
    @discardableResult
    public func responseObject<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = "",
        _ handler: @escaping @MainActor (Response<T>) -> Void
    ) -> Request {
        responseValue(.object(type, at: keyPath), handler)
    }
}

extension ResponseSerializer where Value: Decodable {
    /// Returns a serializer that decodes a value from JSON. See ``HTTPResponse/object(_:at:mapper:)``.
    public static func object(_ type: Value.Type = Value.self, at keyPath: String = "") -> ResponseSerializer {
        ResponseSerializer { response, codec in try response.object(type, at: keyPath, by: codec) }
    }
}

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
    /// any of these is `nil` for an empty body. Any other type fails with an ``HTTPError`` of kind `decoding` that
    /// names the type.
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
        case let type as any (Decodable & SendableMetatype).Type: return try object(type, at: "", by: codec)
        default: return nil
        }
    }

    private func optional<Kind: AnyOptional>(_ type: Kind.Type, by codec: Codec) throws(HTTPError) -> Any? {
        // JSON's null is nil as well.
        if let type = type as? any (Decodable & SendableMetatype).Type { return try object(type, at: "", by: codec) }
        return try bytes().isEmpty ? Kind.none : Kind.some(value(of: Kind.Wrapped.self, by: codec))
    }
}
