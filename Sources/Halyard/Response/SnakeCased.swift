import HalyardFoundation

/// Decodes a value whose property names are in snake case.
///
/// `JSONDecoder`'s own strategy converts the names of the JSON to camel case. It makes `imageUrl` of the `image_url`
/// that its encoder wrote for `imageURL`, and the property is then `nil` without an error. This type converts the names
/// of the properties instead, and looks them up. Types that the decoder treats specially, such as dates, are passed to
/// it.
struct SnakeCased<T: Decodable>: Decodable {
    let value: T

    init(from decoder: any Decoder) throws {
        value =
            isPlain(T.self)
            ? try decoder.singleValueContainer().decode(T.self) : try T(from: SnakeCaseDecoder(base: decoder))
    }
}

/// Types without property names. A `JSONDecoder` treats some specially, and decodes all of them faster.
private let plainTypes: Set<ObjectIdentifier> = {
    let types: [any Decodable.Type] = [
        String.self, Bool.self, Double.self, Float.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self,
        UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
        Date.self, Data.self, URL.self, Decimal.self, UUID.self, JSON.self, [String].self, [Int].self, [Double].self,
    ]
    return Set(types.map { ObjectIdentifier($0) })
}()

private func isPlain(_ type: (some Decodable).Type) -> Bool { plainTypes.contains(ObjectIdentifier(type)) }

private typealias Name = SnakeCase.Name

private struct SnakeCaseDecoder: Decoder {
    let base: any Decoder
    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedContainer<Key>(try base.container(keyedBy: Name.self)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedContainer(base: try base.unkeyedContainer())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueContainer(base: try base.singleValueContainer())
    }
}

// The generic methods below also serve for each primitive type.

private final class KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let base: KeyedDecodingContainer<Name>
    /// The names in the JSON. They are needed only for a property whose own name is not in it.
    private lazy var names = base.allKeys
    private let isVerbatim = Key.self is any VerbatimKey.Type

    init(_ base: KeyedDecodingContainer<Name>) { self.base = base }

    var codingPath: [any CodingKey] { base.codingPath }

    var allKeys: [Key] {
        base.allKeys.compactMap {
            Key(stringValue: $0.stringValue) ?? Key(stringValue: SnakeCase.property(of: $0.stringValue))
        }
    }

    /// Returns the name of a property in the JSON: as in the type, as written, or as it may be read. `nil` if it is
    /// missing.
    private func existingName(_ key: Key) -> Name? {
        let name = Name(key)
        if base.contains(name) { return name }
        if isVerbatim { return nil }
        let written = SnakeCase.name(of: name.stringValue)
        if base.contains(Name(stringValue: written)) { return Name(stringValue: written) }
        return names.first {
            SnakeCase.isLike($0.stringValue, name.stringValue)
                && SnakeCase.property(of: $0.stringValue) == name.stringValue
        }
    }

    private func name(_ key: Key) -> Name {
        existingName(key) ?? (isVerbatim ? Name(key) : Name(stringValue: SnakeCase.name(of: key.stringValue)))
    }

    func contains(_ key: Key) -> Bool { existingName(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: name(key)) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decode(type, at: name(key)) }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let name = existingName(key), try !base.decodeNil(forKey: name) else { return nil }
        return try decode(type, at: name)
    }

    private func decode<T: Decodable>(_ type: T.Type, at name: Name) throws -> T {
        isPlain(type) ? try base.decode(type, forKey: name) : try base.decode(SnakeCased<T>.self, forKey: name).value
    }

    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        let nested = try base.nestedContainer(keyedBy: Name.self, forKey: name(key))
        return KeyedDecodingContainer(KeyedContainer<Nested>(nested))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        UnkeyedContainer(base: try base.nestedUnkeyedContainer(forKey: name(key)))
    }

    func superDecoder() throws -> any Decoder { SnakeCaseDecoder(base: try base.superDecoder()) }
    func superDecoder(forKey key: Key) throws -> any Decoder {
        SnakeCaseDecoder(base: try base.superDecoder(forKey: name(key)))
    }
}

private struct UnkeyedContainer: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool { try base.decodeNil() }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        isPlain(type) ? try base.decode(type) : try base.decode(SnakeCased<T>.self).value
    }

    mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(KeyedContainer<Nested>(try base.nestedContainer(keyedBy: Name.self)))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedContainer(base: try base.nestedUnkeyedContainer())
    }

    mutating func superDecoder() throws -> any Decoder { SnakeCaseDecoder(base: try base.superDecoder()) }
}

private struct SingleValueContainer: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer

    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        isPlain(type) ? try base.decode(type) : try base.decode(SnakeCased<T>.self).value
    }
}
