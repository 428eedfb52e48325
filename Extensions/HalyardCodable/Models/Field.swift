import Halyard

extension Mapping {
    /// A property of a ``Mapped`` type, and its representation in JSON.
    ///
    /// ```swift
    /// .init(\.desc, "description", .nullable)
    /// .init(\.born, "born", using: .format("yyyy-MM-dd"))
    /// ```
    ///
    /// By default the JSON must have the member, with a value of the property's type. An optional property is `nil` if
    /// the member is missing or `null`, and is left out of the JSON if it is `nil`. ``FieldOptions`` change this.
    /// A transformer reads and writes values that are not `null`, in place of the provider's transformers.
    public struct Field: Sendable {
        typealias Reader =
            @Sendable (inout Root, KeyedDecodingContainer<FieldName>, FieldName, FieldOptions, Transformers?) throws ->
            Void
        typealias Writer =
            @Sendable (Root, inout KeyedEncodingContainer<FieldName>, FieldName, FieldOptions, Transformers?) throws ->
            Void

        let name: FieldName
        private(set) var options: FieldOptions
        /// The type and the property, such as `Person.desc`, for errors.
        var label: String { makeLabel() }
        private let makeLabel: @Sendable () -> String
        private let reader: Reader
        private let writer: Writer
        /// Copies the property from the first value to the second.
        let copy: @Sendable (Root, inout Root) -> Void

        func read(
            _ root: inout Root, _ container: KeyedDecodingContainer<FieldName>, _ transformers: Transformers?
        ) throws {
            try reader(&root, container, name, options, transformers)
        }

        func write(
            _ root: Root, _ container: inout KeyedEncodingContainer<FieldName>, _ transformers: Transformers?
        ) throws {
            try writer(root, &container, name, options, transformers)
        }

        /// Returns this field with additional options.
        func with(_ more: FieldOptions) -> Field {
            var field = self
            field.options.formUnion(more)
            return field
        }

        init<Value>(
            _ property: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ options: FieldOptions,
            _ coder: FieldCoder<Value>
        ) {
            self.name = FieldName(stringValue: name)
            self.options = options
            makeLabel = { Self.label(of: property) }
            copy = { $1[keyPath: property] = $0[keyPath: property] }
            reader = { root, container, name, options, transformers in
                if options.contains(.optional), !container.contains(name) { return }
                if options.contains(.nullable), container.contains(name), try container.decodeNil(forKey: name) {
                    return
                }
                root[keyPath: property] = try coder.read(container, name, transformers)
            }
            writer = { root, container, name, _, transformers in
                try coder.write(root[keyPath: property], &container, name, transformers)
            }
        }

        init<Value>(
            optional property: any WritableKeyPath<Root, Value?> & Sendable, _ name: String, _ options: FieldOptions,
            _ coder: FieldCoder<Value>
        ) {
            self.name = FieldName(stringValue: name)
            self.options = options
            makeLabel = { Self.label(of: property) }
            copy = { $1[keyPath: property] = $0[keyPath: property] }
            reader = { root, container, name, options, transformers in
                let isPresent = container.contains(name)
                if isPresent, try !container.decodeNil(forKey: name) {
                    root[keyPath: property] = try coder.read(container, name, transformers)
                } else if !options.contains(isPresent ? .nullable : .optional) {
                    root[keyPath: property] = nil
                }
            }
            writer = { root, container, name, options, transformers in
                if let value = root[keyPath: property] {
                    try coder.write(value, &container, name, transformers)
                } else if options.contains(.explicitNull) || Merging.isActive {
                    try container.encodeNil(forKey: name)
                }
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

extension Mapping.Field where Root: AnyObject {
    /// Returns this field of a subclass as a field of its superclass.
    func ofSuperclass<Super: AnyObject>(_ type: Super.Type) -> Mapping<Super>.Field {
        Mapping<Super>.Field(self, as: { $0 as? Root })
    }
}

extension Mapping.Field {
    fileprivate init<Sub>(_ field: Mapping<Sub>.Field, as downcast: @escaping @Sendable (Root) -> Sub?) {
        self.name = field.name
        self.options = field.options
        makeLabel = { field.label }
        copy = { from, to in
            if let from = downcast(from), var to = downcast(to) { field.copy(from, &to) }
        }
        reader = { root, container, name, options, transformers in
            guard var sub = downcast(root) else {
                let message = "\(Swift.type(of: root)) is not a \(Sub.self), but the mapping has \(field.label)"
                throw DecodingError.dataCorrupted(.init(codingPath: container.codingPath, debugDescription: message))
            }
            try field.reader(&sub, container, name, options, transformers)
        }
        writer = { root, container, name, options, transformers in
            guard let sub = downcast(root) else {
                let message = "\(Swift.type(of: root)) is not a \(Sub.self), but the mapping has \(field.label)"
                throw EncodingError.invalidValue(
                    root, .init(codingPath: container.codingPath, debugDescription: message))
            }
            try field.writer(sub, &container, name, options, transformers)
        }
    }
}
