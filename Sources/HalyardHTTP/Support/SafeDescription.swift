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
package protocol SafelyDescribed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension SafelyDescribed {
    /// The same as `description`.
    public var debugDescription: String { description }
    /// A mirror that shows only the `description`.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The redacted form of a URL, as errors show it.
package enum RedactedAddress {
    /// Returns a URL without its query, fragment, user and password, even if the text is not a valid URL.
    package static func of(_ url: String) -> String {
        if let place = doubtfulHost(in: url) { return address(after: place, of: url) }
        // Compared by bytes: `?` with a combining accent is one character, which is not equal to `?`.
        let shown = Substring(url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        let separator = shown.utf8.firstRange(of: "://".utf8)
        let start = separator?.upperBound ?? shown.startIndex
        let authority = Substring(shown[start...].utf8.prefix { $0 != UInt8(ascii: "/") })
        let colon = authority.hasPrefix("[") ? nil : authority.utf8.firstIndex(of: UInt8(ascii: ":"))

        let isPlain = colon.map { authority[$0...].utf8.dropFirst().allSatisfy(ASCIISet.digits.contains) } ?? true
        if separator != nil && isPlain && !authority.utf8.contains(UInt8(ascii: "@")) { return String(shown) }
        if let at = shown[start...].utf8.lastIndex(of: UInt8(ascii: "@")) {
            return "\(shown[..<start])\(shown[shown.utf8.index(after: at)...])"
        }
        // The text after the colon may be the start of a password that contains a `?`.
        guard separator != nil, let colon else { return String(shown) }
        return "\(shown[..<colon])..."
    }

    /// Returns where the host may start in a text that is not a valid URL: after its last `@`, before which a password
    /// may be.
    static func doubtfulHost(in url: String, isWhole: Bool = false) -> String.Index? {
        guard let at = url.utf8.lastIndex(of: UInt8(ascii: "@")), url.utf8[..<at].contains(UInt8(ascii: ":")) else {
            return nil
        }
        let isPath = url.utf8.first == UInt8(ascii: "/") && !"/\\".utf8.contains(url.utf8.dropFirst().first ?? 0)
        if isPath { return nil }
        if let separator = url.utf8.firstRange(of: "://".utf8) {
            let authority = url.utf8[separator.upperBound...].prefix { !"/?#".utf8.contains($0) }
            // Does not use `Origin`, whose error calls this function.
            let port = authority.drop { $0 != UInt8(ascii: ":") }.dropFirst()
            let isPlain =
                authority.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "@") && $0 != UInt8(ascii: "\\") }
                && (authority.first == UInt8(ascii: "[") || port.allSatisfy(ASCIISet.digits.contains))
            if !authority.isEmpty, isPlain || !isWhole { return nil }
        }
        return url.utf8.index(after: at)
    }

    private static func address(after place: String.Index, of url: String) -> String {
        String(Substring(url[place...].utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }))
    }
}
