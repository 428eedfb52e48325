public import Halyard

extension JSON {
    /// What must be sent to make one value of another: a JSON Merge Patch (RFC 7396).
    ///
    /// Members that are new or other stand as they are in the new one, those that are gone are `null`, in objects inside
    /// objects too. Arrays, and values that became ones of another kind, stand whole. Where nothing changed it is `{}`.
    ///
    /// ```swift
    /// JSON.changes(from: ["name": "Bob", "age": 7], to: ["name": "Alice", "age": 7])     // {"name":"Alice"}
    /// ```
    ///
    /// - Parameters:
    ///   - old: what there was.
    ///   - new: what is to be.
    ///   - nested: whether an object inside tells its own changes only; else it stands whole where anything in it changed.
    public static func changes(from old: JSON, to new: JSON, nested: Bool = true) -> JSON {
        guard let before = old.object, let after = new.object else { return old == new ? [:] : new }
        var (changes, seen): ([Object.Element], Set<String>) = ([], [])
        for (name, _) in after where seen.insert(name).inserted {
            // Of several members with one name the last counts.
            guard let value = after[name], value != before[name] else { continue }
            let isInside = nested && before[name]?.object != nil && value.object != nil
            changes.append((name, isInside ? .changes(from: old[name], to: value, nested: nested) : value))
        }
        for (name, _) in before where seen.insert(name).inserted { changes.append((name, .null)) }
        return .object(Object(changes))
    }

    /// This value with a JSON Merge Patch (RFC 7396) put over it: what the patch names is set, what it says is `null` is
    /// gone, in objects inside objects too. Anything but an object stands for the whole.
    public func merging(_ patch: JSON) -> JSON {
        guard let patches = patch.object else { return patch }
        let old = object ?? [:]
        var (members, seen): ([Object.Element], Set<String>) = ([], [])
        for (name, value) in old where seen.insert(name).inserted {
            guard let change = patches[name] else {
                members.append((name, old[name] ?? value))
                continue
            }
            if !change.isNull { members.append((name, self[name].merging(change))) }
        }
        for (name, _) in patches where seen.insert(name).inserted {
            if let value = patches[name], !value.isNull { members.append((name, JSON.null.merging(value))) }
        }
        return .object(Object(members))
    }
}
