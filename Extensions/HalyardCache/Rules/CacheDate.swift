import HalyardHTTP

/// Dates that decide how long a response is fresh. They are read more strictly than others: a date in another format
/// than the three of RFC 9110 section 5.6.7 means that the response is stale.
enum CacheDate {
    /// Returns the seconds since 1970 of a date. `nil` for any other text. Case is ignored.
    static func seconds(_ text: String) -> Double? {
        if isPreferred(text) { return HTTPDate.seconds(text).map(Double.init) }
        let pattern = String(
            decoding: text.utf8.map { byte in
                ASCIISet.digits.contains(byte)
                    ? UInt8(ascii: "0") : ASCIISet.alphanumerics.contains(byte) ? UInt8(ascii: "a") : byte
            }, as: UTF8.self)
        let isKnown =
            switch pattern {
            case "aaa, 00 aaa 0000 00:00:00 aaa", "aaa aaa 00 00:00:00 0000", "aaa aaa  0 00:00:00 0000": true
            // RFC 850 has the whole name of the day.
            default: pattern.hasSuffix("aaaaaa, 00-aaa-00 00:00:00 aaa")
            }
        guard isKnown else { return nil }
        // Names with a capital, and the time zone in capitals.
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word -> String in
            word.lowercased() == "gmt"
                ? "GMT"
                : word.split(separator: "-", omittingEmptySubsequences: false).map(\.capitalizedASCII)
                    .joined(separator: "-")
        }
        return HTTPDate.seconds(words.joined(separator: " ")).map(Double.init)
    }

    /// Whether a text has the format that nearly all servers send, with its capitals.
    private static func isPreferred(_ text: String) -> Bool {
        let pattern = "Aaa, 00 Aaa 0000 00:00:00 GMT".utf8
        guard text.utf8.count == pattern.count else { return false }
        return zip(text.utf8, pattern).allSatisfy { byte, wanted in
            switch wanted {
            case UInt8(ascii: "0"): ASCIISet.digits.contains(byte)
            case UInt8(ascii: "A"): (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            case UInt8(ascii: "a"): (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            default: byte == wanted
            }
        }
    }
}

extension Substring {
    fileprivate var capitalizedASCII: String { prefix(1).uppercased() + dropFirst().lowercased() }
}
