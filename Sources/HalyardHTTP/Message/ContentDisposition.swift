import HalyardFoundation

/// A parsed `Content-Disposition` (RFC 6266). It accepts any text.
struct ContentDisposition {
    private var parameters: [String: String] = [:]

    /// The file name; `nil` when there is none.
    var filename: String? {
        parameters["filename*"].flatMap(String.init(extendedValue:))
            ?? parameters["filename"].flatMap { $0.isEmpty ? nil : $0 }
    }

    init(_ field: String) {
        var rest = field.utf8[...]
        _ = rest.skip { $0 != UInt8(ascii: ";") }
        while rest.popFirst() != nil {
            _ = rest.skip(while: \.isBlank)
            let name = rest.skip { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst()
            let value = Self.value(&rest)
            let key = Substring(name.trimmingBlanks).lowercased()
            if parameters[key] == nil { parameters[key] = value }
            _ = rest.skip { $0 != UInt8(ascii: ";") }
        }
    }

    private static func value(_ rest: inout Substring.UTF8View) -> String {
        _ = rest.skip(while: \.isBlank)
        if let text = rest.popQuotedString() { return text }
        return String(Substring(rest.skip { $0 != UInt8(ascii: ";") }.trimmingBlanks))
    }
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

extension Substring.UTF8View {
    /// Removes and returns the bytes at the start that fit.
    fileprivate mutating func skip(while fits: (UInt8) -> Bool) -> Substring.UTF8View {
        let taken = prefix(while: fits)
        self = self[taken.endIndex...]
        return taken
    }
}
