public import Halyard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RouteBody {
    /// A value as JSON. Dates are milliseconds since 1970, rounded.
    ///
    /// ```swift
    /// Route(path: "/user/\(user.id)", method: .put, body: .json(user))
    /// ```
    ///
    /// A value that cannot be encoded is the request's error: ``HTTPError`` of kind `encoding`, with the
    /// `EncodingError` as its cause.
    public static func json(_ value: some Encodable & Sendable) -> RouteBody {
        RouteBody(contentType: "application/json") {
            do { return HTTPBody(try encoder.encode(value)) } catch {
                throw HTTPError(.encoding("the body"), reason: "\(type(of: value)): \(error)", cause: error)
            }
        }
    }

    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
            guard let whole = Int64(exactly: milliseconds) else {
                throw EncodingError.invalidValue(
                    date,
                    EncodingError.Context(
                        codingPath: encoder.codingPath,
                        debugDescription: "the date is too far away for milliseconds since 1970"))
            }
            try container.encode(whole)
        }
        return encoder
    }()
}
