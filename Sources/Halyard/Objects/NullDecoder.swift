/// Decodes `null`. It is the decoder of a superclass for which an object has no member.
struct NullDecoder: Decoder, SingleValueDecodingContainer {
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw notFound([String: Any].self, "Cannot get keyed decoding container -- found null value instead")
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw notFound([Any].self, "Cannot get unkeyed decoding container -- found null value instead")
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { true }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if TypeKind.found(of: type) == .own { return try T(from: self) }
        throw notFound(type, "Cannot get value of type \(type) -- found null value instead")
    }

    private func notFound(_ type: Any.Type, _ message: String) -> DecodingError {
        .valueNotFound(type, .init(codingPath: codingPath, debugDescription: message))
    }
}
