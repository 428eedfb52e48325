public import HalyardFoundation

/// A JSON value (RFC 8259).
///
/// A lookup never fails: a missing value, or one of another kind, is ``null``. The last property returns an optional.
/// ```swift
/// let json = try JSON(parsing: data)
/// let name = json["name"].string ?? ""
/// let code = json["error"]["code"].int
/// let tags = json["items"][2]["tags"].array
/// ```
/// Values can be written as literals: `let body: JSON = ["name": "Ada", "tags": ["a", "b"], "manager": nil]`.
///
/// Numbers keep their text (``Number``), and objects keep the order of their members (``Object``). Strings and names
/// are compared like Swift's strings: canonically equivalent forms of `é` are equal.
public enum JSON: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, as it was written.
    case number(Number)
    /// A string.
    case string(String)
    /// An array.
    case array([JSON])
    /// An object, with its members in their order.
    case object(Object)
}

extension JSON {
    /// The value of a member. ``null`` if there is none, or if this is not an object.
    ///
    /// The first member counts if several have the name. Use ``object`` to tell a missing member from a `null`:
    /// `json.object?["name"]` is `nil` only for a missing member.
    public subscript(key: String) -> JSON { object?[key] ?? .null }

    /// The element at an index, from 0. ``null`` outside the array, or if this is not an array.
    public subscript(index: Int) -> JSON {
        guard let array, array.indices.contains(index) else { return .null }
        return array[index]
    }

    /// Whether this is `null`, as written or for a missing value.
    public var isNull: Bool {
        guard case .null = self else { return false }
        return true
    }

    /// The string. `nil` for every other kind of value, also for numbers.
    public var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// The truth value. `nil` for every other kind of value, also for 0 and 1.
    public var bool: Bool? {
        guard case .bool(let bool) = self else { return nil }
        return bool
    }

    /// The number as an `Int`. `nil` if it is not a number, has a fraction or does not fit, and for the string `"12"`.
    ///
    /// `1.0` and `1e2` are whole numbers: 1 and 100.
    public var int: Int? { number?.int }

    /// The number as the nearest `Double`. `nil` if it is not a number, or outside the range of `Double`.
    public var double: Double? { number?.double }

    /// The number as a `Decimal`. `nil` if it is not a number, or has more digits than `Decimal`.
    public var decimal: Decimal? { number?.decimal }

    /// The number with all its digits. `nil` for every other kind of value.
    public var number: Number? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// The elements. `nil` if this is not an array.
    public var array: [JSON]? {
        guard case .array(let array) = self else { return nil }
        return array
    }

    /// The members. `nil` if this is not an object.
    public var object: Object? {
        guard case .object(let object) = self else { return nil }
        return object
    }
}
