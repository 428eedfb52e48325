extension HTTPHeaders: CustomStringConvertible {
    /// The names, `[Accept, Authorization]`. No value: it could be a secret.
    public var description: String { "[\(fields.map(\.name.rawValue).joined(separator: ", "))]" }
}

extension HTTPHeaders: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension HTTPHeaders.Field: CustomStringConvertible {
    /// The name. No value: it could be a secret.
    public var description: String { name.rawValue }
}

extension HTTPHeaders.Field: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}
