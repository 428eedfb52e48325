public import HalyardFoundation

// The conversion table: what each type is on the wire, whichever encoding writes it.

extension String: PathConvertible {
    /// The text itself.
    public var parameterValue: ParameterValue { ParameterValue(.text(self)) }
}

extension Substring: PathConvertible {
    /// The text itself.
    public var parameterValue: ParameterValue { ParameterValue(.text(String(self))) }
}

extension Bool: PathConvertible {
    /// `true` or `false`, never 1 or 0.
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
    /// The shortest decimal that reads back as the same number. NaN and the infinities are refused when the request
    /// is built: no encoding has a way to write them.
    public var parameterValue: ParameterValue {
        ParameterValue(isFinite ? .number("\(self)") : .unwritable("\(self) is not a number that can be sent"))
    }
}

extension Double: PathConvertible {}
extension Float: PathConvertible {}

extension Decimal: PathConvertible {
    /// Every digit.
    public var parameterValue: ParameterValue {
        ParameterValue(isNaN ? .unwritable("NaN is not a number that can be sent") : .number(description))
    }
}

extension Date: PathConvertible {
    /// Milliseconds since 1970, rounded to the nearest.
    public var parameterValue: ParameterValue {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        guard let whole = Int(exactly: milliseconds) else {
            return ParameterValue(.unwritable("the date is too far away for milliseconds since 1970"))
        }
        return ParameterValue(.integer(whole))
    }
}

extension URL: PathConvertible {
    /// The absolute URL as text; the content of the file in a multipart form, where it is a file's.
    public var parameterValue: ParameterValue { ParameterValue(.url(self)) }
}

extension UUID: PathConvertible {
    /// The UUID as text.
    public var parameterValue: ParameterValue { ParameterValue(.text(uuidString)) }
}

extension Optional: ParameterConvertible where Wrapped: ParameterConvertible {
    /// The wrapped value's; `nil` is left out.
    public var parameterValue: ParameterValue { self?.parameterValue ?? ParameterValue(.absent) }
}

extension Array: ParameterConvertible where Element: ParameterConvertible {
    /// A list. `nil` among its elements is left out.
    public var parameterValue: ParameterValue { ParameterValue(.list(map(\.parameterValue))) }
}

extension Dictionary: ParameterConvertible where Key == String, Value: ParameterConvertible {
    /// Members, in order of their names.
    public var parameterValue: ParameterValue { ParameterValue(.members(Parameters(self))) }
}

extension Parameters: ParameterConvertible {
    /// Members, in their order.
    public var parameterValue: ParameterValue { ParameterValue(.members(self)) }
}
