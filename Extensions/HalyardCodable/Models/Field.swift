import Halyard

extension Mapping {
    /// A property of a ``Mapped`` type and its representation in JSON.
    ///
    /// ```swift
    /// .init(\.desc, "description", .nullable)
    /// .init(\.born, "born", using: .format("yyyy-MM-dd"))
    /// ```
    ///
    /// By default, the JSON must have the member, with a value of the property's type. An optional property becomes
    /// `nil` if the member is missing or `null`, and is left out of the JSON when it is `nil`. ``FieldOptions`` change
    /// this. A transformer reads and writes values that are not `null`, in place of the provider's transformers.
    public struct Field: Sendable {
        let name: FieldName
        private var options: FieldOptions
        private let makeLabel: @Sendable () -> String
        private let reader: @Sendable (inout Root, KeyedDecodingContainer<FieldName>, FieldContext) throws -> Void
        private let writer: @Sendable (Root, inout KeyedEncodingContainer<FieldName>, FieldContext) throws -> Void
        /// Copies the property from the first value to the second.
        let copy: @Sendable (Root, inout Root) -> Void

        /// The type and the property, such as `Person.desc`, for errors.
        var label: String { makeLabel() }
        var isRead: Bool { !options.contains(.writeOnly) }
        var isWritten: Bool { !options.contains(.readOnly) }

        func read(
            _ root: inout Root, _ container: KeyedDecodingContainer<FieldName>, _ transformers: Transformers?
        ) throws {
            try reader(&root, container, FieldContext(name: name, options: options, transformers: transformers))
        }

        func write(
            _ root: Root, _ container: inout KeyedEncodingContainer<FieldName>, _ transformers: Transformers?
        ) throws {
            try writer(root, &container, FieldContext(name: name, options: options, transformers: transformers))
        }

        /// Returns this field with additional options.
        func with(_ more: FieldOptions) -> Field {
            var field = self
            field.options.formUnion(more)
            return field
        }

        private init<Value>(
            _ property: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ options: FieldOptions,
            coder: FieldCoder<Value>
        ) {
            (self.name, self.options) = (FieldName(stringValue: name), options)
            makeLabel = { Self.label(of: property) }
            copy = { $1[keyPath: property] = $0[keyPath: property] }
            reader = { root, container, field in
                let isPresent = container.contains(field.name)
                if !isPresent, field.options.contains(.optional) { return }
                if isPresent, field.options.contains(.nullable), try container.decodeNil(forKey: field.name) { return }
                root[keyPath: property] = try coder.read(container, field)
            }
            writer = { root, container, field in try coder.write(root[keyPath: property], &container, field) }
        }

        /// Makes a field of a subclass's field.
        init<Sub>(_ field: Mapping<Sub>.Field, as downcast: @escaping @Sendable (Root) -> Sub?) {
            (name, options, makeLabel) = (field.name, field.options, field.makeLabel)
            copy = { from, to in
                if let from = downcast(from), var to = downcast(to) { field.copy(from, &to) }
            }
            let message = { @Sendable root in
                "\(type(of: root)) is not a \(Sub.self), but the mapping has \(field.label)"
            }
            reader = { root, container, context in
                guard var sub = downcast(root) else {
                    throw DecodingError.dataCorrupted(
                        .init(codingPath: container.codingPath, debugDescription: message(root)))
                }
                try field.reader(&sub, container, context)
            }
            writer = { root, container, context in
                guard let sub = downcast(root) else {
                    throw EncodingError.invalidValue(
                        root, .init(codingPath: container.codingPath, debugDescription: message(root)))
                }
                try field.writer(sub, &container, context)
            }
        }

        /// Returns the type and the property. It is called only after an error, because the metadata lookup is slow.
        private static func label(of property: AnyKeyPath) -> String {
            // `\Person.desc`. The name is not available for a class that is not final, before macOS 13.3, and in a
            // program without reflection metadata.
            let text = "\(property)"
            guard text.hasPrefix("\\"), !text.contains("<"), let dot = text.firstIndex(of: ".") else {
                return "\(Root.self)"
            }
            return "\(Root.self)\(text[dot...])"
        }
    }
}

// One initialiser for each type of property: a value, an optional, an array, a dictionary. A transformer of another
// type is a compiler error. In all of them, `name` is that of the member in the JSON, and a transformer takes precedence
// over the provider's.

