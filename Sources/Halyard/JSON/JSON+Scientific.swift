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
