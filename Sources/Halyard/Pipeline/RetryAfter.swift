package import HalyardFoundation
import HalyardHTTP

/// Parses `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date in one of the three forms of section 5.6.7. It
/// has no side effects.
package enum RetryAfter {
    /// Returns the delay that a server asks for. `nil` for invalid text. A date in the past gives zero. The maximum is
    /// one year.
    package static func delay(_ text: String, now: Date) -> Duration? {
        if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return .seconds(min(Int(text) ?? .max, longest))
        }
        guard let date = HTTPDate.seconds(text) else { return nil }
        let seconds = Double(date) - now.timeIntervalSince1970
        return .seconds(max(0, min(seconds, Double(longest))))
    }

    private static let longest = 365 * 24 * 3600
}
