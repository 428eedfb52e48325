#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
public import HalyardHTTP

/// Makes a value of a response. It runs off the main actor.
package struct ResponseSerializer<Value: Sendable>: Sendable {
    package let value: @Sendable (HTTPResponse) throws -> Value

    package init(_ value: @escaping @Sendable (HTTPResponse) throws -> Value) { self.value = value }
}

extension ResponseSerializer where Value == Void {
    /// Nothing: the body is not looked at.
    package static let void = ResponseSerializer { _ in }
}

extension ResponseSerializer where Value == Data {
    /// The bytes.
    package static let data = ResponseSerializer { $0.data }
}

extension ResponseSerializer where Value == JSON {
    /// JSON of any kind.
    package static let json = ResponseSerializer { try $0.json() }
}

extension HTTPResponse {
    /// The body as JSON, of any kind: an object, a list, a lone string.
    ///
    /// - Throws: ``HTTPError`` of kind `emptyResponse` when there is no body, `decoding` when it is not JSON, with
    ///   line and column and the `JSON.ParseError` as its cause.
    public func json() throws(HTTPError) -> JSON {
        guard !data.isEmpty else { throw HTTPError(.emptyResponse, response: self) }
        do { return try JSON(parsing: data) } catch {
            throw HTTPError(.decoding, reason: "\(error)", response: self, cause: error)
        }
    }
}
