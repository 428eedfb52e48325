/// What a ``Mapping/Field`` allows, or does beyond the usual.
public struct FieldOptions: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int

    /// Options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A `null` leaves the property as it is. A missing member stays an error.
    public static let nullable = FieldOptions(rawValue: 1 << 0)
    /// A missing member leaves the property as it is. A `null` stays an error, but for an optional property.
    public static let optional = FieldOptions(rawValue: 1 << 1)
    /// It is read and never written: what the server alone sets.
    public static let readOnly = FieldOptions(rawValue: 1 << 2)
    /// It is written and never read: a password.
    public static let writeOnly = FieldOptions(rawValue: 1 << 3)
    /// A property that is nil is written as `null`. Else it is left out.
    public static let explicitNull = FieldOptions(rawValue: 1 << 4)
}
