extension Transformer {
    /// Transforms an optional. `null` becomes `nil` and is not passed to the other transformer.
    ///
    /// A ``Mapping/Field`` transforms optionals, arrays and dictionaries by itself. Use these functions for nested
    /// types, such as `[[Date]]`: `.init(\.days, "days", using: .array(of: .iso8601))`.
    ///
    /// - Parameter wrapped: Transforms a value that is not `nil`.
    public static func optional<Wrapped>(of wrapped: Transformer<Wrapped>) -> Transformer where Value == Wrapped? {
        Transformer(wrapped.expected) { decoder in
            try decoder.singleValueContainer().decodeNil() ? nil : wrapped.read(decoder)
        } write: { value, encoder in
            if let value { return try wrapped.write(value, encoder) }
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }

    /// Transforms an array.
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

    /// Transforms the values of a dictionary. The keys are not converted.
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
