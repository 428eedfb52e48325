import HalyardFoundation

/// A place of an encoding at which a value is written: the value whose `encode(to:)` runs.
struct EncodingPlace {
    let encoding: ObjectEncoding
    /// The index of the value's frame.
    let depth: Int
    /// The serial of the value's frame, or `used` or `tooDeep` for a container that cannot be used.
    let serial: Int

    private static let used = 0, tooDeep = -1

    @inline(__always)
    init(_ encoding: ObjectEncoding) {
        self.encoding = encoding
        depth = encoding.frames.count - 1
        serial = encoding.frames[depth].serial
    }

    /// Makes a place in which a value was written already.
    init(used place: EncodingPlace) { (encoding, depth, serial) = (place.encoding, place.depth, Self.used) }

    /// Makes a place for which the encoding is too deep.
    init(tooDeepIn encoding: ObjectEncoding) { (self.encoding, depth, serial) = (encoding, 0, Self.tooDeep) }

    var path: [any CodingKey] { encoding.path(ofFrame: min(depth, encoding.frames.count - 1)) }

    /// The kind of the value so far. `nil` if it has ended, or another value is being written inside it.
    @inline(__always)
    var kind: ObjectEncoding.Frame.Kind? {
        guard encoding.frames.count == depth + 1, encoding.frames[depth].serial == serial else { return nil }
        return encoding.frames[depth].kind
    }

    /// Throws an error unless the innermost value is this one, of a kind.
    @inline(__always)
    func check(_ kind: ObjectEncoding.Frame.Kind, _ value: Any.Type) throws {
        guard self.kind == kind else { throw misuse(value) }
    }

    @inline(never)
    func misuse(_ value: Any.Type) -> EncodingError {
        if serial == Self.tooDeep { return ObjectEncoding.tooDeep(value) }
        let message =
            kind == nil && serial != Self.used
            ? "the container is used after its value was encoded, or while another value inside it is"
            : "a value has already been encoded here"
        return .invalidValue(value, .init(codingPath: path, debugDescription: message))
    }

    /// Writes one part of the value, and nothing if that fails.
    @inline(__always)
    func write(_ body: () throws -> Void) throws {
        let (encoding, frame, length) = (encoding, encoding.frames[depth], encoding.bytes.count)
        let (members, children) = (encoding.members.count, encoding.children.count)
        do { try body() } catch {
            encoding.frames.removeLast(encoding.frames.count - depth)
            encoding.frames.append(frame)
            encoding.members.removeLast(encoding.members.count - members)
            encoding.children.removeLast(encoding.children.count - children)
            encoding.bytes.removeAll(from: length)
            throw error
        }
    }
}

/// Encodes one value as JSON.
struct JSONValueEncoder: Encoder {
    let place: EncodingPlace

    @inline(__always)
    init(_ encoding: ObjectEncoding) { place = EncodingPlace(encoding) }

    var codingPath: [any CodingKey] { place.path }
    var userInfo: [CodingUserInfoKey: Any] { place.encoding.coding.userInfo }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JSONMemberWriter<Key>(place: place(for: .object)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONElementWriter(place: place(for: .array))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Begins the array or object of the value. A value may have several containers of one kind, which write to the same
    /// array or object.
    private func place(for kind: ObjectEncoding.Frame.Kind) -> EncodingPlace {
        place.kind == nil || place.encoding.begin(kind) ? place : EncodingPlace(used: place)
    }
}

extension JSONValueEncoder: SingleValueEncodingContainer {
    func encodeNil() throws {
        try place.check(.empty, Never?.self)
        _ = place.encoding.begin(.scalar)
        place.encoding.writeNull()
    }

    /// Writes a value in place of this one. If it is an array or object, containers of this value add to it, and it adds
    /// to theirs.
    func encode<T: Encodable>(_ value: T) throws {
        guard place.kind != nil else { throw place.misuse(T.self) }
        if case .known(let writer) = place.encoding.types.kind(of: T.self) { return try encode(value, as: writer) }
        try place.write { try place.encoding.countLevel(of: value) { try value.encode(to: self) } }
    }

