/// An encoder that counts the depth of the values that it writes.
struct DepthLimitingEncoder: Encoder {
    let inner: any Encoder
    let depth: Int

    var codingPath: [any CodingKey] { inner.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { inner.userInfo }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(DepthLimitingKeyedContainer(inner: inner.container(keyedBy: type), depth: depth))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        DepthLimitingUnkeyedContainer(inner: inner.unkeyedContainer(), depth: depth)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        DepthLimitingSingleValueContainer(inner: inner.singleValueContainer(), depth: depth)
    }
}

// The generic `encode` calls the container's own `encode` for each type that has one.

private struct DepthLimitingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var inner: KeyedEncodingContainer<Key>
    let depth: Int

    var codingPath: [any CodingKey] { inner.codingPath }

    mutating func encodeNil(forKey key: Key) throws { try inner.encodeNil(forKey: key) }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try inner.encode(value.depthLimited(at: depth), forKey: key)
    }

    mutating func nestedContainer<Name>(
        keyedBy type: Name.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Name> {
        let members = inner.nestedContainer(keyedBy: type, forKey: key)
        return KeyedEncodingContainer<Name>(DepthLimitingKeyedContainer<Name>(inner: members, depth: depth + 1))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        DepthLimitingUnkeyedContainer(inner: inner.nestedUnkeyedContainer(forKey: key), depth: depth + 1)
    }

    mutating func superEncoder() -> any Encoder { DepthLimitingEncoder(inner: inner.superEncoder(), depth: depth + 1) }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        DepthLimitingEncoder(inner: inner.superEncoder(forKey: key), depth: depth + 1)
    }
}

private struct DepthLimitingUnkeyedContainer: UnkeyedEncodingContainer {
    var inner: any UnkeyedEncodingContainer
    let depth: Int

    var codingPath: [any CodingKey] { inner.codingPath }
    var count: Int { inner.count }

    mutating func encodeNil() throws { try inner.encodeNil() }

    mutating func encode<T: Encodable>(_ value: T) throws { try inner.encode(value.depthLimited(at: depth)) }

    mutating func nestedContainer<Name>(keyedBy type: Name.Type) -> KeyedEncodingContainer<Name> {
        KeyedEncodingContainer(
            DepthLimitingKeyedContainer(inner: inner.nestedContainer(keyedBy: type), depth: depth + 1))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        DepthLimitingUnkeyedContainer(inner: inner.nestedUnkeyedContainer(), depth: depth + 1)
    }

    mutating func superEncoder() -> any Encoder { DepthLimitingEncoder(inner: inner.superEncoder(), depth: depth + 1) }
}

private struct DepthLimitingSingleValueContainer: SingleValueEncodingContainer {
    var inner: any SingleValueEncodingContainer
    let depth: Int

    var codingPath: [any CodingKey] { inner.codingPath }

    mutating func encodeNil() throws { try inner.encodeNil() }

    mutating func encode<T: Encodable>(_ value: T) throws { try inner.encode(value.depthLimited(at: depth)) }
}
