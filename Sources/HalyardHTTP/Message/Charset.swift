import CHalyardZlib
import HalyardFoundation

/// A character encoding, found by the labels of the Encoding standard (https://encoding.spec.whatwg.org).
///
/// UTF-8, UTF-16 and Windows-1252, which is also what the standard reads as ISO-8859-1 and US-ASCII, are read here. The
/// C library's iconv reads the others, and Foundation on Apple's systems. Bytes that are no character become U+FFFD.
package struct Charset: Sendable {
    private let name: String

    package static let utf8 = Charset(name: "UTF-8")
    static let utf16BigEndian = Charset(name: "UTF-16BE")
    static let utf16LittleEndian = Charset(name: "UTF-16LE")

    private init(name: String) { self.name = name }

    /// Finds the charset with a label. `nil` for one that the standard or the system does not know.
    init?(label: String) {
        guard let name = Self.names[label.lowercased()] else { return nil }
        self.name = name
        guard isBuiltIn || Converter(name) != nil else { return nil }
    }

    private var isBuiltIn: Bool {
        ["UTF-8", "UTF-16BE", "UTF-16LE", "windows-1252", "x-user-defined"].contains(name)
    }

    package func text(_ bytes: some RandomAccessCollection<UInt8>) -> String {
        switch name {
        case "UTF-8": return String(decoding: bytes, as: UTF8.self)
        case "UTF-16BE": return Self.utf16(bytes) { UInt16($0) << 8 | UInt16($1) }
        case "UTF-16LE": return Self.utf16(bytes) { UInt16($1) << 8 | UInt16($0) }
        case "windows-1252":
            return Self.scalars(bytes) { (0x80..<0xA0).contains($0) ? Self.windows1252[Int($0) - 0x80] : .init($0) }
        case "x-user-defined": return Self.scalars(bytes) { Unicode.Scalar(0xF700 + UInt16($0)) ?? "\u{FFFD}" }
        default: return Converter(name)?.text(Array(bytes)) ?? Self.ascii(bytes)
        }
    }

    /// Reads the ASCII of bytes in a charset that is not known.
    package static func ascii(_ bytes: some Collection<UInt8>) -> String { scalars(bytes) { _ in "\u{FFFD}" } }

    /// Makes a text of one scalar for each byte.
    private static func scalars(_ bytes: some Collection<UInt8>, _ other: (UInt8) -> Unicode.Scalar) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(byte < 0x80 ? Unicode.Scalar(byte) : other(byte)) }
        return String(text)
    }

    private static func utf16(
        _ bytes: some RandomAccessCollection<UInt8>, _ unit: (UInt8, UInt8) -> UInt16
    ) -> String {
        let bytes = Array(bytes)
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { unit(bytes[$0], bytes[$0 + 1]) }
        return String(decoding: units, as: UTF16.self) + (bytes.count.isMultiple(of: 2) ? "" : "\u{FFFD}")
    }

    private static let windows1252 = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
}

/// A conversion of the system.
private struct Converter: ~Copyable {
    private let name: String

    /// The Unicode scalar of a byte that the system does not know, but the standard: in the code pages of Windows the
    /// control characters, and the euro of GBK.
    private func scalar(_ byte: UInt8) -> Unicode.Scalar {
        switch (name, byte) {
        case ("GBK", 0x80), ("gb18030", 0x80): "€"
        case ("Shift_JIS", 0x80): "\u{80}"
        case (_, 0x80..<0xA0) where name.hasPrefix("windows-"): Unicode.Scalar(byte)
        default: "\u{FFFD}"
        }
    }

    #if canImport(Darwin)
        private let encoding: String.Encoding

        init?(_ name: String) {
            let text = CFStringCreateWithCString(nil, name, CFStringBuiltInEncodings.UTF8.rawValue)
            let code = CFStringConvertIANACharSetNameToEncoding(text)
            guard code != kCFStringEncodingInvalidId else { return nil }
            self.name = name
            encoding = String.Encoding(rawValue: CFStringConvertEncodingToNSStringEncoding(code))
        }

        /// Decodes all bytes, or else character by character.
        func text(_ bytes: [UInt8]) -> String {
            if let text = String(bytes: bytes, encoding: encoding) { return text }
            var (text, rest) = ("", bytes[...])
            while let first = rest.first {
                var (piece, length) = (String(scalar(first)), 1)
                for count in 1...min(4, rest.count) {
                    guard let found = String(bytes: rest.prefix(count), encoding: encoding) else { continue }
                    (piece, length) = (found, count)
                    break
                }
                text += piece
                rest = rest.dropFirst(length)
            }
            return text
        }
    #else
        private let charset: UnsafeMutableRawPointer

        init?(_ name: String) {
            let names = Charset.systemNames[name] ?? [name]
            guard let charset = names.lazy.compactMap({ halyard_charset_open($0) }).first else { return nil }
            (self.name, self.charset) = (name, charset)
        }

        deinit { halyard_charset_close(charset) }

        func text(_ bytes: [UInt8]) -> String {
            var (text, rest) = ([UInt8](), bytes[...])
            text.reserveCapacity(bytes.count * 2)
            while let first = rest.first {
                let (result, consumed) = rest.withUnsafeBytes { convert($0, into: &text) }
                rest = rest.dropFirst(consumed)
                guard result == HALYARD_CHARSET_INVALID || result == HALYARD_CHARSET_INCOMPLETE else { continue }
                _ = convert(nil, into: &text)
                text += String(scalar(rest.first ?? first)).utf8
                rest = result == HALYARD_CHARSET_INVALID ? rest.dropFirst() : []
            }
            // A character may wait for an accent to follow it.
            _ = convert(nil, into: &text)
            return String(decoding: text, as: UTF8.self)
        }

        private func convert(
            _ bytes: UnsafeRawBufferPointer?, into text: inout [UInt8]
        ) -> (halyard_charset_result, consumed: Int) {
            withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { room in
                var (consumed, produced) = (bytes?.count ?? 0, room.count)
                let result = halyard_charset_convert(
                    charset, bytes?.baseAddress, &consumed, room.baseAddress, &produced)
                text += room.prefix(produced)
                return (result, consumed)
            }
        }
    #endif
}
