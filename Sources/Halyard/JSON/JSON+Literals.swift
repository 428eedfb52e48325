extension JSON: ExpressibleByNilLiteral {
    /// `nil` writes `null`.
    public init(nilLiteral: ()) { self = .null }
}

extension JSON: ExpressibleByBooleanLiteral {
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
    /// A whole number.
    public init(integerLiteral value: Int) { self = .number(Number(value)) }
}

extension JSON: ExpressibleByFloatLiteral {
    /// A number with a fraction, in the shortest digits that give this `Double` again.
    ///
    /// A literal beyond the range of `Double` becomes ``null``, as JSON has no infinity.
    public init(floatLiteral value: Double) { self = Number(value).map(JSON.number) ?? .null }
}

extension JSON: ExpressibleByStringInterpolation {
    /// A string; `"Hello \(name)"` works too.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSON: ExpressibleByArrayLiteral {
    /// An array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON: ExpressibleByDictionaryLiteral {
    /// An object, its members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(Object(elements.map { ($0, $1) })) }
}
