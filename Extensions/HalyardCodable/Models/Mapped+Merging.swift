public import Halyard

extension Mapped {
    /// Returns a copy of this value, in which the members of another value's JSON replace those of the same name.
    ///
    /// ```swift
    /// let renamed = try person.merging(["name": "Alice"])
    /// let updated = try person.merging(answer, mapper: api.mapper)        // a value of another type
    /// ```
    ///
    /// A property without a member in the other value keeps its value, also one that is not in the mapping or is
    /// ``FieldOptions/readOnly``. `null` is read as usual: an optional property becomes `nil`. This value does not
    /// change, even if it is an object.
    ///
    /// - Parameters:
    ///   - patch: Any encodable value, such as a ``JSON``.
    ///   - mapper: Encodes and decodes both values. Pass the provider's mapper if it has one. Defaults to the standard
    ///     mapper.
    /// - Throws: `EncodingError` or `DecodingError`.
    public func merging(_ patch: some Encodable, mapper: ObjectMapper = .standard) throws -> Self {
        let patch = try mapper.json(patch)
        return try Merging.$isActive.withValue(true) {
            let whole = try mapper.json(self)
            // Nested objects are decoded as a whole, so the patch needs all of their members.
            let members = (patch.object ?? [:]).map {
                ($0.key, $0.value.isNull ? .null : whole[$0.key].merging($0.value))
            }
            let changed = patch.object == nil ? patch : JSON.object(.init(members))
            var copy = copied()
            try copy.update(
                from: try mapper.decode(DecoderCapture.self, from: changed.encoded()).decoder, isComplete: false)
            return copy
        }
    }

    private func copied() -> Self {
        guard type(of: self) is AnyClass, let from = self as? MappingRoot else { return self }
        let copy = type(of: self).init()
        guard var to = copy as? MappingRoot else { return copy }
        for field in MappingCache.mapping(of: type(of: self)).fields { field.copy(from, &to) }
        return copy
    }
}

extension Mapped where Self: AnyObject {
    /// Returns a new object with the same mapped properties. Other properties have the values of `init()`.
    public func copy() -> Self { copied() }
}

/// Captures the decoder of a value.
private struct DecoderCapture: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) { self.decoder = decoder }
}
