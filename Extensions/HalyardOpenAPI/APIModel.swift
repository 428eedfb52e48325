public import HalyardFoundation

/// A model that is generated from an OpenAPI document: a structure that reads and writes its members by name.
///
/// `Codable` and `Hashable` come from the two requirements. The compiler builds a model of this kind about twice as fast
/// as one whose conformances it synthesizes, which counts for an API with a thousand models. Comparing two models
/// allocates memory for their members.
///
/// ```swift
/// struct Pet: APIModel {
///     var id: Int
///     var tag: String?
///
///     init(reading object: borrowing ModelReader) throws {
///         id = try object.read("id")
///         tag = try object.readIfPresent("tag")
///     }
///
///     func write(to object: inout ModelWriter) {
///         object.write("id", id)
///         object.writeIfPresent("tag", tag)
///     }
/// }
/// ```
public protocol APIModel: APIValue {
    /// Reads the members. Throws the `DecodingError` of a member that is missing or does not fit.
    init(reading object: borrowing ModelReader) throws
    /// Writes every member. Two models are equal if they write equal members.
    func write(to object: inout ModelWriter)
}

extension APIModel {
    /// Reads the model. Throws a `DecodingError` that names the member.
    public init(from decoder: any Decoder) throws { try self.init(reading: ModelReader(decoder)) }

    /// Writes the model as an object. Throws the encoder's error for a member that it cannot write.
    public func encode(to encoder: any Encoder) throws {
        var writer = ModelWriter(encoder)
        write(to: &writer)
        if let error = writer.error { throw error }
    }

    /// Whether both models write equal members.
    public static func == (left: Self, right: Self) -> Bool { left.values == right.values }

    /// Hashes the members.
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }

    /// The hash of the members.
    public var hashValue: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }

    private var values: [AnyHashable] {
        var writer = ModelWriter()
        write(to: &writer)
        return writer.values
    }
}

/// A value of an OpenAPI document: a model, or an enumeration of the types that a value can have. In a multipart form, it
/// is a part in JSON, with dates in ISO 8601.
public protocol APIValue: Codable, Hashable, Sendable, PartConvertible {}

extension JSON: APIValue {
    /// The value of a member that says which type an object has, as text: a string, an integer or a Boolean.
    public func tag(_ name: String) -> String? {
        self[name].string ?? self[name].bool.map(String.init) ?? self[name].int.map(String.init)
    }
}

/// The members of an object that a model is read from.
public struct ModelReader: ~Copyable {
    private let members: KeyedDecodingContainer<ModelKey>

    /// Makes a reader of the decoder's object. Throws a `DecodingError` if there is none.
    public init(_ decoder: any Decoder) throws { members = try decoder.container(keyedBy: ModelKey.self) }

    /// Returns a member that must be there. Throws a `DecodingError` if it is missing or does not fit the type.
    public func read<Value: Decodable>(_ name: String) throws -> Value {
        try members.decode(Value.self, forKey: ModelKey(name))
    }

    /// Returns a member, or `nil` if it is missing or null. Throws a `DecodingError` if it does not fit the type.
    public func readIfPresent<Value: Decodable>(_ name: String) throws -> Value? {
        try members.decodeIfPresent(Value.self, forKey: ModelKey(name))
    }

    /// Returns a URL, or `nil` if it is missing, null or empty, as some servers write it. Throws a `DecodingError` if it is
    /// no URL.
    public func readIfPresent(_ name: String) throws -> URL? {
        let text = try? members.decodeIfPresent(String.self, forKey: ModelKey(name))
        return text == "" ? nil : try members.decodeIfPresent(URL.self, forKey: ModelKey(name))
    }

    /// Returns the members with other names. Throws a `DecodingError` if one does not fit the type.
    public func readOthers<Value: Decodable>(than names: Set<String>) throws -> [String: Value] {
        var others: [String: Value] = [:]
        for key in members.allKeys where !names.contains(key.stringValue) {
            others[key.stringValue] = try members.decode(Value.self, forKey: key)
        }
        return others
    }
}

/// Writes the members of a model.
public struct ModelWriter {
    private var members: KeyedEncodingContainer<ModelKey>?
    /// The values, if they are compared and not encoded.
    fileprivate private(set) var values: [AnyHashable] = []
    fileprivate private(set) var error: (any Error)?

    fileprivate init() {}

    fileprivate init(_ encoder: any Encoder) { members = encoder.container(keyedBy: ModelKey.self) }

    /// Writes a member, or null for `nil`.
    public mutating func write<Value: Encodable & Hashable>(_ name: String, _ value: Value) {
        guard members != nil else { return values.append(AnyHashable(value)) }
        do { try members?.encode(value, forKey: ModelKey(name)) } catch { self.error = self.error ?? error }
    }

    /// Writes a member, and nothing for `nil`.
    public mutating func writeIfPresent<Value: Encodable & Hashable>(_ name: String, _ value: Value?) {
        guard members != nil else { return values.append(AnyHashable(value)) }
        if let value { write(name, value) }
    }

    /// Writes members with names of their own, in the order of the names. Those with one of `names` are left out.
    public mutating func writeOthers<Value: Encodable & Hashable>(_ others: [String: Value], than names: Set<String>) {
        guard members != nil else { return values.append(AnyHashable(others)) }
        for (name, value) in others.sorted(by: { $0.key < $1.key }) where !names.contains(name) { write(name, value) }
    }
}

/// The name of a member.
private struct ModelKey: CodingKey {
    let stringValue: String

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }

    var intValue: Int? { nil }
    init?(intValue: Int) { return nil }
}
