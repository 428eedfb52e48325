public import Halyard
import HalyardFoundation

extension ObjectMapper {
    /// Returns a value as JSON, as this mapper writes it.
    ///
    /// - Parameter value: The value.
    /// - Returns: The JSON.
    /// - Throws: `EncodingError`, or an error of the value's `encode(to:)`.
    public func json(_ value: some Encodable) throws -> JSON {
        // An encoder would lose digits, and the order of members.
        if let json = value as? JSON { return json }
        return try JSON(parsing: try encode(value))
    }

    /// Returns a value with members of another one applied, by their names in JSON, as ``JSON/merging(_:)`` does.
    ///
    /// ```swift
    /// let renamed = try ObjectMapper.standard.merging(["name": "Alice"], into: user)
    /// ```
    ///
    /// For a value with a mapping see ``Mapped/merging(_:mapper:)``.
    ///
    /// - Parameters:
    ///   - patch: The value whose members are applied.
    ///   - value: The value to change.
    /// - Returns: The new value.
    /// - Throws: `EncodingError` or `DecodingError`.
    public func merging<Value: Codable & SendableMetatype>(
        _ patch: some Encodable, into value: Value
    ) throws -> Value {
        let merged = try json(value).merging(try json(patch))
        return try decode(Value.self, from: merged.encoded())
    }
}
