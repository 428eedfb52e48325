#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import HalyardHTTP

/// Makes a value of a response that the provider's `validate` let pass. It runs off the main actor.
///
/// ```swift
/// let checksum = ResponseSerializer { response in response.data.reduce(0) { $0 &+ UInt32($1) } }
/// ```
public struct ResponseSerializer<Value: Sendable>: Sendable {
    package let value: @Sendable (HTTPResponse, Codec) throws -> Value

    /// A serializer of one's own. What it throws is the error of the response.
    public init(_ value: @escaping @Sendable (HTTPResponse) throws -> Value) {
        self.init { response, _ in try value(response) }
    }

    package init(_ value: @escaping @Sendable (HTTPResponse, Codec) throws -> Value) { self.value = value }
}

extension ResponseSerializer where Value == Void {
    /// Nothing: the body is not looked at.
    public static var void: ResponseSerializer { ResponseSerializer { _ in } }
}

extension ResponseSerializer where Value == Data {
    /// The bytes.
    public static var data: ResponseSerializer { ResponseSerializer { try $0.bytes() } }
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
    ///   line and column and the `JSON.ParseError` as its cause.
    public func json() throws(HTTPError) -> JSON {
        let data = try bytes()
        guard !data.isEmpty else { throw HTTPError(.emptyResponse, response: self) }
        do { return try JSON(parsing: data) } catch {
            throw HTTPError(.decoding, reason: "\(error)", response: self, cause: error)
        }
    }
}
