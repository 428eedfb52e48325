public import HalyardEndpoints

/// An enumeration that keeps values it does not know, because a server may add some at any time.
///
/// ```swift
/// struct Status: OpenEnum {
///     var rawValue: String
///     static let available = Self(rawValue: "available")
///     static let sold = Self(rawValue: "sold")
/// }
///
/// switch pet.status {
/// case .available: buy(pet)
/// default: print(pet.status.rawValue)
/// }
/// ```
public protocol OpenEnum: RawRepresentable, Codable, Hashable, Sendable, PathConvertible, PartConvertible,
    CustomStringConvertible
where RawValue: Codable & Hashable & Sendable & PathConvertible & CustomStringConvertible {
    /// Makes the value, known or not.
    init(rawValue: RawValue)
}

extension OpenEnum {
    /// The raw value.
    public var description: String { rawValue.description }
}

/// Stores a value on the heap, so that a structure can contain itself, or a structure of many members takes the place of
/// a pointer.
@propertyWrapper
public struct Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private var box: Box

    /// Makes a box with a value.
    public init(wrappedValue: Value) { box = Box(wrappedValue) }

    /// The value.
    public var wrappedValue: Value {
        get { box.value }
        set { box = Box(newValue) }
    }

    /// Whether the values are equal.
    public static func == (left: Self, right: Self) -> Bool { left.wrappedValue == right.wrappedValue }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}
