// Secrets are found even when they are escaped for JSON, HTML or a URL, or for one of these inside another.
extension Redaction {
    /// The bytes of a text, or of the text with its escapes decoded. `starts` maps each byte to its position in the
    /// original.
    struct DecodedText {
        var bytes: [UInt8]
        /// The position of each byte in the original; the last element is the length of the original.
        var starts: [Int]

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            starts = Array(0...bytes.count)
        }

        /// The range of the original that some of these bytes come from.
        func source(of range: Range<Int>) -> Range<Int> { starts[range.lowerBound]..<starts[range.upperBound] }
    }

    /// Returns a text and its decoded forms that differ.
    static func decodedTexts(of text: [UInt8]) -> [DecodedText] {
        var texts = [DecodedText(text)]
        var last = texts
        // One inside another: a URL in JSON, JSON in a URL's query.
        for _ in 0..<2 {
            last = last.flatMap { text in [Escapes.json, .html, .percent].compactMap { text.undoing($0) } }
            texts += last
        }
        return texts
    }

    /// A way to escape characters.
    enum Escapes {
        case json, html, percent

        fileprivate func mayOccur(in bytes: [UInt8]) -> Bool {
            switch self {
            case .json: bytes.contains(UInt8(ascii: "\\"))
            case .html: bytes.contains(UInt8(ascii: "&")) && bytes.contains(UInt8(ascii: ";"))
            case .percent: bytes.contains(UInt8(ascii: "%")) || bytes.contains(UInt8(ascii: "+"))
            }
        }

        /// Returns the bytes that an escape at the start of a text means, and its length; `nil` when there is none.
        fileprivate func escape(at rest: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
            switch (self, rest.first) {
            case (.json, UInt8(ascii: "\\")): Self.jsonEscape(rest)
            case (.html, UInt8(ascii: "&")): Self.entity(rest)
            case (.percent, UInt8(ascii: "+")): ([UInt8(ascii: " ")], 1)
            case (.percent, UInt8(ascii: "%")): rest.dropFirst().hexValue(ofFirst: 2).map { ([UInt8($0)], 3) }
            default: nil
            }
        }

        /// Escapes of strings (RFC 8259 section 7).
        private static func jsonEscape(_ rest: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
            let mark = rest.dropFirst()
            switch mark.first {
            case UInt8(ascii: "n"): return ([0x0A], 2)
            case UInt8(ascii: "r"): return ([0x0D], 2)
            case UInt8(ascii: "t"): return ([0x09], 2)
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return (Array(mark.prefix(1)), 2)
            case UInt8(ascii: "u"): break
            default: return nil
            }
            let digits = mark.dropFirst()
            guard let unit = digits.hexValue(ofFirst: 4) else { return nil }
            guard (0xD800..<0xDC00).contains(unit) else { return utf8(unit).map { ($0, 6) } }
            let second = digits.dropFirst(4)
            guard second.starts(with: "\\u".utf8), let low = second.dropFirst(2).hexValue(ofFirst: 4),
                (0xDC00..<0xE000).contains(low)
            else { return nil }
            return utf8(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)).map { ($0, 12) }
        }

        private static func utf8(_ scalar: UInt32) -> [UInt8]? { Unicode.Scalar(scalar).map { Array(String($0).utf8) } }

        private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

        private static func entity(_ rest: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
            let name = rest.dropFirst().prefix(8).prefix { $0 != UInt8(ascii: ";") }
            guard rest.dropFirst(name.count + 1).first == UInt8(ascii: ";") else { return nil }
            let text = String(decoding: name, as: UTF8.self).lowercased()
            if let character = entities[text] { return (Array(character.utf8), name.count + 2) }
            guard text.hasPrefix("#") else { return nil }
            let digits = text.dropFirst()
            let scalar = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return scalar.flatMap(utf8).map { ($0, name.count + 2) }
        }
    }
}

extension Redaction.DecodedText {
    /// Returns the text with its escapes decoded; `nil` when it has none.
    fileprivate func undoing(_ escapes: Redaction.Escapes) -> Self? {
        guard escapes.mayOccur(in: bytes) else { return nil }
        var text = self
        text.bytes.removeAll(keepingCapacity: true)
        text.starts.removeAll(keepingCapacity: true)
        var place = 0
        var isChanged = false
        while place < bytes.count {
            let escape = escapes.escape(at: bytes[place...])
            isChanged = isChanged || escape != nil
            for byte in escape?.bytes ?? [bytes[place]] {
                text.bytes.append(byte)
                text.starts.append(starts[place])
            }
            place += escape?.length ?? 1
        }
        text.starts.append(starts[bytes.count])
        return isChanged ? text : nil
    }
}
