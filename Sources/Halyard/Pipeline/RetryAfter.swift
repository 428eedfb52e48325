package import HalyardFoundation
import HalyardHTTP

/// What a server asks for with `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date in one of the three forms of
/// section 5.6.7. Fractions of a second, which some servers send, are rounded up.
package enum RetryAfter {
    /// Returns the delay that a server asks for. `nil` for no field, or one that is neither a number nor a date. A date
    /// in the past gives zero. The maximum is one year.
    ///
    /// A date is one of the server's clock, which the response's `Date` shows: that of this machine may be wrong.
    package static func delay(_ headers: HTTPHeaders, now: Date) -> Duration? {
        guard let text = headers[.retryAfter] else { return nil }
        let (seconds, rest) = leadingSeconds(text)
        if let seconds, rest.isEmpty { return .seconds(seconds) }
        guard let date = HTTPDate.seconds(text) else { return nil }
        let sent = headers["Date"].flatMap(HTTPDate.seconds).map(Double.init) ?? now.timeIntervalSince1970
        return .seconds(max(0, min(Double(date) - sent, Double(longest))))
    }

    /// Returns the delay that text may mean that is not valid: `120s` or `7, 8`. The request is not sent sooner.
    static func suspectedDelay(_ text: String) -> Duration { .seconds(leadingSeconds(text).seconds ?? 0) }

    private static let longest = 365 * 24 * 3600

    /// Reads a number at the start of a text, and returns it with the rest of the text.
    private static func leadingSeconds(_ text: String) -> (seconds: Int?, rest: Substring.UTF8View) {
        let digits = text.utf8.prefix(while: ASCIISet.digits.contains)
        guard !digits.isEmpty else { return (nil, text.utf8[...]) }
        let whole = min(Int(Substring(digits)) ?? .max, longest)
        var rest = text.utf8[digits.endIndex...]
        guard rest.first == UInt8(ascii: ".") else { return (whole, rest) }
        let fraction = rest.dropFirst().prefix(while: ASCIISet.digits.contains)
        guard !fraction.isEmpty else { return (whole, rest) }
        rest = rest[fraction.endIndex...]
        return (fraction.allSatisfy { $0 == UInt8(ascii: "0") } ? whole : min(whole + 1, longest), rest)
    }
}
