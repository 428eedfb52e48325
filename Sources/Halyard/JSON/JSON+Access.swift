public import HalyardFoundation

extension JSON {
    /// The value of the member `key`: ``null`` where there is none, and where this is not an object.
    ///
    /// Of several members with this name it is the last one, as for `JSONDecoder` and JavaScript. To tell a missing
    /// member from a `null`, ask ``object``: `json.object?["name"]` is nil only if it is missing.
    public subscript(key: String) -> JSON { object?[key] ?? .null }

    /// The element at `index`, from 0: ``null`` beyond the ends, and where this is not an array.
    public subscript(index: Int) -> JSON {
        guard let array, array.indices.contains(index) else { return .null }
        return array[index]
    }

    /// Whether this is `null`: written so, or not there.
    public var isNull: Bool {
        guard case .null = self else { return false }
        return true
    }

    /// The string; nil for every other kind of value, numbers included.
    public var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// The truth value; nil for every other kind of value, 0 and 1 included.
    public var bool: Bool? {
        guard case .bool(let bool) = self else { return nil }
        return bool
    }

    /// The number as an `Int`: nil when it is none, has a fraction or does not fit, and for the string `"12"`.
    ///
    /// `1.0` and `1e2` are whole numbers and read as 1 and 100.
    public var int: Int? { number?.int }

    /// The number as the nearest `Double`: nil when it is none, or beyond the range of `Double`.
    public var double: Double? { number?.double }

    /// The number as a `Decimal`: nil when it is none, or when `Decimal` cannot hold every digit of it.
    public var decimal: Decimal? { number?.decimal }

    /// The number with all its digits and readings; nil for every other kind of value.
    public var number: Number? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// The elements; nil where this is not an array.
    public var array: [JSON]? {
        guard case .array(let array) = self else { return nil }
        return array
    }

    /// The members; nil where this is not an object.
    public var object: Object? {
        guard case .object(let object) = self else { return nil }
        return object
    }
}
