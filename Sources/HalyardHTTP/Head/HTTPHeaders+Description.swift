extension HTTPHeaders: CustomStringConvertible {
    /// The names of the fields: `[Accept, Authorization]`. Values are omitted, because they could be secrets.
    public var description: String { "[\(map(\.name.rawValue).joined(separator: ", "))]" }
}

extension HTTPHeaders: SafelyDescribed {}

extension HTTPHeaders.Field: CustomStringConvertible {
    /// The name. The value is omitted, because it could be a secret.
    public var description: String { name.rawValue }
}

extension HTTPHeaders.Field: SafelyDescribed {}
