import HalyardFoundation

/// A value that can be encoded only up to a maximum depth.
///
/// An encoder recurses as deep as the value. A value of very deep input, or objects that refer to each other in a
/// cycle, would exhaust the stack and end the process. With this type they end with an error.
struct DepthLimited<Value: Encodable>: Encodable {
    let value: Value
    /// The number of values that enclose this one.
    let depth: Int

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: DepthLimitingEncoder(inner: encoder, depth: depth + 1))
    }
}

enum EncodingDepth {
    /// The maximum depth. Foundation's encoder has the same limit, but checks it after it has recursed.
    static let limit = 511

    /// Types that contain no other values. They are passed on as they are, because Foundation's encoder treats most of
    /// them specially.
    static let flatTypes = Set(
        [
            types(Bool.self), types(String.self), types(Double.self), types(Float.self), types(Int.self),
            types(Int8.self), types(Int16.self), types(Int32.self), types(Int64.self), types(UInt.self),
            types(UInt8.self), types(UInt16.self), types(UInt32.self), types(UInt64.self), types(Date.self),
            types(Data.self), types(URL.self), types(UUID.self), types(Decimal.self),
        ].joined())

    private static func types<Value>(_: Value.Type) -> [ObjectIdentifier] {
        [ObjectIdentifier(Value.self), ObjectIdentifier(Value?.self), ObjectIdentifier([Value].self)]
    }
}

extension Encodable {
    /// Returns the value to write in place of this one. Encoders see no difference but the depth.
    ///
    /// - Throws: `EncodingError` for a value that is nested too deep.
    func depthLimited(at depth: Int) throws -> any Encodable {
        let isFlat = EncodingDepth.flatTypes.contains(ObjectIdentifier(Self.self))
        guard depth < EncodingDepth.limit || isFlat && depth == EncodingDepth.limit else {
            let message = "it is nested more than \(EncodingDepth.limit) levels deep"
            throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: message))
        }
        if isFlat { return self }
        // The type is checked first: a cast of the value would unwrap an optional.
        if Self.self is any StringKeyed.Type, let dictionary = self as? any StringKeyed {
            return try dictionary.withDepthLimitedValues(at: depth)
        }
        return DepthLimited(value: self, depth: depth)
    }
}

/// A dictionary with strings as keys. Foundation's encoder recognizes it by its type, and does not convert its keys.
private protocol StringKeyed {
    /// The type of the value that is written in place of this one.
    static var depthLimitedType: any Encodable.Type { get }
    func withDepthLimitedValues(at depth: Int) throws -> any Encodable
}

extension Dictionary: StringKeyed where Key == String, Value: Encodable {
    static var depthLimitedType: any Encodable.Type {
        func dictionary<Limited: Encodable>(of _: Limited.Type) -> any Encodable.Type { [String: Limited].self }
        return dictionary(of: depthLimitedValueType)
    }

    private static var depthLimitedValueType: any Encodable.Type {
        if EncodingDepth.flatTypes.contains(ObjectIdentifier(Value.self)) { return Value.self }
        return (Value.self as? any StringKeyed.Type)?.depthLimitedType ?? DepthLimited<Value>.self
    }

    func withDepthLimitedValues(at depth: Int) throws -> any Encodable {
        func values<Limited: Encodable>(as _: Limited.Type) throws -> any Encodable {
            try mapValues { value in
                if let limited = try value.depthLimited(at: depth + 1) as? Limited { return limited }
                throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "it has another type"))
            }
        }
        return try values(as: Self.depthLimitedValueType)
    }
}
