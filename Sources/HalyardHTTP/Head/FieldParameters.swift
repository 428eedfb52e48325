import HalyardFoundation

/// The parameters of a field value (RFC 9110 section 5.6.6), as Content-Type and Content-Disposition have them:
/// `; name=value; name="value"`. It accepts any text.
package struct FieldParameters: Sendable {
    private var values: [String: String] = [:]

    /// Returns the value of a parameter. The first one of a name counts. `nil` if there is none.
    package subscript(name: String) -> String? { values[name] }

    /// Parses the parameters after the first semicolon.
    package init(_ field: String) {
        var rest = field.utf8[...]
        rest = rest.drop { $0 != UInt8(ascii: ";") }
        while rest.popFirst() != nil {
            let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            rest = rest[name.endIndex...]
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest.removeFirst()
            let value = rest.popParameterValue(before: .semicolon)
            let key = Substring(name.trimmingBlanks).lowercased()
            if values[key] == nil { values[key] = value }
            rest = rest.drop { $0 != UInt8(ascii: ";") }
        }
    }
}

extension ASCIISet {
    fileprivate static let semicolon = ASCIISet(";")
}

extension String {
    /// Decodes `charset'language'percent-encoded` (RFC 8187) for UTF-8 and ISO-8859-1. `nil` for another character set,
    /// and for bytes that are not valid in it.
    package init?(extendedValue text: String) {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = parts[2].utf8.percentDecoded()
        switch parts[0].lowercased() {
        case "utf-8": self.init(bytes: bytes, encoding: .utf8)
        case "iso-8859-1": self.init(bytes: bytes, encoding: .isoLatin1)
        default: return nil
        }
    }
}
