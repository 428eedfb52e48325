public import Halyard
import HalyardFoundation

extension RouteBody {
    /// Returns a body with only the changes between two values, as JSON, for a PATCH.
    ///
    /// ```swift
    /// Route(path: "/users/1", method: .patch, body: .changes(from: old, to: new))     // {"name":"Alice"}
    /// ```
    ///
    /// The mapper writes both values, and they are compared. See ``JSON/changes(from:to:nested:)``. Without a change
    /// the body is `{}`. The `Content-Type` is `application/json`, which most APIs expect. The route's header fields
    /// may set `application/merge-patch+json`.
    ///
    /// - Parameters:
    ///   - old: The old value. A property that is `nil` only in the new value is sent as `null`.
    ///   - new: The new value. It may be of another type.
    ///   - nested: Whether objects inside objects are compared. Defaults to `true`.
    /// - Returns: The body.
    public static func changes(
        from old: some Encodable & Sendable, to new: some Encodable & Sendable, nested: Bool = true
    ) -> RouteBody {
        RouteBody { codec in
            let (before, after) = (try codec.mapper.bodyJSON(old), try codec.mapper.bodyJSON(new))
            return (HTTPBody(JSON.changes(from: before, to: after, nested: nested).encoded()), "application/json")
        }
    }
}

extension ObjectMapper {
    fileprivate func bodyJSON(_ value: some Encodable) throws -> JSON {
        do { return try json(value) } catch {
            throw HTTPError(.encoding("the body"), reason: unwritable(value, error), cause: error)
        }
    }
}
