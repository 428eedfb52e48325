public import HalyardFoundation
public import HalyardHTTP

/// Makes a value of a response that the provider's `validate` let pass. It runs off the main actor.
///
/// ```swift
/// let checksum = ResponseSerializer { response in response.data.reduce(0) { $0 &+ UInt32($1) } }
/// ```
public struct ResponseSerializer<Value: Sendable>: Sendable {
    package let value: @Sendable (HTTPResponse, Codec) throws -> Value
    /// Whether it takes no time, however long the body is.
    let isQuick: Bool

    /// A serializer of one's own. What it throws is the error of the response.
    public init(_ value: @escaping @Sendable (HTTPResponse) throws -> Value) {
        self.init { response, _ in try value(response) }
    }

    package init(isQuick: Bool = false, _ value: @escaping @Sendable (HTTPResponse, Codec) throws -> Value) {
        self.value = value
        self.isQuick = isQuick
    }
}

extension ResponseSerializer where Value == Void {
    /// Nothing: the body is not looked at.
    public static var void: ResponseSerializer { ResponseSerializer(isQuick: true) { _, _ in } }
}

extension ResponseSerializer where Value == Data {
    /// The bytes.
    public static var data: ResponseSerializer {
        ResponseSerializer(isQuick: true) { response, _ in try response.bytes() }
    }
}

extension ResponseSerializer where Value == String {
    /// The text; see ``HTTPResponse/text`` for its charset.
    public static var text: ResponseSerializer {
        ResponseSerializer {
            _ = try $0.bytes()
            return $0.text
        }
    }
}

extension ResponseSerializer where Value == JSON {
    /// JSON of any kind.
    public static var json: ResponseSerializer { ResponseSerializer { try $0.json() } }
}

extension HTTPResponse {
    /// The body as JSON, of any kind: an object, a list, a lone string.
    ///
    /// - Throws: ``HTTPError`` of kind `emptyResponse` when there is no body, `decoding` when it is not JSON, with
    ///   line and column and the `JSON.ParseError` as its cause, and `cancelled` when the task is cancelled while it reads.
    public func json() throws(HTTPError) -> JSON {
        let data = try bytes()
        guard !data.isEmpty else { throw HTTPError(.emptyResponse, response: self) }
        let result = data.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { bytes in
                var reader = JSONReader(bytes, maximumDepth: 512, stopsWhenCancelled: true)
                return Result { () throws(JSON.ParseError) in try reader.readDocument() }
            }
        }
        do { return try result.get() } catch {
            if error == .cancelled { throw .cancelled }
            throw HTTPError(.decoding, reason: "\(error)", response: self, cause: error)
        }
    }
}
