import HalyardFoundation
import HalyardHTTP

/// A `Range` with one range of bytes (RFC 9110 section 14.1.2).
struct ByteRange: Sendable, Equatable {
    /// The first byte. `nil` for a suffix: ``last`` is then its length.
    let first: Int64?
    let last: Int64?

    /// Reads a value. Returns `nil` for several ranges, for another unit, and for a range that is not possible.
    init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let ends = parts[1].filter { $0 != " " }.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        (first, last) = (Int64(digits: ends[0]), Int64(digits: ends[1]))
        guard (first != nil) == !ends[0].isEmpty, (last != nil) == !ends[1].isEmpty else { return nil }
        switch (first, last) {
        case (nil, nil), (nil, 0?): return nil
        case (let first?, let last?) where first > last: return nil
        default: break
        }
    }

    /// Returns the positions of the bytes in a body of a length. `nil` if the body has none of them.
    func resolved(_ length: Int64) -> Range<Int64>? {
        guard let first else { return max(0, length - (last ?? 0))..<length }
        guard first < length else { return nil }
        return first..<min(length, (last ?? length - 1) + 1)
    }
}

extension StoredResponse {
    /// The length of the whole body. `nil` if it is not known.
    private var wholeLength: Int64? { range.map(\.total) ?? Int64(body.count) }

    /// Returns where the bytes of a request are in the stored body.
    ///
    /// - Returns: The positions in the stored body, and the value of `Content-Range`. `nil` if the stored body does not
    ///   have all the bytes.
    func slice(_ wanted: ByteRange) -> (bytes: Range<Int>, contentRange: String)? {
        guard status == 200 || status == 206, let length = wholeLength, let range = wanted.resolved(length) else {
            return nil
        }
        let start = self.range?.first ?? 0
        guard range.lowerBound >= start, range.upperBound <= start + Int64(body.count), !range.isEmpty else {
            return nil
        }
        return (
            Int(range.lowerBound - start)..<Int(range.upperBound - start),
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
        )
    }
}
