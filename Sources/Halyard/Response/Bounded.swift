import HalyardFoundation

/// A value that is written no deeper than a stack bears.
///
/// An encoder follows a value as deep as it goes. One that a stranger has made deep, or objects that stand in a circle,
/// would end the process: here they end with an error.
struct Bounded<Value: Encodable>: Encodable {
    let value: Value
    /// How many values this one stands in.
    let depth: Int

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: BoundedEncoder(inner: encoder, depth: depth + 1))
    }
}

enum Bound {
    /// As deep as Foundation's encoder writes what it has gathered, which is too late.
    static let limit = 511

    /// Types in which nothing can be nested. They go as they are: Foundation's encoder has ways of its own for most.
    static let flat = Set(
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
    /// What is written in its place: no encoder sees a difference but in how deep it may go.
    ///
    /// - Throws: `EncodingError` for a value that stands in too many.
    func bounded(at depth: Int) throws -> any Encodable {
        let isFlat = Bound.flat.contains(ObjectIdentifier(Self.self))
        guard depth < Bound.limit || isFlat && depth == Bound.limit else {
            let words = "it is nested more than \(Bound.limit) levels deep"
            throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: words))
        }
        if isFlat { return self }
        // By its type first: a cast of the value would look into an optional.
        if Self.self is any StringKeyed.Type, let dictionary = self as? any StringKeyed {
            return try dictionary.withBoundedValues(at: depth)
        }
        return Bounded(value: self, depth: depth)
    }
}

/// A dictionary by text, which Foundation's encoder knows by its type: its keys stay as they are, whatever is done with
/// others.
private protocol StringKeyed {
    /// The type of what is written in its place.
    static var boundedType: any Encodable.Type { get }
    func withBoundedValues(at depth: Int) throws -> any Encodable
}

extension Dictionary: StringKeyed where Key == String, Value: Encodable {
    static var boundedType: any Encodable.Type {
        func dictionary<Bounded: Encodable>(of _: Bounded.Type) -> any Encodable.Type { [String: Bounded].self }
        return dictionary(of: boundedValueType)
    }

    private static var boundedValueType: any Encodable.Type {
        if Bound.flat.contains(ObjectIdentifier(Value.self)) { return Value.self }
        return (Value.self as? any StringKeyed.Type)?.boundedType ?? Bounded<Value>.self
    }

    func withBoundedValues(at depth: Int) throws -> any Encodable {
        func values<Bounded: Encodable>(as _: Bounded.Type) throws -> any Encodable {
            try mapValues { value in
                if let bounded = try value.bounded(at: depth + 1) as? Bounded { return bounded }
                throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "it has another type"))
            }
        }
        return try values(as: Self.boundedValueType)
    }
}
