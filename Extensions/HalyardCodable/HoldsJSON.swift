import Halyard

/// Types that contain ``JSON`` as its own parser reads it. A decoder would lose the order of members and digits of
/// numbers.
protocol HoldsJSON: Sendable {
    /// Returns the value. `nil` if the JSON is of another kind.
    static func holding(_ json: JSON) -> Self?
}

extension JSON: HoldsJSON {
    static func holding(_ json: JSON) -> JSON? { json }
}

extension Array: HoldsJSON where Element == JSON {
    static func holding(_ json: JSON) -> [JSON]? { json.array }
}

extension Dictionary: HoldsJSON where Key == String, Value == JSON {
    static func holding(_ json: JSON) -> [String: JSON]? {
        json.object.map { Dictionary($0.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }) }
    }
}

extension Optional: HoldsJSON where Wrapped: HoldsJSON {
    static func holding(_ json: JSON) -> Wrapped?? {
        if case .null = json { return .some(nil) }
        return Wrapped.holding(json).map { .some($0) }
    }
}
