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
    /// Makes a number with a fraction, in the shortest text that gives the same `Double`.
    ///
    /// A literal outside the range of `Double` gives ``null``, because JSON has no infinity.
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
