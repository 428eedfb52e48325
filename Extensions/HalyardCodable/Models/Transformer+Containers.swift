extension Transformer {
    /// An optional: `null` is nil, and not shown to the other transformer.
    ///
    /// A ``Mapping/Field`` does this, and the other two, by itself. They are for what is nested deeper: `[[Date]]` is
    /// `.init(\.days, "days", using: .array(of: .iso8601))`.
    public static func optional<Wrapped>(of wrapped: Transformer<Wrapped>) -> Transformer where Value == Wrapped? {
        Transformer(wrapped.expected) { decoder in
            try decoder.singleValueContainer().decodeNil() ? nil : wrapped.read(decoder)
        } write: { value, encoder in
            if let value { return try wrapped.write(value, encoder) }
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }

    /// An array of what another transformer reads and writes.
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

    /// A dictionary of what another transformer reads and writes. Its keys stay as they are.
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
            // A dictionary writes its keys as they are, where an encoder converts those of a keyed container.
            var container = encoder.singleValueContainer()
            try container.encode(values.mapValues { Transformed(value: $0, transformer: element) })
        }
    }
}
