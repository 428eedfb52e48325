public import Halyard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HTTPResponse {
    /// The body, decoded from JSON. An empty body is `nil` for an optional type.
    ///
    /// ```swift
    /// let problem = try response.object(Problem.self)
    /// let users = try response.object([User].self, at: "data.items")
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: where in the JSON the object stands: names of members, and indices of elements, with points between
    ///     them. The whole body unless given. A path that is not there is an error for every type, with no cause.
    ///   - mapper: how it is read; dates are milliseconds since 1970 unless given.
    /// - Throws: ``HTTPError`` of kind `emptyResponse` when there is no body for a type that needs one; `decoding` when it
    ///   is not JSON or does not fit the type, with the place in the JSON, and the `DecodingError` as its cause.
    public func object<T: Decodable & SendableMetatype>(
        _ type: T.Type = T.self, at keyPath: String = "", mapper: ObjectMapper = .standard
    ) throws(HTTPError) -> sending T {
        let data = try json(for: type, at: keyPath)
        do { return try mapper.decoder.decode(type, from: data) } catch {
            let reason = mismatch(error, type, in: data, at: keyPath)
            throw HTTPError(.decoding, reason: reason, response: self, cause: error)
        }
    }

    /// The bytes of the JSON that a type is to be read from.
    private func json(for type: Any.Type, at keyPath: String) throws(HTTPError) -> Data {
        let data = try bytes()
        guard !data.isEmpty else {
            guard type is any OptionalType.Type else { throw HTTPError(.emptyResponse, response: self) }
            return Data("null".utf8)
        }
        guard !keyPath.isEmpty else { return data }
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
        return value.encoded()
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

/// Tells optional types from others.
private protocol OptionalType {}

extension Optional: OptionalType {}