    private func encode<T, Known: JSONWritable>(_ value: T, as known: Known.Type) throws {
        if Known.frameKind == .scalar { try place.check(.empty, T.self) }
        try place.write {
            guard place.encoding.begin(Known.frameKind) else { throw place.misuse(T.self) }
            try identical(value, as: known).write(to: place.encoding)
        }
    }
}

/// Writes the members of an object.
struct JSONMemberWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let place: EncodingPlace

    var codingPath: [any CodingKey] { place.path }

    func encodeNil(forKey key: Key) throws {
        try place.check(.object, Never?.self)
        place.encoding.beginMember(key)
        place.encoding.writeNull()
        place.encoding.endMember()
    }

    @inline(__always)
    func encode<T: JSONScalar>(_ value: T, forKey key: Key) throws {
        try place.check(.object, T.self)
        place.encoding.beginMember(key)
        try value.write(to: place.encoding)
        place.encoding.endMember()
    }

    func encode(_ value: Double, forKey key: Key) throws { try encodeMember(value, forKey: key) }
    func encode(_ value: Float, forKey key: Key) throws { try encodeMember(value, forKey: key) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encodeMember(value, forKey: key) }

    /// Writes a value that may fail.
    @inline(__always)
    private func encodeMember<T: Encodable>(_ value: T, forKey key: Key) throws {
        try place.check(.object, T.self)
        try place.write {
            place.encoding.beginMember(key)
            try place.encoding.write(value)
            place.encoding.endMember()
        }
    }

    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        insertedEncoder(for: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        insertedEncoder(for: key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { insertedEncoder(for: PathKey.superclass) }
    func superEncoder(forKey key: Key) -> any Encoder { insertedEncoder(for: key) }

    /// Returns an encoder whose value is inserted as a member. A second one for the same key writes to the same value.
    private func insertedEncoder(for key: some CodingKey) -> JSONValueEncoder {
        let encoding = place.encoding
        guard place.kind == .object else { return .unusable(place) }
        let first = encoding.frames[place.depth].firstChild
        if let child = encoding.children[first...].first(where: { $0.name == key.stringValue }) {
            return JSONValueEncoder(child.encoding)
        }
        encoding.beginMember(key)
        defer { encoding.endMember() }
        return encoding.insertedEncoder(after: key, name: key.stringValue)
    }
}

/// Writes the elements of an array.
struct JSONElementWriter: UnkeyedEncodingContainer {
    let place: EncodingPlace

    var codingPath: [any CodingKey] { place.path }
    var count: Int { place.kind == .array ? place.encoding.frames[place.depth].count : 0 }

    func encodeNil() throws {
        try place.check(.array, Never?.self)
        place.encoding.beginElement()
        place.encoding.writeNull()
        place.encoding.endElement()
    }

    func encode<T: Encodable>(_ value: T) throws {
        try place.check(.array, T.self)
        try place.write {
            place.encoding.beginElement()
            try place.encoding.write(value)
            place.encoding.endElement()
        }
    }

    func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        insertedEncoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { insertedEncoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { insertedEncoder() }

    private func insertedEncoder() -> JSONValueEncoder {
        guard place.kind == .array else { return .unusable(place) }
        place.encoding.beginElement()
        defer { place.encoding.endElement() }
        return place.encoding.insertedEncoder(after: PathKey(index: count), name: nil)
    }
}

extension ObjectEncoding {
    /// Returns an encoder whose bytes are inserted at the end of these.
    fileprivate func insertedEncoder(after key: any CodingKey, name: String?) -> JSONValueEncoder {
        guard depth < Self.maximumDepth else { return .unusable(EncodingPlace(tooDeepIn: self)) }
        let child = ObjectEncoding(insertedInto: self, after: key)
        children.append(Child(position: bytes.count, encoding: child, name: name))
        return JSONValueEncoder(child)
    }
}

extension JSONValueEncoder {
    /// Returns an encoder that cannot be used. Its methods throw.
    fileprivate static func unusable(_ place: EncodingPlace) -> JSONValueEncoder { JSONValueEncoder(place: place) }

    private init(place: EncodingPlace) { self.place = place }
}
