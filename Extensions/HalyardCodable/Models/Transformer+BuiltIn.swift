import Halyard
public import HalyardFoundation

extension Transformer where Value == Date {
    /// Text by ISO 8601, `2030-01-31T14:02:03Z`: read with or without fractions of a second, written with milliseconds
    /// where there are some.
    ///
    /// Text without a time zone is an error: see ``iso8601(assuming:)``.
    public static var iso8601: Transformer { iso8601(nil) }

    /// The same, read in a time zone where the text names none, as in `2030-01-31T14:02:03.123456`. Dates are written in
    /// UTC.
    ///
    /// - Parameter zone: the zone that the API means, `.gmt` most often.
    public static func iso8601(assuming zone: TimeZone) -> Transformer { iso8601(zone) }

    private static func iso8601(_ zone: TimeZone?) -> Transformer {
        Transformer("a Date, as text by ISO 8601") {
            if let date = Date(iso8601: $0, assuming: zone) { return date }
            if Date(iso8601: $0, assuming: .gmt) != nil { throw DateWithoutZone() }
            return nil
        } to: { date in
            let hasFraction = (date.timeIntervalSince1970 * 1000).rounded().remainder(dividingBy: 1000) != 0
            return try (hasFraction ? DatePattern.iso8601Fractional : .iso8601).text(date)
        }
    }

    /// Text by a pattern, in UTC unless the text says a zone, with English names, on a clock of 24 hours.
    ///
    /// ```swift
    /// .init(\.born, "born", using: .format("yyyy-MM-dd"))
    /// .init(\.seen, "seen", using: .format("EEE, dd MMM yyyy HH:mm:ss 'GMT'"))
    /// ```
    ///
    /// The letters are those of Unicode's date patterns: `yyyy`, `M` to `MMM`, `d`, `H`, `m`, `s` once or twice, `S` for
    /// digits of a fraction, `EEE`, and for the zone `Z` (`+0000`), `XXX` (`Z` or `+00:00`) and `xxx`. Others stand in
    /// quotes. `h`, of 12 hours, is an error of every date: it is `H` that was meant.
    public static func format(_ pattern: String) -> Transformer {
        let dates = DatePattern(pattern)
        return Transformer("a Date, as text by \"\(pattern)\"") {
            try dates.date($0)
        } to: {
            try dates.text($0)
        }
    }

    /// Milliseconds since 1970, written as a whole number.
    public static var millisecondsSince1970: Transformer {
        Transformer("a Date, as milliseconds since 1970") { (number: Double) in
            Date(timeIntervalSince1970: number / 1000)
        } to: { date in
            let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
            guard let whole = Int64(exactly: milliseconds) else { throw DatePattern.Failure.tooFar }
            return Double(whole)
        }
    }

    /// Seconds since 1970, with a fraction where there is one.
    public static var secondsSince1970: Transformer {
        Transformer("a Date, as seconds since 1970") {
            Date(timeIntervalSince1970: $0)
        } to: {
            $0.timeIntervalSince1970
        }
    }
}

extension Transformer where Value == Bool {
    /// One text for true, another for false: `.texts(true: "t", false: "f")`. Any other is an error.
    public static func texts(true yes: String, false no: String) -> Transformer {
        Transformer("a Bool, as \"\(yes)\" or \"\(no)\"") {
            $0 == yes ? true : $0 == no ? false : nil
        } to: {
            $0 ? yes : no
        }
    }
}

extension Transformer where Value == Data {
    /// Text in base64, by RFC 4648, section 4, whatever a decoder of one's own says of data.
    public static var base64: Transformer {
        Transformer("Data, as text in base64") {
            Data(base64Encoded: $0)
        } to: {
            $0.base64EncodedString()
        }
    }
}

extension Transformer where Value == URL {
    /// A URL that stands as RFC 3986 has it. `a string with spaces` is an error, where Foundation alone would escape it.
    public static var strict: Transformer {
        Transformer("a URL, with nothing left to escape") {
            $0.isURL ? URL(string: $0) : nil
        } to: {
            $0.absoluteString
        }
    }
}

extension String {
    /// Whether all its bytes may stand in a URL (RFC 3986, section 2), and each percent sign has its two digits.
    fileprivate var isURL: Bool {
        var digits = 0
        for byte in utf8 {
            let letter = Character(Unicode.Scalar(byte))
            if digits > 0 {
                guard letter.isHexDigit else { return false }
                digits -= 1
            } else if letter == "%" {
                digits = 2
            } else {
                guard byte < 0x80, letter.isLetter || letter.isNumber || "-._~:/?#[]@!$&'()*+,;=".contains(letter)
                else { return false }
            }
        }
        return digits == 0 && !isEmpty
    }
}
