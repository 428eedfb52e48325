public import Halyard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RouteBody {
    /// A value as JSON, as the route's mapper or the provider's writes it.
    ///
    /// ```swift
    /// Route(path: "/user/\(user.id)", method: .put, body: .json(user))
    /// ```
    ///
    /// A value that cannot be encoded is the request's error: ``HTTPError`` of kind `encoding`, with the
    /// `EncodingError` as its cause.
    public static func json(_ value: some Encodable & Sendable) -> RouteBody {
        RouteBody(contentType: "application/json") { mapper in
            do { return HTTPBody(try mapper.encode(value)) } catch {
                throw HTTPError(.encoding("the body"), reason: "\(type(of: value)): \(error)", cause: error)
            }
        }
    }
}
