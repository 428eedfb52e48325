extension HTTPHeaders: CustomStringConvertible {
    /// The names of the fields: `[Accept, Authorization]`. Values are omitted, because they could be secrets.
    public var description: String { "[\(map(\.name.rawValue).joined(separator: ", "))]" }
}

extension HTTPHeaders: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows only the ``description``, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension HTTPHeaders.Field: CustomStringConvertible {
    /// The name. The value is omitted, because it could be a secret.
    public var description: String { name.rawValue }
}

extension HTTPHeaders.Field: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows only the ``description``, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}
