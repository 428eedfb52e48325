public import HalyardFoundation

/// A JSON value (RFC 8259).
///
/// A lookup never fails: a missing value, or one of the wrong kind, is ``null``. The last property returns an optional.
/// ```swift
/// let json = try JSON(parsing: data)
/// let name = json["name"].string ?? ""
/// let code = json["error"]["code"].int
/// let tags = json["items"][2]["tags"].array
/// ```
/// You can write values as literals: `let body: JSON = ["name": "Ada", "tags": ["a", "b"], "manager": nil]`.
///
/// Numbers keep their text (``Number``), and objects keep the order of their members (``Object``). Strings and names
/// are compared like Swift strings, so canonically equivalent forms of `é` are equal.
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
    /// An object, whose members are in order.
    case object(Object)
}

extension JSON {
    /// The value of the first member with the given name, or ``null`` if there is none or this is not an object.
    ///
    /// `json.object?["name"]` is `nil` only if the member is missing.
    ///
    /// Assigning a value replaces the first member with that name, or adds one at the end. A value that is not an
    /// object, such as ``null``, becomes one: `json["owner"]["name"] = "Ada"`. Assigning `nil` writes ``null``; to
    /// remove a member, use `remove(_:)`.
    public subscript(key: String) -> JSON {
        get { object?[key] ?? .null }
        set {
            var object = object ?? [:]
            self = .null  // so that the members are not shared, and not copied
            object[key] = newValue
            self = .object(object)
        }
    }

    /// Removes every member with the given name. Does nothing if this is not an object.
    public mutating func remove(_ key: String) {
        guard var object else { return }
        object[key] = nil
        self = .object(object)
    }

    /// The element at an index, counted from 0, or ``null`` if the index is out of range or this is not an array.
    public subscript(index: Int) -> JSON {
        guard let array, array.indices.contains(index) else { return .null }
        return array[index]
    }

    /// Whether this value is ``null``, either because `null` was written or because the value is missing.
    public var isNull: Bool {
        guard case .null = self else { return false }
        return true
    }

    /// The string, or `nil` for any other kind of value, including numbers.
    public var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// The Boolean, or `nil` for any other kind of value, including 0 and 1.
    public var bool: Bool? {
        guard case .bool(let bool) = self else { return nil }
        return bool
    }

    /// The number as an `Int`, or `nil` if this is not a number, has a fraction or does not fit. `1.0` and `1e2` are
    /// whole numbers.
    public var int: Int? { number?.int }

    /// The number as the nearest `Double`, or `nil` if this is not a number or is out of range.
    public var double: Double? { number?.double }

    /// The number as a `Decimal`, or `nil` if this is not a number or has more digits than a `Decimal` can hold.
    public var decimal: Decimal? { number?.decimal }

    /// The number with all its digits, or `nil` for any other kind of value.
    public var number: Number? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// The elements, or `nil` if this is not an array.
    public var array: [JSON]? {
        guard case .array(let array) = self else { return nil }
        return array
    }

    /// The members, or `nil` if this is not an object.
    public var object: Object? {
        guard case .object(let object) = self else { return nil }
        return object
    }
}

extension JSON: ExpressibleByNilLiteral {
    /// Creates `null` from `nil`.
    public init(nilLiteral: ()) { self = .null }
}

extension JSON: ExpressibleByBooleanLiteral {
    /// Creates `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
    /// Creates a whole number.
    public init(integerLiteral value: Int) { self = .number(Number(value)) }
}

extension JSON: ExpressibleByFloatLiteral {
    /// Creates a number with the shortest text that gives the same `Double`, or ``null`` if it is out of range.
    public init(floatLiteral value: Double) { self = Number(value).map(JSON.number) ?? .null }
}

extension JSON: ExpressibleByStringInterpolation {
    /// Creates a string. Interpolation works too: `"Hello \(name)"`.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSON: ExpressibleByArrayLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON: ExpressibleByDictionaryLiteral {
    /// Creates an object whose members are in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(Object(elements.map { ($0, $1) })) }
}

// Values of variables in a literal: `["id": JSON(id), "count": JSON(count), "isNew": true]`.
extension JSON {
    /// Creates a string, or ``null`` from `nil`.
    public init(_ value: String?) { self = value.map(JSON.string) ?? .null }

    /// Creates `true` or `false`, or ``null`` from `nil`.
    public init(_ value: Bool?) { self = value.map(JSON.bool) ?? .null }

    /// Creates a whole number, or ``null`` from `nil`.
    public init<Integer: BinaryInteger>(_ value: Integer?) { self = value.map { .number(Number($0)) } ?? .null }

    /// Creates a number with the shortest text that gives the same `Double`. `nil`, infinity and NaN give ``null``.
    public init(_ value: Double?) { self = value.flatMap(Number.init(_:)).map(JSON.number) ?? .null }
}
