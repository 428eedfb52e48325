import HalyardFoundation

extension HTTPHeaders {
    /// Whether a text can be the value of a field: it has no control characters.
    package static func isValidValue(_ text: String) -> Bool { problem(ofValue: text) == nil }

    /// Returns what is wrong with the value of a field, in words; `nil` for a valid one.
    static func problem(ofValue value: String) -> String? {
        // The loop without branches uses vector instructions. It is enough for nearly all values.
        let isPlain = value.utf8.withContiguousStorageIfAvailable { bytes in
            var unusual: UInt8 = 0
            for byte in bytes { unusual |= (byte < 0x20 ? 1 : 0) | (byte == 0x7F ? 1 : 0) }
            return unusual == 0
        }
        if isPlain == true { return nil }
        for byte in value.utf8 where (byte < 0x20 && byte != 0x09) || byte == 0x7F {
            let name = [0x0D: "a carriage return", 0x0A: "a line feed", 0x00: "NUL"][byte] ?? "a control character"
            return "its value contains \(name)"
        }
        return nil
    }

    /// The media type of Content-Type in lower case, without parameters; `nil` when there is none.
    package var mediaType: String? {
        guard let type = self[.contentType]?.mediaType, !type.isEmpty else { return nil }
        return type
    }

    /// The length of the body that `Content-Length` states; `nil` if there is none. Equal lengths are one (RFC 9112
    /// section 6.3). With different ones, or one that is not a number, the end of the body is unknown. Throws
    /// ``HTTPError`` of kind `invalidResponse`.
    package func statedLength() throws(HTTPError) -> Int64? {
        var length: Int64?
        for field in self where field.name.rawValue.utf8.count == 14 && field.name == .contentLength {
            if length == nil, let number = Int64(digits: field.value) {
                length = number
                continue
            }
            for item in field.value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                guard let number = Int64(digits: Substring(item.trimmingBlanks)) else {
                    throw HTTPError(.invalidResponse, reason: "its Content-Length is not a number")
                }
                guard length ?? number == number else {
                    throw HTTPError(.invalidResponse, reason: "its Content-Length fields differ")
                }
                length = number
            }
        }
        return length
    }

    /// The members of all lists of a name (RFC 9110 section 5.6.1), in lower case and without blanks.
    package func list(_ name: String) -> [String] {
        values(for: name).flatMap { $0.split(separator: ",") }.map(\.lowercasedWithoutBlanks).filter { !$0.isEmpty }
    }

    /// The codings of the body (RFC 9110 section 8.4) in lower case, in the order in which they were applied.
    ///
    /// `identity` is omitted, because it is not a coding, and so is `none`, which some servers send instead.
    package var contentCodings: [String] {
        guard contains("Content-Encoding") else { return [] }
        return values(for: "Content-Encoding").flatMap(Self.codings)
    }

    /// The codings that a field value lists, in lower case, without `identity` and `none`.
    package static func codings(_ list: String) -> [String] {
        list.split(separator: ",").map(\.lowercasedWithoutBlanks)
            .filter { !$0.isEmpty && $0 != "identity" && $0 != "none" }
    }

    /// The target of a redirect (RFC 9110 section 15.4); `nil` when a response of this status is not one.
    package func redirection(of status: Int) -> String? {
        switch status {
        case 301, 302, 303, 307, 308: values(for: "Location").first
        default: nil
        }
    }
}

extension StringProtocol {
    /// The media type of a field value in lower case, without parameters and blanks.
    package var mediaType: String { String(prefix { $0 != ";" }).lowercasedWithoutBlanks }

    fileprivate var lowercasedWithoutBlanks: String { String(self).filter { $0 != " " && $0 != "\t" }.lowercased() }
}

extension HTTPHeaders: CustomStringConvertible {
    /// The names of the headers: `[Accept, Authorization]`. Values are omitted because they could be secrets.
    public var description: String { "[\(map(\.name.rawValue).joined(separator: ", "))]" }
}

extension HTTPHeaders: SafelyDescribed {}

extension HTTPHeaders.Field: CustomStringConvertible {
    /// The name of the header. The value is omitted because it could be a secret.
    public var description: String { name.rawValue }
}

extension HTTPHeaders.Field: SafelyDescribed {}

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
