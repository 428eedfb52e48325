public import HalyardFoundation
public import HalyardHTTP

/// A way to write values of some types as bodies, and to read them from responses: what a provider's ``Serializers`` are.
///
/// For one type conform to ``ValueSerializer`` instead, which is all typed. This one is for many, such as all that is
/// `Codable`, in a format that Halyard does not know:
///
/// ```swift
/// struct PropertyLists: Serializer {
///     let contentType = "application/x-plist"
///     func writes(_ type: Any.Type) -> Bool { type is any Encodable.Type }
///     func reads(_ type: Any.Type) -> Bool { type is any Decodable.Type }
///     ...
/// }
/// ```
public protocol Serializer: Sendable {
    /// The Content-Type of what it writes, unless the route's headers give another.
    var contentType: String { get }

    /// Whether it writes values of a type. The first of the provider's that does is asked.
    func writes(_ type: Any.Type) -> Bool

    /// Whether it reads values of a type. The first of the provider's that does is asked.
    func reads(_ type: Any.Type) -> Bool

    /// Writes a value of a type that it said it writes.
    ///
    /// - Throws: whatever hinders it; the request then fails with ``HTTPError`` of kind `encoding`, whose cause it is.
    func encode<T>(_ value: T, as type: T.Type) throws -> Data

    /// Reads a value of a type that it said it reads, off the main actor.
    ///
    /// - Throws: whatever hinders it; the request then fails with ``HTTPError`` of kind `decoding`, whose cause it is.
    func decode<T>(_ type: T.Type, from response: HTTPResponse) throws -> T
}

/// A ``Serializer`` of one type, both ways.
///
/// ```swift
/// struct CSVSerializer: ValueSerializer {
///     let contentType = "text/csv; charset=utf-8"
///     func encode(_ table: CSV) -> Data { Data(table.lines.joined(separator: "\n").utf8) }
///     func decode(_ response: HTTPResponse) throws -> CSV { try CSV(response.text) }
/// }
///
/// struct StatisticsAPI: HTTPProvider {
///     let baseURL = URL(string: "https://api.example.com/v1")!
///     let serializers: Serializers = [CSVSerializer()]
/// }
/// ```
///
/// A body is then `.value(table)`, and a table is read by `.value(of: CSV.self)`.
public protocol ValueSerializer<Value>: Serializer {
    /// What it writes and reads.
    associatedtype Value

    /// Writes a value.
    func encode(_ value: Value) throws -> Data

    /// Reads a value, off the main actor. An empty body comes here as well.
    func decode(_ response: HTTPResponse) throws -> Value
}

extension ValueSerializer {
    /// Its own type alone.
    public func writes(_ type: Any.Type) -> Bool { type == Value.self }

    /// Its own type alone.
    public func reads(_ type: Any.Type) -> Bool { type == Value.self }

    /// Writes a value of its type.
    public func encode<T>(_ value: T, as type: T.Type) throws -> Data {
        guard let value = value as? Value else { throw Serializers.unfit(self, type) }
        return try encode(value)
    }

    /// Reads a value of its type.
    public func decode<T>(_ type: T.Type, from response: HTTPResponse) throws -> T {
        guard let value = try decode(response) as? T else { throw Serializers.unfit(self, type) }
        return value
    }
}
