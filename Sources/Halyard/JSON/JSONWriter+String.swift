extension JSONWriter {
    /// Appends a string in quotes, with only the escapes that RFC 8259 section 7 requires.
    static func appendQuoted(_ string: String, to buffer: inout [UInt8]) {
        var string = string
        buffer.append(UInt8(ascii: "\""))
        string.withUTF8 { bytes in
            var run = 0
            for (position, byte) in bytes.enumerated() where needsEscape(byte) {
                buffer.append(contentsOf: bytes[run..<position])
                appendEscape(of: byte, to: &buffer)
                run = position + 1
            }
            buffer.append(contentsOf: bytes[run...])
        }
        buffer.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func appendEscape(of byte: UInt8, to buffer: inout [UInt8]) {
        buffer.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): buffer.append(byte)
        case UInt8(ascii: "\n"): buffer.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): buffer.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): buffer.append(UInt8(ascii: "t"))
        case 0x08: buffer.append(UInt8(ascii: "b"))
        case 0x0C: buffer.append(UInt8(ascii: "f"))
        default:
            buffer.append(contentsOf: (byte < 0x10 ? "u000" : "u00").utf8)
            buffer.append(contentsOf: String(byte, radix: 16).utf8)
        }
    }
}
