/// Options of a ``Mapping/Field``.
public struct FieldOptions: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int

    /// Makes options from bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `null` leaves the property unchanged. A missing member remains an error.
    public static let nullable = FieldOptions(rawValue: 1 << 0)
    /// A missing member leaves the property unchanged. `null` remains an error unless the property is optional.
    public static let optional = FieldOptions(rawValue: 1 << 1)
    /// The property is read but never written, such as an identifier that the server assigns.
    public static let readOnly = FieldOptions(rawValue: 1 << 2)
    /// The property is written but never read, such as a password.
    public static let writeOnly = FieldOptions(rawValue: 1 << 3)
    /// A `nil` property is written as `null`. Without this option it is left out.
    public static let explicitNull = FieldOptions(rawValue: 1 << 4)
}

/// Whether the current task merges values.
///
/// While values are merged, all fields are read and written: ``FieldOptions/readOnly`` and ``FieldOptions/writeOnly``
/// have no effect, and `nil` is written as `null`.
enum Merging {
    @TaskLocal static var isActive = false
}
