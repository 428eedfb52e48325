import HalyardHTTP

/// Words of a line for a POSIX shell, which come out of it byte for byte as they went in.
enum Shell {
    /// One argument (POSIX 2.2.2: nothing is special between single quotes but their end).
    static func quoted(_ text: String) -> String {
        if text.consists(of: plain) { return text }
        // By scalars: a quote and an accent behind it are one character.
        let escaped = text.unicodeScalars.reduce(into: "") { $0 += $1 == "'" ? #"'\''"# : String($1) }
        return "'\(escaped)'"
    }

    /// A `printf` of any bytes at all, in printable ASCII.
    static func printf(_ bytes: some Sequence<UInt8>) -> String {
        var format = ""
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "%"): format += "%%"
            case UInt8(ascii: "\\"): format += #"\\"#
            case UInt8(ascii: "\n"): format += #"\n"#
            // The first could begin an option.
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
