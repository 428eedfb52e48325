import HalyardHTTP

/// Writes arguments for a POSIX shell, which reproduces them byte by byte.
enum Shell {
    /// Returns one argument in single quotes (POSIX 2.2.2), in which only the quote itself is special.
    static func quoted(_ text: String) -> String {
        if text.consists(of: plain) { return text }
        // This works on scalars: a quote followed by a combining accent is one character.
        let escaped = text.unicodeScalars.reduce(into: "") { $0 += $1 == "'" ? #"'\''"# : String($1) }
        return "'\(escaped)'"
    }

    /// Returns a `printf` command for any bytes, in printable ASCII.
    static func printf(_ bytes: some Sequence<UInt8>) -> String {
        var format = ""
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "%"): format += "%%"
            case UInt8(ascii: "\\"): format += #"\\"#
            case UInt8(ascii: "\n"): format += #"\n"#
            // A hyphen at the start would begin an option.
            case UInt8(ascii: "-") where format.isEmpty: format += #"\055"#
            case 0x20..<0x7F where byte != UInt8(ascii: "'"): format.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 8)
                format += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }
        }
        return "printf '\(format)'"
    }

    private static let plain = ASCIISet.alphanumerics.union(ASCIISet("-_./:@%+,="))
}
