public import Halyard
import HalyardHTTP

/// A model that maps its properties to JSON members explicitly, for JSON that does not suit plain `Codable`.
///
/// ```swift
/// struct Person: Mapped {
///     var desc = "DEFAULT"
///     var date: Date?
///     var cached = 0                 // not in the mapping: neither read nor written
///
///     static let mapping = Mapping<Self>(
///         .init(\.desc, "description", .nullable),
///         .init(\.date, "date", using: .iso8601)
///     )
/// }
/// ```
///
/// A mapped type is `Codable` like any other type: on its own, in arrays and as a property. Every property needs an
/// initial value. The ``Mapping/Field`` of a property determines whether the JSON may leave that value unchanged.
/// Properties that are not in the mapping are neither read nor written.
///
/// A generic type uses a computed property: `static var mapping: Mapping<Self> { ... }`. So does a class with
/// subclasses, `class var mapping: Mapping<Person>`, which a subclass extends with ``Mapping/adding(_:)``. The mapping
/// of each type is computed only once.
public protocol Mapped: Codable, SendableMetatype {
    /// The type that the mapping describes: the type itself, or the root class of its hierarchy.
    associatedtype MappingRoot = Self

    /// Creates a value in which every property has its initial value.
    init()

    /// The fields that connect the properties with members of the JSON.
    static var mapping: Mapping<MappingRoot> { get }

    /// Called after all properties have been read, so that you can check them or read more. The default does nothing. A
    /// subclass overrides this method if its root class implements it. If it throws, decoding fails with that error.
    mutating func didDecode(from decoder: any Decoder) throws

    /// Called before the properties are written, so that you can change them or write additional members. For a struct,
    /// it is called on a copy. The default does nothing. If it throws, encoding fails with that error.
    mutating func willEncode(to encoder: any Encoder) throws
}

extension Mapped {
    /// Does nothing.
    public func didDecode(from decoder: any Decoder) throws {}

    /// Does nothing.
    public func willEncode(to encoder: any Encoder) throws {}

    /// Creates a value by reading the properties of the mapping.
    ///
    /// - Throws: `DecodingError`, which names the type and the property. An invalid mapping throws it too.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder, isComplete: true)
        do { try didDecode(from: decoder) } catch {
            throw error as? DecodingError ?? .corrupted(at: decoder.codingPath, by: error)
        }
    }

    /// Writes the properties of the mapping.
    ///
    /// - Throws: `EncodingError`, which names the type and the property. An invalid mapping throws it too.
    public func encode(to encoder: any Encoder) throws {
        var copy = self
        try copy.willEncode(to: encoder)
        // This is the mapping of the object's dynamic type, also for a subclass in an array of its superclass.
        let mapping = MappingCache.mapping(of: type(of: copy))
        guard mapping.problem == nil, let model = copy as? MappingRoot else {
            let message = mapping.problem ?? Self.wrongModelReason
            throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: message))
        }
        try mapping.write(model, to: encoder)
    }

    /// Reads properties into this value. See ``Mapping/read(_:from:isComplete:)``.
    mutating func update(from decoder: any Decoder, isComplete: Bool) throws {
        let mapping = MappingCache.mapping(of: type(of: self))
        guard mapping.problem == nil, var model = self as? MappingRoot else {
            let message = mapping.problem ?? Self.wrongModelReason
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: message))
        }
        try mapping.read(&model, from: decoder, isComplete: isComplete)
        if let read = model as? Self { self = read }
    }

    private static var wrongModelReason: String { "the mapping of \(Self.self) is declared for \(MappingRoot.self)" }
}

/// The mappings by type, because those of generic types and classes are computed.
enum MappingCache {
    private static let mappings = Lock<[ObjectIdentifier: any Sendable]>([:])

    static func mapping<Value: Mapped>(of type: Value.Type) -> Mapping<Value.MappingRoot> {
        let key = ObjectIdentifier(type)
        if let known = mappings.withLock({ $0[key] }) as? Mapping<Value.MappingRoot> { return known }
        // The user's code runs without the lock. Two threads may both compute the mapping, with the same result.
        let mapping = type.mapping
        mappings.withLock { $0[key] = mapping }
        return mapping
    }
}

extension Mapped {
    /// Returns a copy of this value in which the members of another value's JSON replace those with the same name.
    ///
    /// ```swift
    /// let renamed = try person.merging(["name": "Alice"])
    /// let updated = try person.merging(answer, mapper: api.mapper)        // a value of another type
    /// ```
    ///
    /// A property without a member in the other value keeps its value. So does one that is not in the mapping or is
    /// ``FieldOptions/readOnly``. `null` is read as usual: an optional property becomes `nil`. This value does not
    /// change, even if it is a class instance. If the provider has a mapper of its own, pass it.
    ///
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
    /// Returns a new object with the same mapped properties. All other properties have their values from `init()`.
    public func copy() -> Self { copied() }
}

private struct DecoderCapture: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) { self.decoder = decoder }
}
