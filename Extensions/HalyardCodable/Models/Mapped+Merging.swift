public import Halyard

/// Whether values are written and read to be carried over: whole, with what is only read and only written.
enum Copying {
    @TaskLocal static var isOn = false
}

extension Mapped {
    /// This value with what another has under the same names in JSON put over it.
    ///
    /// ```swift
    /// let renamed = try person.merging(["name": "Alice"])
    /// let updated = try person.merging(answer, mapper: api.mapper)        // a value of another type
    /// ```
    ///
    /// A property that the other value has no member for stays, also one that is ignored or ``FieldOptions/readOnly``. A
    /// `null` is read as ever: a nil for an optional property. This value stays as it is, also where it is an object.
    ///
    /// - Parameters:
    ///   - patch: any value, a ``JSON`` too.
    ///   - mapper: how both are written; give the provider's where it is not the standard one.
    /// - Throws: `EncodingError` or `DecodingError`.
    public func merging(_ patch: some Encodable, mapper: ObjectMapper = .standard) throws -> Self {
        let patch = try mapper.json(patch)
        return try Copying.$isOn.withValue(true) {
            let whole = try mapper.json(self)
            // Objects inside are made anew: from all their members, changed or not.
            let members = (patch.object ?? [:]).map {
                ($0.key, $0.value.isNull ? .null : whole[$0.key].merging($0.value))
            }
            let changed = patch.object == nil ? patch : JSON.object(.init(members))
            var copy = copied()
            try copy.update(from: try mapper.decode(Opened.self, from: changed.encoded()).decoder, isComplete: false)
            return copy
        }
    }

    private func copied() -> Self {
        guard type(of: self) is AnyClass, let from = self as? Model else { return self }
        let copy = type(of: self).init()
        guard var to = copy as? Model else { return copy }
        for field in MappingCache.mapping(of: type(of: self)).fields { field.copy(from, &to) }
        return copy
    }
}

extension Mapped where Self: AnyObject {
    /// Another object, whose mapped properties are those of this one. What is ignored is as `init()` leaves it.
    public func copy() -> Self { copied() }
}

/// A decoder where it stands.
private struct Opened: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) { self.decoder = decoder }
}
