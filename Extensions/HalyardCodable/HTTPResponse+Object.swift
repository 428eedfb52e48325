public import Halyard
import HalyardFoundation

extension HTTPResponse {
    /// The body, decoded from JSON. An empty body is `nil` for an optional type.
    ///
    /// ```swift
    /// let problem = try response.object(Problem.self)
    /// let users = try response.object([User].self, at: "data.items")
    /// ```
    ///
    /// `Data` is the bytes of the body. `String` is its text, or the JSON string of a response whose content type is JSON.
    /// A ``JSON`` is read as ``json()`` reads it, whatever the mapper: its members in order and under their own names.
    ///
    /// - Parameters:
    ///   - keyPath: where in the JSON the object stands: names of members, and indices of elements, with points between
    ///     them. The whole body unless given. A path that is not there is an error for every type, with no cause.
    ///   - mapper: how it is read. Defaults to the mapper of the route or the provider that the response is for, inside
    ///     `validate` and in an error too; for a response made by hand, and inside an interceptor, to
    ///     ``ObjectMapper/standard``.
    /// - Throws: ``HTTPError`` of kind `emptyResponse` when there is no body for a type that needs one; `decoding` when it
    ///   is not JSON or does not fit the type, with the place in the JSON, and the `DecodingError` as its cause.
    public func object<T: Decodable & SendableMetatype>(
        _ type: T.Type = T.self, at keyPath: String = "", mapper: ObjectMapper? = nil
    ) throws(HTTPError) -> sending T {
        if keyPath.isEmpty, let value = try plain(type) { return value }
        let mapper = mapper ?? ObjectMapper(self.mapper) ?? .standard
        guard try !bytes().isEmpty || type is any OptionalType.Type else {
            throw HTTPError(.emptyResponse, response: self)
        }
        guard !data.isEmpty else { return try object(type, from: Data("null".utf8), at: keyPath, mapper) }
        let asJSON = type as? any HoldsJSON.Type
        if asJSON == nil, keyPath.isEmpty { return try object(type, from: data, at: keyPath, mapper) }
        let json = try json(at: keyPath, for: type)
        if let value = asJSON?.holding(json) as? T { return value }
        return try object(type, from: json.encoded(), at: keyPath, mapper)
    }

    /// The same, unless a serializer of the provider reads the type.
    package func object<T: Decodable & SendableMetatype>(
        _ type: T.Type, at keyPath: String, by codec: Codec
    ) throws(HTTPError) -> sending T {
        if keyPath.isEmpty, let value = try codec.serializers.decode(type, from: self) { return value }
        return try object(type, at: keyPath, mapper: codec.mapper)
    }

    /// The bytes or the text of the body, for the types that are not decoded from JSON. This is the one rule for all ways
    /// to read a value: `Data` is the bytes; `String` is the text, unless the response says that it is JSON, and then the
    /// JSON string. An empty body is nil for an optional.
    ///
    /// - Returns: Nil for any other type.
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

    private var isJSON: Bool {
        guard let type = mediaType?.lowercased() else { return false }
        return type == "application/json" || type.hasSuffix("+json")
    }

    private func object<T: Decodable & SendableMetatype>(
        _ type: T.Type, from data: Data, at keyPath: String, _ mapper: ObjectMapper
    ) throws(HTTPError) -> sending T {
        do { return try mapper.decode(type, from: data) } catch {
            let (reason, suggestion) = mismatch(error, type, in: data, at: keyPath, mapper.dates)
            throw HTTPError(.decoding, reason: reason, suggestion: suggestion, response: self, cause: error)
        }
    }

    /// What stands at a key path.
    private func json(at keyPath: String, for type: Any.Type) throws(HTTPError) -> JSON {
        var (value, walked) = (try json(), "")
        for step in keyPath.split(separator: ".") {
            let next = value.object?[String(step)] ?? Int(step).flatMap { value.array?[safe: $0] }
            walked += (walked.isEmpty ? "" : ".") + step
            guard let next else {
                throw HTTPError(
                    .decoding, reason: "\(walked.quoted) is missing, where \(type) was to be", response: self)
            }
            value = next
        }
        return value
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

/// Tells optional types from others.
private protocol OptionalType {}

extension Optional: OptionalType {}
