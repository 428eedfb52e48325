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
    /// The value of the first member with a name. ``null`` if there is none, or if this is not an object.
    ///
    /// `json.object?["name"]` is `nil` only for a missing member.
    ///
    /// Setting a member replaces the first one of that name, or adds it at the end. A value that is not an object, such
    /// as ``null``, becomes one: `json["owner"]["name"] = "Ada"`. Setting `nil` writes ``null``; `remove(_:)` removes.
    public subscript(key: String) -> JSON {
        get { object?[key] ?? .null }
        set {
            var object = object ?? [:]
            self = .null  // so that the members are not shared, and not copied
            object[key] = newValue
            self = .object(object)
        }
    }

    /// Removes all members with a name. Does nothing if this is not an object.
    public mutating func remove(_ key: String) {
        guard var object else { return }
        object[key] = nil
        self = .object(object)
    }

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

    /// The number as an `Int`. `nil` if it is not a number, has a fraction or does not fit. `1.0` and `1e2` are whole
    /// numbers.
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

extension JSON: ExpressibleByNilLiteral {
    /// Makes `null` from `nil`.
    public init(nilLiteral: ()) { self = .null }
}

extension JSON: ExpressibleByBooleanLiteral {
    /// Makes `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
    /// Makes a whole number.
    public init(integerLiteral value: Int) { self = .number(Number(value)) }
}

extension JSON: ExpressibleByFloatLiteral {
    /// Makes a number, in the shortest text that gives the same `Double`. One outside its range gives ``null``.
    public init(floatLiteral value: Double) { self = Number(value).map(JSON.number) ?? .null }
}

extension JSON: ExpressibleByStringInterpolation {
    /// Makes a string. Interpolation works too: `"Hello \(name)"`.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSON: ExpressibleByArrayLiteral {
    /// Makes an array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON: ExpressibleByDictionaryLiteral {
    /// Makes an object, with its members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(Object(elements.map { ($0, $1) })) }
}

// Values of variables in a literal: `["id": JSON(id), "count": JSON(count), "isNew": true]`.
extension JSON {
    /// Makes a string. `nil` gives ``null``.
    public init(_ value: String?) { self = value.map(JSON.string) ?? .null }

    /// Makes `true` or `false`. `nil` gives ``null``.
    public init(_ value: Bool?) { self = value.map(JSON.bool) ?? .null }

    /// Makes a whole number. `nil` gives ``null``.
    public init<Integer: BinaryInteger>(_ value: Integer?) { self = value.map { .number(Number($0)) } ?? .null }

    /// Makes a number, in the shortest text that gives the same `Double`. `nil`, and a value that is infinite or not a
    /// number, give ``null``.
    public init(_ value: Double?) { self = value.flatMap(Number.init(_:)).map(JSON.number) ?? .null }
}
