public import HalyardFoundation
public import HalyardHTTP

/// Converts a response that the provider's `validate` has accepted. It runs off the main actor.
///
/// ```swift
/// let checksum = ResponseSerializer { response in response.data.reduce(0) { $0 &+ UInt32($1) } }
/// ```
public struct ResponseSerializer<Value: Sendable>: Sendable {
    package let value: @Sendable (HTTPResponse, Codec) throws -> Value
    /// Whether the time that it takes does not depend on the length of the body.
    let isQuick: Bool

    /// Creates a serializer from a closure. An error that the closure throws becomes the error of the request.
    public init(_ value: @escaping @Sendable (HTTPResponse) throws -> Value) {
        self.init { response, _ in try value(response) }
    }

    package init(isQuick: Bool = false, _ value: @escaping @Sendable (HTTPResponse, Codec) throws -> Value) {
        self.value = value
        self.isQuick = isQuick
    }
}

extension ResponseSerializer where Value == Void {
    /// Ignores the body.
    public static var void: ResponseSerializer { ResponseSerializer(isQuick: true) { _, _ in } }
}

extension ResponseSerializer where Value == Data {
    /// Returns the bytes.
    public static var data: ResponseSerializer {
        ResponseSerializer(isQuick: true) { response, _ in try response.bytes() }
    }
}

extension ResponseSerializer where Value == String {
    /// Returns the text. See ``HTTPResponse/text`` for the charset.
    public static var text: ResponseSerializer {
        ResponseSerializer {
            _ = try $0.bytes()
            return $0.text
        }
    }
}

extension ResponseSerializer where Value == JSON {
    /// Returns a JSON value of any kind.
    public static var json: ResponseSerializer { ResponseSerializer { try $0.json() } }
}

extension HTTPResponse {
    /// Returns the body as JSON of any kind: an object, an array, or a single value.
    ///
    /// - Throws: ``HTTPError`` of kind `emptyResponse` if the body is missing or blank; of kind `decoding` if it is not
    ///   JSON, with line and column, and with the `JSON.ParseError` as its cause; of kind `cancelled` if the task is
    ///   cancelled meanwhile.
    public func json() throws(HTTPError) -> JSON {
        let data = try bytes()
        guard !isBlank else { throw HTTPError(.emptyResponse, response: self) }
        do { return try JSON(untilCancelled: data) } catch {
            if error == .cancelled { throw .cancelled }
            throw HTTPError(.decoding, reason: "\(error)", response: self, cause: error)
        }
    }
}
