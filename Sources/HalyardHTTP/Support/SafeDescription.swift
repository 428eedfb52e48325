// Descriptions that show no secret and cannot forge a log line.

extension String {
    /// The text in quotes, at most 200 scalars of it. Control characters and characters that change the direction of
    /// text are escaped, so that input cannot forge a log line.
    package var quoted: String {
        start(200).debugDescription.unicodeScalars.reduce(into: "") { text, scalar in
            let isShown = !scalar.breaksLines && scalar.properties.generalCategory != .format
            text += isShown ? String(scalar) : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }
}

extension String {
    /// The first 500 scalars in one line, with spaces in place of line breaks and control characters.
    package var inOneLine: String { inOneLine(500) }

    package func inOneLine(_ limit: Int) -> String {
        start(limit).split { $0.unicodeScalars.contains(where: \.breaksLines) }
            .joined(separator: " ")
    }
}

extension String {
    /// The first characters, whose scalars have at most a size in all. If the first character alone is larger, it is
    /// cut.
    package func start(_ limit: Int, counting size: (Unicode.Scalar) -> Int = { _ in 1 }) -> String {
        var (end, count) = (startIndex, 0)
        while end < endIndex {
            count += size(unicodeScalars[end])
            if count > limit { break }
            unicodeScalars.formIndex(after: &end)
        }
        let cut = String(self[..<end])
        let isWhole = prefix(cut.count).utf8.count == cut.utf8.count
        return isWhole || cut.count == 1 ? cut : String(cut.dropLast())
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a line break or another control character.
    fileprivate var breaksLines: Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
}

/// A type that `print`, `dump`, `String(reflecting:)`, debuggers and failures of tests show by its description alone,
/// because its fields may hold secrets.
public protocol SafelyDescribed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension SafelyDescribed {
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Shows the `description` alone.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
