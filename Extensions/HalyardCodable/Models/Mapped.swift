/// A model that is told how its properties stand in JSON, where plain `Codable` does not suit.
///
/// ```swift
/// struct Person: Mapped {
///     var desc = "DEFAULT"
///     var date: Date?
///     var cached = 0                 // not in the mapping: ignored, both ways
///
///     static let mapping = Mapping<Self>(
///         .init(\.desc, "description", .nullable),
///         .init(\.date, "date", using: .iso8601)
///     )
/// }
/// ```
///
/// It is `Codable` like any other type: alone, in arrays, as a property of others. Every property needs a value to start
/// with; whether the JSON may leave it there, its ``Mapping/Field`` says. What is not in the mapping is neither read nor written.
///
/// A generic type computes its mapping: `static var mapping: Mapping<Self> { ... }`. So does a class that others inherit
/// from, `class var mapping: Mapping<Person>`, and its subclass adds to it, with ``Mapping/adding(_:)``. A mapping is asked
/// for once for each type.
public protocol Mapped: Codable, SendableMetatype {
    /// Whose properties the mapping names: the type itself, or the class at the root of its hierarchy.
    associatedtype Model = Self

    /// A value with what every property has before anything is read.
    init()

    /// How properties stand in JSON.
    static var mapping: Mapping<Model> { get }

    /// Called when all properties were read: to check them, or to read more. Nothing unless given.
    ///
    /// What it throws is the error of the whole, with the place of this value in the JSON. Subclasses override it where
    /// their root class has it.
    mutating func didDecode(from decoder: any Decoder) throws

    /// Called before properties are written, on a copy where this is a struct: to change them, or to write more members
    /// beside them. Nothing unless given.
    mutating func willEncode(to encoder: any Encoder) throws
}

extension Mapped {
    /// Does nothing.
    public func didDecode(from decoder: any Decoder) throws {}

    /// Does nothing.
    public func willEncode(to encoder: any Encoder) throws {}

    /// Reads the properties that the mapping names.
    ///
    /// - Throws: `DecodingError`, which names type and property; also where the mapping itself is wrong.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder, isComplete: true)
        do { try didDecode(from: decoder) } catch {
            throw error as? DecodingError ?? .corrupted(at: decoder.codingPath, by: error)
        }
    }

    /// Writes the properties that the mapping names.
    ///
    /// - Throws: `EncodingError`, which names type and property; also where the mapping itself is wrong.
    public func encode(to encoder: any Encoder) throws {
        var copy = self
        try copy.willEncode(to: encoder)
        // Of a subclass in a list of its superclass too, it is the object's own mapping.
        let mapping = MappingCache.mapping(of: type(of: copy))
        guard mapping.problem == nil, let model = copy as? Model else {
            let words = mapping.problem ?? Self.isOfAnother
            throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: words))
        }
        try mapping.write(model, to: encoder)
    }

    /// Reads properties into this value.
    ///
    /// - Parameter isComplete: whether what is missing is an error; else it is left alone.
    mutating func update(from decoder: any Decoder, isComplete: Bool) throws {
        let mapping = MappingCache.mapping(of: type(of: self))
        guard mapping.problem == nil, var model = self as? Model else {
            let words = mapping.problem ?? Self.isOfAnother
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: words))
        }
        try mapping.read(&model, from: decoder, isComplete: isComplete)
        if let read = model as? Self { self = read }
    }

    private static var isOfAnother: String { "the mapping of \(Self.self) is one of \(Model.self)" }
}
