import HalyardHTTP

/// What may stand in a cookie. Pure.
enum CookieText {
    /// Bytes of name and value together.
    static let sizeLimit = 4096

    /// Without control characters. A tab is none here.
    static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    /// Whether there is something, and not too much of it.
    static func canStand(_ name: String, _ value: String) -> Bool {
        let size = name.utf8.count + value.utf8.count
        return size > 0 && size <= sizeLimit && isPrintable(name) && isPrintable(value)
    }

    static func isTrimmed(_ text: String) -> Bool {
        ![text.utf8.first, text.utf8.last].contains { $0?.isBlank ?? false }
    }
}

extension String {
    /// ASCII letters alone: what Unicode calls lower case may be another text.
    var lowercasedASCII: String { String(decoding: utf8.map(\.lowercasedASCII), as: UTF8.self) }
}