extension Mapping.Field {
    /// Creates a field for a `Codable` property.
    public init<Value: Codable & SendableMetatype>(
        _ property: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ options: FieldOptions = []
    ) {
        self.init(property, name, options, coder: .plain())
    }

    /// Creates a field for an optional `Codable` property.
    public init<Value: Codable & SendableMetatype>(
        _ property: any WritableKeyPath<Root, Value?> & Sendable, _ name: String, _ options: FieldOptions = []
    ) {
        self.init(property, name, options, coder: FieldCoder<Value>.plain().optional())
    }

    /// Creates a field for a property that a transformer reads and writes. The transformer does not receive `null`.
    public init<Value>(
        _ property: any WritableKeyPath<Root, Value> & Sendable, _ name: String, using transformer: Transformer<Value>,
        _ options: FieldOptions = []
    ) {
        self.init(property, name, options, coder: .transformed(transformer))
    }

    /// Creates a field for an optional property that a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, Value?> & Sendable, _ name: String, using transformer: Transformer<Value>,
        _ options: FieldOptions = []
    ) {
        self.init(property, name, options, coder: FieldCoder<Value>.transformed(transformer).optional())
    }

    /// Creates a field for an array whose elements a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, [Value]> & Sendable, _ name: String,
        using transformer: Transformer<Value>,
        _ options: FieldOptions = []
    ) {
        self.init(property, name, options, coder: .transformed(.array(of: transformer)))
    }

    /// Creates a field for an optional array whose elements a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, [Value]?> & Sendable, _ name: String,
        using transformer: Transformer<Value>,
        _ options: FieldOptions = []
    ) {
        self.init(property, name, options, coder: FieldCoder<[Value]>.transformed(.array(of: transformer)).optional())
    }

    /// Creates a field for a dictionary whose values a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, [String: Value]> & Sendable, _ name: String,
        using transformer: Transformer<Value>, _ options: FieldOptions = []
    ) {
        self.init(property, name, options, coder: .transformed(.dictionary(of: transformer)))
    }

    /// Creates a field for an optional dictionary whose values a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, [String: Value]?> & Sendable, _ name: String,
        using transformer: Transformer<Value>, _ options: FieldOptions = []
    ) {
        self.init(
            property, name, options,
            coder: FieldCoder<[String: Value]>.transformed(.dictionary(of: transformer)).optional())
    }
}

/// What a field and the provider say about a value.
struct FieldContext {
    let name: FieldName
    let options: FieldOptions
    let transformers: Transformers?
}

/// Reads and writes the value of a field.
private struct FieldCoder<Value>: Sendable {
    let read: @Sendable (KeyedDecodingContainer<FieldName>, FieldContext) throws -> Value
    let write: @Sendable (Value, inout KeyedEncodingContainer<FieldName>, FieldContext) throws -> Void

    /// Uses the provider's transformer for the type, or else the type's own `Codable` conformance.
    static func plain() -> FieldCoder where Value: Codable & SendableMetatype {
        FieldCoder { container, field in
            guard let found = try field.transformers?.transformer(for: Value.self) else {
                return try container.decode(Value.self, forKey: field.name)
            }
            return try transformed(found).read(container, field)
        } write: { value, container, field in
            guard let found = try field.transformers?.transformer(for: Value.self) else {
                return try container.encode(value, forKey: field.name)
            }
            try transformed(found).write(value, &container, field)
        }
    }

    static func transformed(_ transformer: Transformer<Value>) -> FieldCoder {
        FieldCoder { container, field in
            guard container.contains(field.name) else {
                let message = "There is no member \(field.name.stringValue.quoted)."
                throw DecodingError.keyNotFound(
                    field.name, .init(codingPath: container.codingPath, debugDescription: message))
            }
            return try transformer.read(try container.superDecoder(forKey: field.name))
        } write: { value, container, field in
            try container.encode(Transformed(value: value, transformer: transformer), forKey: field.name)
        }
    }

    /// Reads a missing value and `null` as `nil`.
    func optional() -> FieldCoder<Value?> {
        FieldCoder<Value?> { [read] container, field in
            guard container.contains(field.name), try !container.decodeNil(forKey: field.name) else { return nil }
            return try read(container, field)
        } write: { [write] value, container, field in
            if let value { return try write(value, &container, field) }
            if field.options.contains(.explicitNull) || Merging.isActive { try container.encodeNil(forKey: field.name) }
        }
    }
}
