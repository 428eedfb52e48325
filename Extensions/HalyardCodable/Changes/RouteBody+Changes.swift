public import Halyard
import HalyardFoundation

extension RouteBody {
    /// Only what changed, as JSON: the body of a PATCH.
    ///
    /// ```swift
    /// Route(path: "/users/1", method: .patch, body: .changes(from: old, to: new))     // {"name":"Alice"}
    /// ```
    ///
    /// Both are written as the mapper writes them, and compared: see ``JSON/changes(from:to:nested:)``. Where nothing
    /// changed it is `{}`. Its Content-Type is `application/json`, as most APIs take it; the route's headers may say
    /// `application/merge-patch+json`.
    ///
    /// - Parameters:
    ///   - old: what there was. A property that is nil in the new one alone is sent as `null`.
    ///   - new: what is to be; it need not be of the same type.
    ///   - nested: whether an object inside tells its own changes only, as it does unless given.
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
