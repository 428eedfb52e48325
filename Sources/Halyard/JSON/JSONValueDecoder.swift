import HalyardFoundation

/// Decodes one value of a document.
struct JSONValueDecoder: Decoder {
    let document: JSONDocument
    private let place: UInt64

    @inline(__always)
    init(_ document: JSONDocument, _ index: Int, _ parent: Int) {
        self.document = document
        // One word, so that a decoder fits an existential without memory of its own.
        place = UInt64(parent) << 32 | UInt64(index)
    }

    @inline(__always)
    var index: Int { Int(place & 0xFFFF_FFFF) }
    /// The index of the container around the value.
    @inline(__always)
    var parent: Int { Int(place >> 32) }

    var codingPath: [any CodingKey] { document.path(of: index, in: parent) }
    var userInfo: [CodingUserInfoKey: Any] { document.coding.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard document[index].isKind(.object) else { throw document.notAContainer(.object, at: index, in: parent) }
        return KeyedDecodingContainer(JSONMembers<Key>(document: document, object: index))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard document[index].isKind(.array) else { throw document.notAContainer(.array, at: index, in: parent) }
        return JSONElements(document, index)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { document[index].isKind(.null) }

    @inline(__always)
    func decode<T: JSONScalar>(_ type: T.Type) throws -> T {
        try T.read(from: document, at: index, in: parent)
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try document.decode(type, at: index, in: parent)
    }
}

/// Reads the members of an object.
struct JSONMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let document: JSONDocument
    let object: Int

    var codingPath: [any CodingKey] { document.path(of: object, in: document.parent(ofContainerAt: object)) }

    var allKeys: [Key] { document.keys(ofObjectAt: object) }

    @inline(__always)
    private func index(of key: some CodingKey) throws -> Int {
        let index = document.value(of: key, inObjectAt: object)
        guard index >= 0 else { throw document.keyNotFound(key, inObjectAt: object) }
        return index
    }

    func contains(_ key: Key) -> Bool { document.value(of: key, inObjectAt: object) >= 0 }

    func decodeNil(forKey key: Key) throws -> Bool { document[try index(of: key)].isKind(.null) }

    @inline(__always)
    func decode<T: JSONScalar>(_ type: T.Type, forKey key: Key) throws -> T {
        try T.read(from: document, at: try index(of: key), in: object)
    }

    @inline(__always)
    func decodeIfPresent<T: JSONScalar>(_ type: T.Type, forKey key: Key) throws -> T? {
        let index = document.value(of: key, inObjectAt: object)
        guard index >= 0, !document[index].isKind(.null) else { return nil }
        return try T.read(from: document, at: index, in: object)
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try document.decode(type, at: try index(of: key), in: object)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        let index = document.value(of: key, inObjectAt: object)
        guard index >= 0, !document[index].isKind(.null) else { return nil }
        return try document.decode(type, at: index, in: object)
    }

    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        try JSONValueDecoder(document, try index(of: key), object).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try JSONValueDecoder(document, try index(of: key), object).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(for: PathKey.superclass) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(for: key) }

    /// Returns the decoder of a value, or that of `null` if the object has none, as Foundation does.
    private func decoder(for key: some CodingKey) throws -> any Decoder {
        let index = document.value(of: key, inObjectAt: object)
        guard index < 0 else { return JSONValueDecoder(document, index, object) }
        return JSONValueDecoder(try JSONDocument(null: document.coding, at: codingPath + [key]), 0, JSONWord.noParent)
    }
}

/// Reads the elements of an array, one after another.
struct JSONElements: UnkeyedDecodingContainer {
    private let document: JSONDocument
    private let array: UInt32
    /// The index of the next element.
    private var position: UInt32
    private(set) var number: UInt32 = 0

    init(_ document: JSONDocument, _ array: Int) {
        self.document = document
        (self.array, position) = (UInt32(array), UInt32(array + 2))
    }

    private var index: Int { Int(position) }
    private var parent: Int { Int(array) }

    var codingPath: [any CodingKey] { document.path(of: parent, in: document.parent(ofContainerAt: parent)) }
    var count: Int? { document.count(at: parent) }
    var isAtEnd: Bool { index >= document[parent].place }
    var currentIndex: Int { Int(number) }

    /// Returns the index of the next element, if there is one.
    @inline(__always)
    private func element<T>(for type: T.Type) throws -> Int {
        guard isAtEnd else { return index }
        throw DecodingError.valueNotFound(
            type,
            .init(
                codingPath: codingPath + [PathKey(index: currentIndex)],
                debugDescription: "Unkeyed container is at end.")
        )
    }

    @inline(__always)
    private mutating func advance() {
        position = UInt32(document.next(after: index))
        number += 1
    }

    mutating func decodeNil() throws -> Bool {
        guard document[try element(for: Never.self)].isKind(.null) else { return false }
        advance()
        return true
    }

    @inline(__always)
    mutating func decode<T: JSONScalar>(_ type: T.Type) throws -> T {
        let value = try T.read(from: document, at: try element(for: type), in: parent)
        advance()
        return value
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try document.checkCancellation()
        let value = try document.decode(type, at: try element(for: type), in: parent)
        advance()
        return value
    }

    mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        let element = try element(for: KeyedDecodingContainer<Nested>.self)
        let container = try JSONValueDecoder(document, element, parent).container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let element = try element(for: (any UnkeyedDecodingContainer).self)
        let container = try JSONValueDecoder(document, element, parent).unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = JSONValueDecoder(document, try element(for: (any Decoder).self), parent)
        advance()
        return decoder
    }
}
