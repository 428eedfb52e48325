extension String {
    /// In quotes, line breaks, other control characters and what turns the direction of text spelt out, so that an
    /// input cannot forge a log line.
    package var quoted: String {
        String(unicodeScalars.prefix(200)).debugDescription.unicodeScalars.reduce(into: "") { text, scalar in
            let isShown = !scalar.breaksLines && scalar.properties.generalCategory != .format
            text += isShown ? String(scalar) : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }
}

extension String {
    /// The start of a text that came from elsewhere, in one line: control characters become blanks.
    package var inOneLine: String { inOneLine(500) }

    package func inOneLine(_ limit: Int) -> String {
        String(unicodeScalars.prefix(limit)).split { $0.unicodeScalars.contains(where: \.breaksLines) }
            .joined(separator: " ")
    }
}

extension Unicode.Scalar {
    /// Whether it is a line break or another control character: terminals and log files do more than show it.
    fileprivate var breaksLines: Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
}
