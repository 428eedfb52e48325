public import Halyard
import HalyardFoundation

extension HTTPResponse {
    /// Returns the body, decoded from JSON. An empty or blank body gives `nil` for an optional type.
    ///
    /// ```swift
    /// let problem = try response.object(Problem.self)
    /// let users = try response.object([User].self, at: "data.items")
    /// ```
    ///
    /// `Data` is the bytes of the body. `String` is its text, or the JSON string of a response whose content type is
    /// JSON. A ``JSON`` is read like ``json()``, without the mapper: its members keep their order and names.
    ///
    /// - Parameters:
    ///   - keyPath: The path of the value in the JSON: names of members and indices of elements, separated by dots.
    ///     A negative index counts from the end of an array. Defaults to the whole body. A path that is not in the JSON is an error for every type, without a cause.
    ///   - mapper: Reads the value. Defaults to the mapper of the response's route or provider, also inside `validate`
    ///     and in an error. For a response that you have made, and inside an interceptor, it defaults to
    ///     ``ObjectMapper/standard``.
    /// - Throws: ``HTTPError`` of kind `emptyResponse` if there is no body and the type needs one. `decoding` if the
    ///   body is not JSON or does not fit the type, with the place in the JSON, and with the `DecodingError` as its
    ///   cause.
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

    /// Returns a value of a stream, whose bytes are the body of this copy of its response.
    ///
    /// - Parameter isJSON: Whether text is a JSON string, whatever the content type of the response.
    package func object<T: Decodable & SendableMetatype>(
        _ type: T.Type, ofPartAt place: String, isJSON: Bool, by codec: Codec
    ) throws(HTTPError) -> sending T {
        if let value = try codec.serializers.decode(type, from: self) { return value }
        if !isJSON || type is Data.Type, let value = try plain(type) { return value }
        return try object(type, from: data, JSONPath(""), at: place, codec.mapper)
    }

    /// The bytes or the text of the body, for the types that are not decoded from JSON. This is the one rule for all
    /// ways to read a value: `Data` is the bytes; `String` is the text, unless the response says that it is JSON, and
    /// then the JSON string. An empty body is `nil` for an optional.
    ///
    /// - Returns: `nil` for any other type.
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

    /// Returns the value at a path in data.
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

extension Failures {
    /// Returns an error type that is read from JSON with the mapper of the route or the provider.
    ///
    /// ```swift
    /// let failures = Failures.json(OutOfStock.self, for: 409...409).followed(by: .json(ShopFailure.self))
    /// ```
    ///
    /// It applies to a response whose content type is JSON and whose status is in a range.
    ///
    /// - Parameters:
    ///   - keyPath: The path of the value in the JSON, with dots. Defaults to the whole body.
    ///   - statuses: The statuses. Defaults to 400...599.
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
    /// Calls a handler with the response decoded from JSON, on the main actor. Decoding does not run there. On a
    /// queue, use `responseValue(.object(), on: queue)`.
    ///
    /// ```swift
    /// api.request(.me).responseObject { (response: Response<User>) in print(response.result) }
    /// api.request(.all).responseObject(of: [User].self, at: "data.items") { print($0.result) }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The path of the value in the JSON. See ``HTTPResponse/object(_:at:mapper:)``. Defaults to the whole
    ///     body.
    ///   - handler: Receives the value, or an ``HTTPError``: of kind `decoding` for a body that does not fit, of kind
    ///     `emptyResponse` for an empty body, unless the type is optional.
    @discardableResult
    public func responseObject<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = "",
        _ handler: @escaping @MainActor (Response<T>) -> Void
    ) -> Request {
        responseValue(.object(type, at: keyPath), handler)
    }
}

extension ResponseSerializer where Value: Decodable {
    /// Returns a serializer for a value from JSON. See ``HTTPResponse/object(_:at:mapper:)``.
    ///
    /// - Parameter keyPath: The path of the value in the JSON. Defaults to the whole body.
    public static func object(_ type: Value.Type = Value.self, at keyPath: String = "") -> ResponseSerializer {
        ResponseSerializer { response, codec in try response.object(type, at: keyPath, by: codec) }
    }
}
