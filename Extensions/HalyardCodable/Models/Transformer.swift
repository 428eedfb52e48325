import Halyard

/// Reads and writes values whose JSON representation differs from that of their type.
///
/// ```swift
/// extension Transformer where Value == Color {
///     static let hex = Transformer(decode: { Color(hex: $0) }, encode: { $0.hex })
/// }
/// ```
///
/// Pass a transformer to a ``Mapping/Field`` with `using:`, for properties of its type and for arrays, dictionaries and
/// optionals of it. To apply transformers to all ``Mapped`` types, pass them to the provider's mapper:
/// `ObjectMapper(transformers: .iso8601, .hex)`. A field's own transformer takes precedence.
public struct Transformer<Value>: Sendable {
    /// A description of the expected JSON, for errors.
    let expected: String
    private let reader: @Sendable (any Decoder) throws -> Value
    private let writer: @Sendable (Value, any Encoder) throws -> Void

    /// Creates a transformer from a `Codable` type, such as a JSON string or number. If `decode` returns `nil` or
    /// throws an error, decoding fails.
    public init<Raw: Codable & SendableMetatype>(
        decode: @escaping @Sendable (Raw) throws -> Value?, encode: @escaping @Sendable (Value) throws -> Raw
    ) {
        self.init("\(Value.self), as \(Raw.self)", decode: decode, encode: encode)
    }

    init<Raw: Codable & SendableMetatype>(
        _ expected: String, decode: @escaping @Sendable (Raw) throws -> Value?,
        encode: @escaping @Sendable (Value) throws -> Raw
    ) {
        self.init(expected) { decoder in
            let raw = try decoder.singleValueContainer().decode(Raw.self)
            do {
                if let value = try decode(raw) { return value }
            } catch {
                let message = "\"\("\(raw)".prefix(40))\": \(error)"
                throw Self.failure(message, expected, decoder, error)
            }
            throw Self.failure("\"\("\(raw)".prefix(40))\" is not \(expected)", expected, decoder, nil)
        } write: { value, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(try encode(value))
        }
    }

    init(
        _ expected: String, read: @escaping @Sendable (any Decoder) throws -> Value,
        write: @escaping @Sendable (Value, any Encoder) throws -> Void
    ) {
        (self.expected, reader, writer) = (expected, read, write)
    }

    func read(_ decoder: any Decoder) throws -> Value {
        do { return try reader(decoder) } catch let error as DecodingError {
            // The error of an element's transformer is more precise than that of the array's.
            if error.context?.underlyingError is FieldFailure { throw error }
            throw error.with(FieldFailure(expected: expected, cause: error.context?.underlyingError))
        }
    }

    func write(_ value: Value, _ encoder: any Encoder) throws {
        do { try writer(value, encoder) } catch let error as EncodingError { throw error } catch {
            throw EncodingError.invalidValue(
                value, .init(codingPath: encoder.codingPath, debugDescription: "\(error)", underlyingError: error))
        }
    }

    private static func failure(
        _ message: String, _ expected: String, _ decoder: any Decoder, _ cause: (any Error)?
    ) -> DecodingError {
        .dataCorrupted(
            .init(
                codingPath: decoder.codingPath, debugDescription: message,
                underlyingError: FieldFailure(expected: expected, cause: cause)))
    }
}

struct Transformed<Value>: Encodable {
    let value: Value
    let transformer: Transformer<Value>

    func encode(to encoder: any Encoder) throws { try transformer.write(value, encoder) }
}

extension Transformer {
    /// Returns a transformer for an optional. `null` becomes `nil` without a call to the other transformer.
    ///
    /// A ``Mapping/Field`` handles optionals, arrays and dictionaries by itself. Use these functions for nested types,
    /// such as `[[Date]]`: `.init(\.days, "days", using: .array(of: .iso8601))`.
    public static func optional<Wrapped>(of wrapped: Transformer<Wrapped>) -> Transformer where Value == Wrapped? {
        Transformer(wrapped.expected) { decoder in
            try decoder.singleValueContainer().decodeNil() ? nil : wrapped.read(decoder)
        } write: { value, encoder in
            if let value { return try wrapped.write(value, encoder) }
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }

    /// Returns a transformer for an array.
    public static func array<Element>(of element: Transformer<Element>) -> Transformer where Value == [Element] {
        Transformer("an array of \(element.expected)") { decoder in
            var (container, values) = (try decoder.unkeyedContainer(), [Element]())
            while !container.isAtEnd { values.append(try element.read(try container.superDecoder())) }
            return values
        } write: { values, encoder in
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(Transformed(value: value, transformer: element)) }
        }
    }

    /// Returns a transformer for the values of a dictionary. The keys are not converted.
    public static func dictionary<Element>(
        of element: Transformer<Element>
    ) -> Transformer where Value == [String: Element] {
        Transformer("an object of \(element.expected)") { decoder in
            let container = try decoder.container(keyedBy: FieldName.self)
            var values: [String: Element] = [:]
            for name in container.allKeys {
                values[name.stringValue] = try element.read(try container.superDecoder(forKey: name))
            }
            return values
        } write: { values, encoder in
            // An encoder converts the keys of a keyed container, but not those of a dictionary.
            var container = encoder.singleValueContainer()
            try container.encode(values.mapValues { Transformed(value: $0, transformer: element) })
        }
    }
}

/// The name of a JSON member as a coding key. Encoders and decoders do not convert it.
struct FieldName: VerbatimKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
