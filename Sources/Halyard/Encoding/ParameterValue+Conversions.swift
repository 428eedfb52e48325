public import HalyardFoundation

// How each type is written, in every encoding.

extension String: PathConvertible {
    /// The string as text.
    public var parameterValue: ParameterValue { ParameterValue(.text(self)) }
}

extension Substring: PathConvertible {
    /// The substring as text.
    public var parameterValue: ParameterValue { ParameterValue(.text(String(self))) }
}

extension Bool: PathConvertible {
    /// `true` or `false`.
    public var parameterValue: ParameterValue { ParameterValue(.flag(self)) }
}

extension ParameterConvertible where Self: BinaryInteger {
    /// The number in decimal.
    public var parameterValue: ParameterValue {
        ParameterValue(Int(exactly: self).map { .integer($0) } ?? .number("\(self)"))
    }
}

extension Int: PathConvertible {}
extension Int8: PathConvertible {}
extension Int16: PathConvertible {}
extension Int32: PathConvertible {}
extension Int64: PathConvertible {}
extension UInt: PathConvertible {}
extension UInt8: PathConvertible {}
extension UInt16: PathConvertible {}
extension UInt32: PathConvertible {}
extension UInt64: PathConvertible {}

extension ParameterConvertible where Self: BinaryFloatingPoint & LosslessStringConvertible {
    /// The shortest decimal number that reads back as the same value. NaN and infinity fail the request, because no
    /// encoding can represent them.
    public var parameterValue: ParameterValue {
        ParameterValue(isFinite ? .number("\(self)") : .unwritable("\(self) is not a number that can be sent"))
    }
}

extension Double: PathConvertible {}
extension Float: PathConvertible {}

extension Decimal: PathConvertible {
    /// The number in decimal, with all its digits.
    public var parameterValue: ParameterValue {
        ParameterValue(isNaN ? .unwritable("NaN is not a number that can be sent") : .number(description))
    }
}

extension Date: PathConvertible {
    /// The number of milliseconds since 1970, rounded.
    public var parameterValue: ParameterValue {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        guard let whole = Int(exactly: milliseconds) else {
            return ParameterValue(.unwritable("the date is too far away for milliseconds since 1970"))
        }
        return ParameterValue(.integer(whole))
    }
}

/// A date as text in ISO 8601, for a parameter of an API that does not count milliseconds.
///
/// ```swift
/// let route = Route(path: "/search", params: ["since": ISO8601Date(date)])  // since=2030-01-31T14%3A02%3A03Z
/// ```
public struct ISO8601Date: PathConvertible, Hashable {
    /// The date.
    public var date: Date

    /// Makes the parameter for a date.
    public init(_ date: Date) { self.date = date }

    /// The date in UTC, in whole seconds: `2030-01-31T14:02:03Z`. A fraction of a second is cut off, as in an object with
    /// ``ObjectMapper/DateStyle/iso8601``. Outside the years 0 to 9999, the request fails.
    public var parameterValue: ParameterValue {
        date.iso8601Text().map { .text($0) } ?? ParameterValue(.unwritable("the date is outside the years 0 to 9999"))
    }
}

extension URL: PathConvertible {
    /// The absolute URL as text. In a multipart form, a file URL is sent as the content of the file.
    public var parameterValue: ParameterValue { ParameterValue(.url(self)) }
}

extension UUID: PathConvertible {
    /// The UUID as text.
    public var parameterValue: ParameterValue { ParameterValue(.text(uuidString)) }
}

extension Optional: ParameterConvertible where Wrapped: ParameterConvertible {
    /// The wrapped value's parameter value. `nil` leaves the parameter out.
    public var parameterValue: ParameterValue { self?.parameterValue ?? ParameterValue(.omitted) }
}

extension Array: ParameterConvertible where Element: ParameterConvertible {
    /// A list of the elements. Elements that are `nil` are left out.
    public var parameterValue: ParameterValue { ParameterValue(.list(map(\.parameterValue))) }
}

extension Dictionary: ParameterConvertible where Key == String, Value: ParameterConvertible {
    /// An object whose members are sorted by name.
    public var parameterValue: ParameterValue { ParameterValue(.members(Parameters(self))) }
}

extension Parameters: ParameterConvertible {
    /// An object whose members are in order.
    public var parameterValue: ParameterValue { ParameterValue(.members(self)) }
}
