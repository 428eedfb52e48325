/// Reads and writes a value whose JSON representation differs from that of its type.
///
/// ```swift
/// extension Transformer where Value == Color {
///     static let hex = Transformer(decode: { Color(hex: $0) }, encode: { $0.hex })
/// }
/// ```
///
/// Pass a transformer to a ``Mapping/Field`` with `using:`, for properties of its type and for arrays, dictionaries and
/// optionals of it. Or pass several to a provider, for all ``Mapped`` types:
/// `ObjectMapper(transformers: .iso8601, .hex)`. A field's own transformer takes precedence.
public struct Transformer<Value>: Sendable {
    /// A description of the expected JSON, for errors.
    let expected: String
    private let reader: @Sendable (any Decoder) throws -> Value
    private let writer: @Sendable (Value, any Encoder) throws -> Void

    /// Makes a transformer from a `Codable` type, such as a JSON string or number.
    ///
    /// - Parameters:
    ///   - decode: Converts a decoded value. If it returns `nil` or throws, decoding fails.
    ///   - encode: Returns the value to encode. If it throws, encoding fails.
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
            if let known = error.context?.underlyingError, known is TransformerFailure || known is FieldFailure {
                throw error
            }
            throw error.with(TransformerFailure(expected: expected, cause: error.context?.underlyingError))
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
                underlyingError: TransformerFailure(expected: expected, cause: cause)))
    }
}

/// A value that a transformer encodes.
struct Transformed<Value>: Encodable {
    let value: Value
    let transformer: Transformer<Value>

    func encode(to encoder: any Encoder) throws { try transformer.write(value, encoder) }
}
