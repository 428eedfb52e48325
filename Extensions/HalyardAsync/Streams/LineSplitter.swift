import HalyardFoundation
import HalyardHTTP

/// Splits bytes into lines, or into the records of another separator.
struct LineSplitter {
    /// The byte that ends a line.
    var separator = UInt8(ascii: "\n")
    private var bytes: [UInt8] = []
    /// The start of the next line, and the end of the bytes that were searched for a separator.
    private var start = 0
    private var searched = 0

    init() {}

    /// The number of bytes of an incomplete line.
    var pending: Int { bytes.count - start }

    /// The first byte that no line has contained yet. `nil` if there is none.
    var first: UInt8? { start < bytes.count ? bytes[start] : nil }

    /// Appends bytes.
    mutating func append(_ chunk: Data) {
        bytes.removeSubrange(..<start)
        searched -= start
        start = 0
        bytes.append(contentsOf: chunk)
    }

    /// Returns the next complete line, without LF or CR LF; `nil` if there is none.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let end = bytes[searched...].firstIndex(of: separator) else {
            searched = bytes.count
            return nil
        }
        defer { (start, searched) = (end + 1, end + 1) }
        return line(to: end)
    }

    /// Returns the last line if it has no line break.
    mutating func finish() -> ArraySlice<UInt8>? {
        guard start < bytes.count else { return nil }
        defer { (start, searched) = (bytes.count, bytes.count) }
        return line(to: bytes.count)
    }

    private func line(to end: Int) -> ArraySlice<UInt8> {
        let hasReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
        return bytes[start..<(hasReturn ? end - 1 : end)]
    }
}
