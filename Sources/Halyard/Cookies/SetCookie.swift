import HalyardFoundation
import HalyardHTTP

/// A `Set-Cookie` field (draft-ietf-httpbis-rfc6265bis section 5.6), parsed as leniently as browsers do. It accepts any
/// bytes and has no side effects.
struct SetCookie: Sendable, Hashable {
    static let attributeLimit = 1024

    var name, value: String
    /// The domain in lower case, without a leading dot. Empty if the field has none.
    var domain = ""
    /// The path, which begins with `/`. `nil` for the folder of the URL.
    var path: String?
    var expires: Date?
    /// The maximum age in seconds. It may be negative.
    var maxAge: Int?
    var isSecure = false
    var isHTTPOnly = false
    var sameSite: Cookie.SameSite?

    /// Returns `nil` for a field that must be ignored.
    init?(_ field: String) {
        let parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let pair = parts.first, CookieText.isPrintable(field) else { return nil }
        // Without `=` the whole text is the value.
        let (first, second) = Self.halves(pair)
        (name, value) = second.map { (first, $0) } ?? ("", first)
        guard CookieText.isValid(name, value) else { return nil }
        for part in parts.dropFirst() { take(part) }
    }

    private mutating func take(_ part: Substring.UTF8View) {
        let (name, text) = Self.halves(part)
        let value = text ?? ""
        guard value.utf8.count <= Self.attributeLimit else { return }
        switch name.lowercasedASCII {
        case "expires": expires = CookieDate.date(value) ?? expires
        case "max-age": maxAge = Self.seconds(value) ?? maxAge
        case "domain":
            domain = (value.utf8.first == UInt8(ascii: ".") ? String(value.dropFirst()) : value).lowercasedASCII
        case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite":
            sameSite = [.strict, .lax, .none].first { $0.rawValue.lowercasedASCII == value.lowercasedASCII }
        default: break
        }
    }

    /// Returns the texts before and after the first `=`, without blanks at their ends.
    private static func halves(_ part: Substring.UTF8View) -> (String, String?) {
        guard let sign = part.firstIndex(of: UInt8(ascii: "=")) else { return (trimmed(part), nil) }
        return (trimmed(part[..<sign]), trimmed(part[part.index(after: sign)...]))
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> String {
        String(decoding: bytes.trimmingBlanks, as: UTF8.self)
    }

    /// Parses `-` and digits. A number that is too large becomes the largest one.
    private static func seconds(_ text: String) -> Int? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard digits.consists(of: .digits) else { return nil }
        return Int(text) ?? (text.hasPrefix("-") ? .min : .max)
    }
}
