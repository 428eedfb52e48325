import Halyard

/// The name of a JSON member as a coding key. Encoders and decoders do not convert it.
struct FieldName: VerbatimKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// Reads and writes the value of a field.
struct FieldCoder<Value>: Sendable {
    let read: @Sendable (KeyedDecodingContainer<FieldName>, FieldName, Transformers?) throws -> Value
    let write: @Sendable (Value, inout KeyedEncodingContainer<FieldName>, FieldName, Transformers?) throws -> Void

    /// Uses the provider's transformer for the type, or else the type's own `Codable` conformance.
    static func plain() -> FieldCoder where Value: Codable & SendableMetatype {
        FieldCoder { container, name, transformers in
            if let found = try transformers?.transformer(for: Value.self) {
                return try found.read(from: container, name)
            }
            return try container.decode(Value.self, forKey: name)
        } write: { value, container, name, transformers in
            if let found = try transformers?.transformer(for: Value.self) {
                return try found.write(value, to: &container, name)
            }
            try container.encode(value, forKey: name)
        }
    }

    /// Uses a transformer.
    static func transformed(_ transformer: Transformer<Value>) -> FieldCoder {
        FieldCoder { container, name, _ in
            try transformer.read(from: container, name)
        } write: { value, container, name, _ in
            try transformer.write(value, to: &container, name)
        }
    }
}

extension Transformer {
    fileprivate func read(from container: KeyedDecodingContainer<FieldName>, _ name: FieldName) throws -> Value {
        guard container.contains(name) else {
            let message = "There is no member \(name.stringValue.quoted)."
            throw DecodingError.keyNotFound(name, .init(codingPath: container.codingPath, debugDescription: message))
        }
        return try read(try container.superDecoder(forKey: name))
    }

    fileprivate func write(
        _ value: Value, to container: inout KeyedEncodingContainer<FieldName>, _ name: FieldName
    ) throws {
        try container.encode(Transformed(value: value, transformer: self), forKey: name)
    }
}

/// Options of a ``Mapping/Field``.
public struct FieldOptions: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int

    /// Makes options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `null` leaves the property unchanged. A missing member remains an error.
    public static let nullable = FieldOptions(rawValue: 1 << 0)
    /// A missing member leaves the property unchanged. `null` remains an error unless the property is optional.
    public static let optional = FieldOptions(rawValue: 1 << 1)
    /// The property is read but never written, such as an identifier that the server assigns.
    public static let readOnly = FieldOptions(rawValue: 1 << 2)
    /// The property is written but never read, such as a password.
    public static let writeOnly = FieldOptions(rawValue: 1 << 3)
    /// A `nil` property is written as `null`. Without this option it is left out.
    public static let explicitNull = FieldOptions(rawValue: 1 << 4)
}

/// Whether the current task merges values.
///
/// While values are merged, all fields are read and written: ``FieldOptions/readOnly`` and ``FieldOptions/writeOnly``
/// have no effect, and `nil` is written as `null`.
enum Merging {
    @TaskLocal static var isActive = false
}
