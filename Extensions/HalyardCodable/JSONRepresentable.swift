import Halyard

/// Types that contain ``JSON`` as its own parser reads it. A decoder would lose the order of members and digits of
/// numbers.
protocol JSONRepresentable: Sendable {
    /// Returns the value. `nil` if the JSON is of another kind.
    static func value(from json: JSON) -> Self?
}

extension JSON: JSONRepresentable {
    static func value(from json: JSON) -> JSON? { json }
}

extension Array: JSONRepresentable where Element == JSON {
    static func value(from json: JSON) -> [JSON]? { json.array }
}

extension Dictionary: JSONRepresentable where Key == String, Value == JSON {
    static func value(from json: JSON) -> [String: JSON]? {
        json.object.map { Dictionary($0.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }) }
    }
}

extension Optional: JSONRepresentable where Wrapped: JSONRepresentable {
    static func value(from json: JSON) -> Wrapped?? {
        if case .null = json { return .some(nil) }
        return Wrapped.value(from: json).map { .some($0) }
    }
}
