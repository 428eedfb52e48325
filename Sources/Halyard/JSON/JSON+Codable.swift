import HalyardFoundation

extension JSON: Decodable {
    /// Creates a value from a decoder.
    ///
    /// A decoder loses information that `JSON(parsing:)` keeps: the order of members, members that share a name, and
    /// digits beyond the precision of `Int64`, `UInt64`, `Decimal` and `Double`.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: PathKey.self) {
            let members = try object.allKeys.map { name in
                (key: name.stringValue, value: try object.decode(JSON.self, forKey: name))
            }
            self = .object(Object(members))
        } else if var array = try? decoder.unkeyedContainer() {
            var elements: [JSON] = []
            while !array.isAtEnd { elements.append(try array.decode(JSON.self)) }
            self = .array(elements)
        } else {
            self = try Self.scalar(in: decoder.singleValueContainer())
        }
    }

    private static func scalar(in container: any SingleValueDecodingContainer) throws -> JSON {
        if container.decodeNil() { return .null }
        if let string = try? container.decode(String.self) { return .string(string) }
        if let bool = try? container.decode(Bool.self) { return .bool(bool) }
        if let integer = try? container.decode(Int64.self) { return .number(Number(integer)) }
        if let integer = try? container.decode(UInt64.self) { return .number(Number(integer)) }
        let double = try container.decode(Double.self)
        // Decimal has more digits than Double, but a smaller range. Its result is used only if the two agree.
        if let decimal = try? container.decode(Decimal.self), let number = Number(decimal), number.double == double {
            return .number(number)
        }
        guard let number = Number(double) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "JSON has no number \(double)")
        }
        return .number(number)
    }
}

extension JSON: Encodable {
    /// Writes the value to an encoder.
    ///
    /// A number is written as the first of `Int64`, `UInt64`, `Double` and `Decimal` that is exact, or else as the
    /// nearest `Double`. The encoder chooses the order of members; ``encoded()`` keeps the order and every digit.
    ///
    /// - Throws: `EncodingError.invalidValue` if a number is outside the range of `Double`.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let members):
            var container = encoder.container(keyedBy: PathKey.self)
            for (name, value) in members { try container.encode(value, forKey: PathKey(name: name)) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let bool): try bool.encode(to: encoder)
        case .string(let string): try string.encode(to: encoder)
        case .number(let number): try number.encode(to: encoder)
        }
    }
}

extension JSON.Number {
    fileprivate func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let int64 { return try container.encode(int64) }
        if let uint64 { return try container.encode(uint64) }
        guard let double else {
            let reason = "the number is beyond the range of Double"
            throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: reason))
        }
        // Decimal is the last, because encoders that do not support it write its parts instead of a number.
        if JSON.Number(double) != self, let decimal { return try container.encode(decimal) }
        try container.encode(double)
    }
}
