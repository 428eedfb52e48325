import HalyardHTTP

/// The allowed text of cookies. It has no side effects.
enum CookieText {
    /// The maximum number of bytes of name and value together.
    static let sizeLimit = 4096

    /// Returns whether there are no control characters. A tab is allowed.
    static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    /// Returns whether name and value are not both empty, and not too long.
    static func isValid(_ name: String, _ value: String) -> Bool {
        let size = name.utf8.count + value.utf8.count
        return size > 0 && size <= sizeLimit && isPrintable(name) && isPrintable(value)
    }

    static func isTrimmed(_ text: String) -> Bool {
        ![text.utf8.first, text.utf8.last].contains { $0?.isBlank ?? false }
    }
}

extension String {
    /// The text with ASCII letters in lower case. Other letters are not changed.
    var lowercasedASCII: String { String(decoding: utf8.map(\.lowercasedASCII), as: UTF8.self) }
}
