public import HalyardFoundation

extension JSON {
    /// A JSON number that keeps its text, so that no digit is lost.
    ///
    /// Numbers are compared by value: `1`, `1.0` and `10e-1` are equal, and so are `-0` and `0`. Numbers whose exponent
    /// does not fit in 32 bits are compared by their text instead.
    public struct Number: Sendable {
        /// The number exactly as it was written, with all digits and its exponent.
        public let text: String

        /// Makes a number of text that the parser has checked.
        init(checked text: String) { self.text = text }

        /// Creates a whole number from an integer of any width.
        public init(_ value: some BinaryInteger) { text = String(value) }

        /// Creates a number with the shortest text that gives the same value, without `.0`, or `nil` for NaN and
        /// infinity.
        public init?(_ value: some BinaryFloatingPoint & LosslessStringConvertible) {
            guard value.isFinite else { return nil }
            let digits = String(value)
            text = digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits
        }

        /// Creates a number with all digits of a decimal, or `nil` for NaN.
        public init?(_ value: Decimal) {
            guard !value.isNaN else { return nil }
            text = value.description
        }

        /// Creates a number from text such as `"0.10"`, or `nil` if it is not a number by RFC 8259 section 6.
        public init?(text: String) {
            guard case .number(let number)? = try? JSON(parsing: text), number.text.utf8.count == text.utf8.count else {
                return nil
            }
            self = number
        }
    }
}

extension JSON.Number {
    /// The value as an `Int`, or `nil` if it has a fraction or does not fit. `1.0` and `1e2` are whole numbers.
    public var int: Int? { integer() }

    /// The value as an `Int64`, or `nil` if it has a fraction or does not fit.
    public var int64: Int64? { integer() }

    /// The value as a `UInt64`, or `nil` if it has a fraction, is negative or does not fit.
    public var uint64: UInt64? { integer() }

    /// The nearest `Double`, or `nil` if the value is out of range, such as `1e400`. For money, use ``decimal``, which
    /// does not round.
    public var double: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// The exact `Decimal` value, or `nil` if it needs more than 38 digits or a power of ten outside -128 to 127.
    public var decimal: Decimal? {
        // Decimal(string:) rounds without an error, so its result is written and compared.
        guard let scientific, scientific.digits.count <= 39, (-200...200).contains(scientific.exponent),
            let value = Decimal(string: scientific.text, locale: nil), JSON.Number(value) == self
        else { return nil }
        return value
    }

    func integer<Integer: FixedWidthInteger>() -> Integer? {
        if let value = Integer(text) { return value }
        guard let scientific, scientific.exponent >= 0,
            scientific.digits.count + scientific.exponent <= Integer.bitWidth
        else { return nil }
        return Integer(scientific.significand + String(repeating: "0", count: scientific.exponent))
    }
}

extension JSON.Number: Hashable {
    /// Returns whether two numbers have the same value, however they are written.
    public static func == (left: Self, right: Self) -> Bool {
        if left.text == right.text { return true }
        guard let one = left.scientific, let other = right.scientific else { return false }
        return one == other
    }

    /// Hashes the value, not the text.
    public func hash(into hasher: inout Hasher) {
        if let scientific { hasher.combine(scientific) } else { hasher.combine(text) }
    }
}

extension JSON.Number: ExpressibleByIntegerLiteral {
    /// Creates a whole number from a literal.
    public init(integerLiteral value: Int) { self.init(value) }
}

extension JSON.Number: CustomStringConvertible {
    /// The number as it was written.
    public var description: String { text }
}

extension JSON.Number {
    /// A number in a normal form: digits without zeros at either end, times a power of ten.
    struct Scientific: Hashable {
        let isNegative: Bool
        /// The digits. Empty for zero.
        let digits: Substring
        let exponent: Int

        var significand: String { digits.isEmpty ? "0" : (isNegative ? "-" : "") + digits }
        var text: String { "\(significand)e\(exponent)" }
    }

    /// The number in normal form. `nil` if the exponent does not fit 32 bits.
    var scientific: Scientific? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let halves = text.dropFirst(isNegative ? 1 : 0).split(maxSplits: 1) { $0 == "e" || $0 == "E" }
        let parts = halves[0].split(separator: ".")
        let fraction = parts.count > 1 ? parts[1] : ""
        let written = parts[0] + fraction

        let digits = written.drop { $0 == "0" }.trimmingZeros
        guard !digits.isEmpty else { return Scientific(isNegative: false, digits: "", exponent: 0) }
        guard let power = halves.count > 1 ? Int32(halves[1]) : 0 else { return nil }
        let trimmed = written.utf8.count - written.utf8.distance(from: written.startIndex, to: digits.endIndex)
        return Scientific(
            isNegative: isNegative, digits: digits, exponent: Int(power) - fraction.utf8.count + trimmed)
    }
}

extension Substring {
    fileprivate var trimmingZeros: Substring {
        var result = self
        while result.last == "0" { result.removeLast() }
        return result
    }
}
