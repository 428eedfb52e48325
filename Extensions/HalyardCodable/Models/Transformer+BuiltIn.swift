import Halyard
public import HalyardFoundation

extension Transformer where Value == Date {
    /// Text in ISO 8601 format, such as `2030-01-31T14:02:03Z`. It is read with or without fractions of a second, and
    /// written with milliseconds if they are not zero.
    ///
    /// Text without a time zone is an error. See ``iso8601(assuming:)``.
    public static var iso8601: Transformer { iso8601(nil) }

    /// Returns a transformer for ISO 8601 text that may lack a time zone, such as `2030-01-31T14:02:03.123456`. Such
    /// text is read in `zone`, usually `.gmt`. Dates are written in UTC.
    public static func iso8601(assuming zone: TimeZone) -> Transformer { iso8601(zone) }

    private static func iso8601(_ zone: TimeZone?) -> Transformer {
        Transformer("a Date, as text in ISO 8601") {
            if let date = Date(iso8601: $0, assuming: zone) { return date }
            if Date(iso8601: $0, assuming: .gmt) != nil { throw DateWithoutZone() }
            return nil
        } encode: { date in
            let hasFraction = (date.timeIntervalSince1970 * 1000).rounded().remainder(dividingBy: 1000) != 0
            guard let text = date.iso8601Text(digits: hasFraction ? 3 : 0, rounded: .toNearestOrAwayFromZero) else {
                throw DatePattern.Failure.tooFar
            }
            return text
        }
    }

    /// Returns a transformer for a date format with English names and 24 hours, in UTC unless the text has a time zone.
    ///
    /// ```swift
    /// .init(\.born, "born", using: .format("yyyy-MM-dd"))
    /// .init(\.seen, "seen", using: .format("EEE, dd MMM yyyy HH:mm:ss 'GMT'"))
    /// ```
    ///
    /// The letters are those of Unicode date patterns (UTS 35): `yyyy`; `M` to `MMM`; `d`, `H`, `m` and `s` once or
    /// twice; one `S` for each digit of a fraction; `EEE`; and, for the time zone, `Z` (`+0000`), `XXX` (`Z` or
    /// `+00:00`) and `xxx`. Put other letters in quotes. With an invalid pattern, every date fails. `h`, the 12-hour
    /// clock, is invalid; use `H`.
    public static func format(_ pattern: String) -> Transformer {
        let dates = DatePattern(pattern)
        return Transformer("a Date, as text in the pattern \"\(pattern)\"") {
            try dates.date($0)
        } encode: {
            try dates.text($0)
        }
    }

    /// Milliseconds since 1970, written as a whole number.
    public static var millisecondsSince1970: Transformer {
        Transformer("a Date, as milliseconds since 1970") { (number: Double) in
            Date(timeIntervalSince1970: number / 1000)
        } encode: { date in
            let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
            guard let whole = Int64(exactly: milliseconds) else { throw DatePattern.Failure.tooFar }
            return Double(whole)
        }
    }

    /// Seconds since 1970, written with a fraction if it is not zero.
    public static var secondsSince1970: Transformer {
        Transformer("a Date, as seconds since 1970") {
            Date(timeIntervalSince1970: $0)
        } encode: {
            $0.timeIntervalSince1970
        }
    }
}

extension Transformer where Value == Bool {
    /// Maps one text to `true` and another to `false`: `.texts(true: "t", false: "f")`. Any other text is an error.
    public static func texts(true yes: String, false no: String) -> Transformer {
        Transformer("a Bool, as \"\(yes)\" or \"\(no)\"") {
            $0 == yes ? true : $0 == no ? false : nil
        } encode: {
            $0 ? yes : no
        }
    }
}

extension Transformer where Value == Data {
    /// Base64 text (RFC 4648 section 4). A decoder's own strategy for data does not apply.
    public static var base64: Transformer {
        Transformer("Data, as text in base64") {
            Data(base64Encoded: $0)
        } encode: {
            $0.base64EncodedString()
        }
    }
}

extension Transformer where Value == URL {
    /// A URL that is valid by RFC 3986. `a string with spaces` is an error, although Foundation alone would escape it.
    public static var strictURL: Transformer {
        Transformer("a URL without characters that need escaping") {
            $0.isURL ? URL(string: $0) : nil
        } encode: {
            $0.absoluteString
        }
    }
}

extension String {
    /// Whether all bytes are allowed in a URL (RFC 3986 section 2), and two hexadecimal digits follow each percent
    /// sign.
    fileprivate var isURL: Bool {
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard ASCIISet.urlCharacters.contains(byte) else { return false }
            if byte == UInt8(ascii: "%"), rest.hexValue(ofFirst: 2) == nil { return false }
        }
        return !isEmpty
    }
}
