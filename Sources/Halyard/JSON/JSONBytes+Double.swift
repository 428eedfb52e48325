extension JSONBytes {
    /// Returns the nearest `Double` to a number. `nil` for a rare number that takes longer to read: one of more than 19
    /// digits, or with a large exponent.
    @inline(__always)
    func double(at start: Int, count: Int) -> Double? {
        let end = start + count
        var position = start
        let isNegative = self[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        // More than 19 digits may not fit the word. Zeros at the start are counted too, which only costs time.
        guard end - position <= 19 + 5 else { return nil }
        var (digits, digitCount, exponent): (UInt64, Int, Int) = (0, 0, 0)
        while position < end, self[position].isDigit {
            digits = digits &* 10 &+ UInt64(self[position] &- UInt8(ascii: "0"))
            (digitCount, position) = (digitCount + 1, position + 1)
        }
        if position < end, self[position] == UInt8(ascii: ".") {
            position += 1
            let point = position
            while position < end, self[position].isDigit {
                digits = digits &* 10 &+ UInt64(self[position] &- UInt8(ascii: "0"))
                position += 1
            }
            exponent = point - position
            digitCount -= exponent
        }
        guard digitCount <= 19 else { return nil }
        if position < end { exponent += self.exponent(from: position + 1, to: end) }
        guard let value = Self.double(digits, exponent) else { return nil }
        return isNegative ? -value : value
    }

    private func exponent(from start: Int, to end: Int) -> Int {
        var (position, value) = (start, 0)
        let isNegative = self[position] == UInt8(ascii: "-")
        if isNegative || self[position] == UInt8(ascii: "+") { position += 1 }
        while position < end {
            value = min(value * 10 + Int(self[position] - UInt8(ascii: "0")), 1000)
            position += 1
        }
        return isNegative ? -value : value
    }

    private static let exactPowers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// Returns the nearest `Double` to `digits` times 10 to the power of `exponent`. `nil` if the slow path is needed.
    @inline(__always)
    private static func double(_ digits: UInt64, _ exponent: Int) -> Double? {
        if digits < 1 << 53 {
            if exponent == 0 { return Double(digits) }
            // Both are exact, so that one operation rounds correctly (Clinger, How to read floating point numbers).
            if exponent < 0, exponent >= -22 { return Double(digits) / exactPowers[-exponent] }
            if exponent > 0, exponent <= 22 { return Double(digits) * exactPowers[exponent] }
        }
        return digits == 0 ? 0 : PowerOfFive.double(digits, exponent)
    }
}

/// The first 128 bits of a power of five.
///
/// They are what the algorithm of Eisel and Lemire needs to read nearly every number of up to 19 digits with one or two
/// multiplications (Lemire, Number Parsing at a Gigabyte per Second, 2021).
private struct PowerOfFive {
    var high: UInt64
    var low: UInt64

    private static let exponents = -54...55
    private static let all = exponents.map { PowerOfFive(exponent: $0) }

    private init(exponent: Int) {
        var power = PowerOfFive(high: 0, low: 1)
        for _ in 0..<abs(exponent) { power = power.timesFive }
        if exponent >= 0 {
            while power.high >> 63 == 0 { power = power.doubled }
            self = power
        } else {
            self = power.reciprocal
            // Up to here, the exact value needs rounding up.
            if exponent >= -27 { self = increased }
        }
    }

    private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    private var doubled: Self { Self(high: high << 1 | low >> 63, low: low << 1) }

    private var timesFive: Self {
        let product = low.multipliedFullWidth(by: 5)
        return Self(high: high * 5 + product.high, low: product.low)
    }

    private var increased: Self { Self(high: low == .max ? high + 1 : high, low: low &+ 1) }

    private func isBelow(_ other: Self) -> Bool { high < other.high || high == other.high && low < other.low }

    /// The first 128 bits of its reciprocal, by long division.
    private var reciprocal: Self {
        var (remainder, quotient) = (Self(high: 0, low: 1), Self(high: 0, low: 0))
        while quotient.high >> 63 == 0 {
            (remainder, quotient) = (remainder.doubled, quotient.doubled)
            guard !remainder.isBelow(self) else { continue }
            let (low, borrows) = remainder.low.subtractingReportingOverflow(self.low)
            remainder = Self(high: remainder.high - self.high - (borrows ? 1 : 0), low: low)
            quotient.low |= 1
        }
        return quotient
    }

    /// Returns the nearest `Double` to `digits` times 10 to the power of `exponent`. `nil` if this cannot tell.
    static func double(_ digits: UInt64, _ exponent: Int) -> Double? {
        guard exponents.contains(exponent) else { return nil }
        let power = all[exponent - exponents.lowerBound]
        let shift = digits.leadingZeroBitCount
        var (high, low) = (digits << UInt64(shift)).multipliedFullWidth(by: power.high)
        if high & 0x1FF == 0x1FF {
            let second = (digits << UInt64(shift)).multipliedFullWidth(by: power.low)
            let (sum, carries) = low.addingReportingOverflow(second.high)
            low = sum
            if carries { high += 1 }
        }
        guard low != .max || (-27...55).contains(exponent) else { return nil }
        let upper = Int(high >> 63)
        var significand = high >> UInt64(upper + 9)
        // 217706 / 65536 is the binary logarithm of 10.
        let biased = (217_706 * exponent) >> 16 + 63 + upper - shift + 1023
        guard biased > 0, biased < 0x7FE else { return nil }
        // Exactly between two values: the even one.
        if low <= 1, (-4...23).contains(exponent), significand & 3 == 1, significand << UInt64(upper + 9) == high {
            significand &= ~1
        }
        significand = (significand + (significand & 1)) >> 1
        let carries = significand >= 1 << 53
        return Double(
            sign: .plus, exponentBitPattern: UInt(biased + (carries ? 1 : 0)),
            significandBitPattern: carries ? 0 : significand & ~(1 << 52))
    }
}
