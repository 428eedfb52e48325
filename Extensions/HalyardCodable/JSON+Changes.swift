public import Halyard
import HalyardFoundation

extension JSON {
    /// Returns the JSON Merge Patch (RFC 7396) that turns one value into another.
    ///
    /// The patch contains each new or changed member with its new value, and `null` for each member that the new value
    /// lacks. Objects inside objects are compared in the same way. An array, or a value whose kind has changed, is
    /// included as a whole. The patch for equal values is `{}`.
    ///
    /// ```swift
    /// JSON.changes(from: ["name": "Bob", "age": 7], to: ["name": "Alice", "age": 7])     // {"name":"Alice"}
    /// ```
    ///
    /// If `nested` is `false`, an inner object with a change is included as a whole.
    public static func changes(from old: JSON, to new: JSON, nested: Bool = true) -> JSON {
        guard let before = old.object, let after = new.object else { return old == new ? [:] : new }
        let changed: [Object.Element] = after.visible.compactMap { name, value in
            guard let old = before[name] else { return (name, value) }
            guard value != old else { return nil }
            let isInside = nested && old.object != nil && value.object != nil
            return (name, isInside ? .changes(from: old, to: value, nested: nested) : value)
        }
        return .object(Object(changed + before.visible.filter { after[$0.key] == nil }.map { ($0.key, .null) }))
    }

    /// Returns this value with a JSON Merge Patch (RFC 7396) applied. The members of the patch are set, and those that
    /// are `null` in it are removed, including in objects inside objects. A patch that is not an object replaces the
    /// whole value.
    public func merging(_ patch: JSON) -> JSON {
        guard let patches = patch.object else { return patch }
        let old = object ?? [:]
        let merged: [Object.Element] = old.visible.compactMap { name, value in
            guard let change = patches[name] else { return (name, value) }
            return change.isNull ? nil : (name, value.merging(change))
        }
        let added = patches.visible.filter { old[$0.key] == nil && !$0.value.isNull }
        return .object(Object(merged + added.map { ($0.key, JSON.null.merging($0.value)) }))
    }
}

extension ObjectMapper {
    /// Returns a value as JSON, as this mapper encodes it.
    ///
    /// - Throws: `EncodingError`, or an error of the value's `encode(to:)`.
    public func json(_ value: some Encodable) throws -> JSON {
        // An encoder would lose digits, and the order of members.
        if let json = value as? JSON { return json }
        return try JSON(parsing: try encode(value))
    }

    /// Returns a value with the members of another one applied, by their names in JSON, as ``JSON/merging(_:)`` does.
    /// For a value with a mapping, see ``Mapped/merging(_:mapper:)``.
    ///
    /// - Throws: `EncodingError` or `DecodingError`.
    public func merging<Value: Codable & SendableMetatype>(
        _ patch: some Encodable, into value: Value
    ) throws -> Value {
        let merged = try json(value).merging(try json(patch))
        return try decode(Value.self, from: merged.encoded())
    }
}

extension RouteBody {
    /// Returns a JSON body for a PATCH that contains only the changes between two values.
    ///
    /// ```swift
    /// Route(path: "/users/1", method: .patch, body: .changes(from: old, to: new))     // {"name":"Alice"}
    /// ```
    ///
    /// The mapper encodes both values, which may be of different types, and the results are compared. See
    /// ``JSON/changes(from:to:nested:)``. The `Content-Type` is `application/json`, which most APIs expect. To send
    /// `application/merge-patch+json`, set it in the route's headers.
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
