import HalyardFoundation
import HalyardHTTP

/// Reads a `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date in one of the three forms of section 5.6.7. Pure.
enum RetryAfter {
    /// How long it asks to wait; nil for what is neither. A date that has passed means now. A wait that no one could
    /// outlive is a year.
    static func delay(_ text: String, now: Date) -> Duration? {
        if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return .seconds(min(Int(text) ?? .max, longest))
        }
        guard let date = HTTPDate.seconds(text) else { return nil }
        let seconds = Double(date) - now.timeIntervalSince1970
        return .seconds(max(0, min(seconds, Double(longest))))
    }

    private static let longest = 365 * 24 * 3600
}
