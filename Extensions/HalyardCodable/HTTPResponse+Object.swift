public import Halyard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HTTPResponse {
    /// The body, decoded from JSON. Dates are milliseconds since 1970.
    ///
    /// ```swift
    /// let problem = try response.object(Problem.self)
    /// ```
    ///
    /// - Throws: ``HTTPError`` of kind `emptyResponse` when there is no body; `decoding` when it is not JSON or does
    ///   not fit the type, with the place in the JSON, and the `DecodingError` as its cause.
    public func object<T: Decodable & SendableMetatype>(_ type: T.Type = T.self) throws(HTTPError) -> sending T {
        let data = try bytes()
        guard !data.isEmpty else { throw HTTPError(.emptyResponse, response: self) }
        do { return try Self.decoder.decode(type, from: data) } catch {
            throw HTTPError(.decoding, reason: mismatch(error, type), response: self, cause: error)
        }
    }

    private static let decoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        return decoder
    }()
}
