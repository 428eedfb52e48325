import HalyardHTTP

/// Dates that decide how long a response is fresh. They are read more strictly than others: a date in another format
/// than the three of RFC 9110 section 5.6.7 means that the response is stale.
enum CacheDate {
    /// The formats: `0` is a digit, and `a` a letter.
    private static let formats = [
        "aaa, 00 aaa 0000 00:00:00 aaa", "aaa aaa 00 00:00:00 0000", "aaa aaa  0 00:00:00 0000",
    ]
    /// The end of a date of RFC 850, which has the whole name of the day.
    private static let obsoleteEnd = "aaaaaa, 00-aaa-00 00:00:00 aaa"

    /// Returns the seconds since 1970 of a date. `nil` for any other text. Case is ignored.
    static func seconds(_ text: String) -> Double? {
        let isKnown =
            formats.contains { has(text.utf8[...], $0) }
            || has(text.utf8.suffix(obsoleteEnd.utf8.count), obsoleteEnd)
        return isKnown ? HTTPDate.seconds(text).map(Double.init) : nil
    }

    private static func has(_ text: Substring.UTF8View, _ format: String) -> Bool {
        text.count == format.utf8.count
            && zip(text, format.utf8).allSatisfy { byte, wanted in
                switch wanted {
                case UInt8(ascii: "0"): ASCIISet.digits.contains(byte)
                case UInt8(ascii: "a"): ASCIISet.upperCase.contains(byte & ~0x20)
                default: byte == wanted
                }
            }
    }
}
