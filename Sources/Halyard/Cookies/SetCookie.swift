import HalyardFoundation
import HalyardHTTP

/// What a `Set-Cookie` field says (draft-ietf-httpbis-rfc6265bis section 5.6): lenient, as browsers are. Pure, and for any
/// bytes.
struct SetCookie: Sendable, Hashable {
    static let attributeLimit = 1024

    var name, value: String
    /// Without a leading dot, in lower case; empty where it says nothing.
    var domain = ""
    /// Begins with `/`; nil stands for the folder of the URL that it came from.
    var path: String?
    var expires: Date?
    /// Seconds, and less than nothing.
    var maxAge: Int?
    var isSecure = false
    var isHTTPOnly = false
    var sameSite: Cookie.SameSite?

    /// Nil for a field that is to be ignored.
    init?(_ field: String) {
        let parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let pair = parts.first, CookieText.isPrintable(field) else { return nil }
        // Without `=` all of it is the value.
        let (first, second) = Self.halves(pair)
        (name, value) = second.map { (first, $0) } ?? ("", first)
        guard CookieText.canStand(name, value) else { return nil }
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

    /// What stands before and behind the first `=`, each without blanks at its ends.
    private static func halves(_ part: Substring.UTF8View) -> (String, String?) {
        guard let sign = part.firstIndex(of: UInt8(ascii: "=")) else { return (trimmed(part), nil) }
        return (trimmed(part[..<sign]), trimmed(part[part.index(after: sign)...]))
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> String {
        String(decoding: bytes.trimmingBlanks, as: UTF8.self)
    }

    /// `-` and digits. What is too large for a number is as good as the largest.
    private static func seconds(_ text: String) -> Int? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard digits.consists(of: .digits) else { return nil }
        return Int(text) ?? (text.hasPrefix("-") ? .min : .max)
    }
}
