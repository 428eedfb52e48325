import HalyardFoundation
import HalyardHTTP

/// Splits bytes into lines. A byte order mark at the start is no part of the first one.
struct LineSplitter {
    private var bytes: [UInt8] = []
    /// The start of the next line, and the end of the bytes that were searched for a separator.
    private var start = 0
    private var searched = 0

    /// Whether a byte order mark may follow.
    private var isAtStart = true

    init() {}

    /// The number of bytes of an incomplete line. A CR at its end may belong to the line break, and does not count.
    var pending: Int {
        guard start < bytes.count else { return 0 }
        return line(to: bytes.count).count
    }

    /// Appends bytes.
    mutating func append(_ chunk: Data) {
        bytes.removeSubrange(..<start)
        searched -= start
        start = 0
        bytes.append(contentsOf: chunk)
        if isAtStart { skipByteOrderMark() }
    }

    private mutating func skipByteOrderMark() {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if bytes.starts(with: mark) { (start, searched) = (mark.count, mark.count) }
        isAtStart = bytes.count < mark.count && mark.starts(with: bytes)
    }

    /// Returns the next complete line, without LF or CR LF; `nil` if there is none.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
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
