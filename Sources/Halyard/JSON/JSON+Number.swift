public import HalyardFoundation

extension JSON {
    /// A number of JSON that keeps its text, so that no digit is lost on the way through.
    ///
    /// Numbers are equal when their values are, however they are written: `1`, `1.0` and `10e-1` are equal, `-0` and
    /// `0` too. Only numbers with an exponent beyond 32 bits are compared by their text.
    public struct Number: Sendable {
        /// The number as it was written: all digits, and the exponent if there was one.
        public let text: String

        /// Takes a text that the reader has checked.
        init(checked text: String) { self.text = text }

        /// A whole number of any width.
        public init(_ value: some BinaryInteger) { text = String(value) }

        /// A finite number, in the shortest digits that give it again; nil for NaN and the infinities.
        ///
        /// Whole numbers are written without `.0`, as JavaScript and `JSONEncoder` do.
        public init?(_ value: some BinaryFloatingPoint & LosslessStringConvertible) {
            guard value.isFinite else { return nil }
            let digits = String(value)
            text = digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits
        }

        /// A decimal number, every digit of it; nil for NaN.
        public init?(_ value: Decimal) {
            guard !value.isNaN else { return nil }
            text = value.description
        }

        /// A number as text, such as `"0.10"`; nil unless it is one by the grammar of RFC 8259, section 6.
        public init?(text: String) {
            guard case .number(let number)? = try? JSON(parsing: text), number.text.utf8.count == text.utf8.count else {
                return nil
            }
            self = number
        }
    }
}

extension JSON.Number {
    /// The value as an `Int`; nil when it has a fraction or does not fit. `1.0` and `1e2` are whole.
    public var int: Int? { integer() }

    /// The value as an `Int64`; nil when it has a fraction or does not fit.
    public var int64: Int64? { integer() }

    /// The value as a `UInt64`; nil when it has a fraction, is negative or does not fit.
    public var uint64: UInt64? { integer() }

    /// The nearest `Double`; nil beyond its range, such as `1e400`.
    ///
    /// This is the one reading that rounds, since 0.1 itself is no exact `Double`: use ``decimal`` for money.
    public var double: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// The value as a `Decimal`; nil unless it holds every digit: 38 of them, times 10 to the power of -128 to 127.
    public var decimal: Decimal? {
        // Decimal(string:) rounds in silence what it cannot hold, so what it made is written and compared.
        guard let scientific, scientific.digits.count <= 39, (-200...200).contains(scientific.exponent),
            let value = Decimal(string: scientific.text, locale: nil), JSON.Number(value) == self
        else { return nil }
        return value
    }

    private func integer<Integer: FixedWidthInteger>() -> Integer? {
        if let value = Integer(text) { return value }
        guard let scientific, scientific.exponent >= 0,
            scientific.digits.count + scientific.exponent <= Integer.bitWidth
        else { return nil }
        return Integer(scientific.significand + String(repeating: "0", count: scientific.exponent))
    }
}

extension JSON.Number: Hashable {
    /// Equal when the values are, however they are written.
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
    /// A whole number.
    public init(integerLiteral value: Int) { self.init(value) }
}

extension JSON.Number: CustomStringConvertible {
    /// The number as it was written.
    public var description: String { text }
}
