import HalyardFoundation

/// The bytes of a body that have arrived and that a parser still needs. A byte has its place in the body, from 0.
struct ByteWindow {
    private var bytes: [UInt8] = []
    /// The place of the first byte that is kept.
    private var start = 0
    /// Whether the bytes may be the start of a byte order mark. They cannot be read then.
    private var mayBeMark: Bool
    /// The end of the bytes that ``find(_:)`` has searched.
    private var searched = 0

    /// The place of the next byte to read.
    var position = 0
    /// The place after the last byte that can be read.
    private(set) var end = 0

    /// - Parameter skipsMark: Whether a byte order mark at the start of the body is skipped.
    init(skipsMark: Bool) { mayBeMark = skipsMark }

    /// Appends a chunk, and drops the bytes before a place, or those that were read.
    mutating func append(_ chunk: Data, keepingFrom place: Int? = nil) {
        let kept = place ?? position
        bytes.removeSubrange(..<(kept - start))
        start = kept
        bytes.append(contentsOf: chunk)
        if mayBeMark { checkMark() }
        if !mayBeMark { end = start + bytes.count }
    }

    private mutating func checkMark() {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if bytes.starts(with: mark) { position = mark.count }
        mayBeMark = bytes.count < mark.count && mark.starts(with: bytes)
    }

    /// Shows the start of a byte order mark that is not complete: no more bytes follow.
    mutating func finish() {
        mayBeMark = false
        end = start + bytes.count
    }

    subscript(place: Int) -> UInt8 { bytes[place - start] }

    subscript(places: Range<Int>) -> ArraySlice<UInt8> {
        bytes[(places.lowerBound - start)..<(places.upperBound - start)]
    }

    /// Returns the place of the next byte of a kind. Bytes are searched once.
    @inline(__always)
    mutating func find(_ isFound: (UInt8) -> Bool) -> Int? {
        let first = max(searched, position)
        guard first < end else { return nil }
        let offset = withBytes(from: first) { $0.firstIndex(where: isFound) }
        searched = offset.map { first + $0 } ?? end
        return offset.map { first + $0 }
    }

    /// Reads the bytes from a place up to another one, or up to the end.
    @inline(__always)
    func withBytes<Value>(from first: Int, to last: Int? = nil, _ read: (UnsafeBufferPointer<UInt8>) -> Value) -> Value
    {
        bytes.withUnsafeBufferPointer { bytes in
            read(UnsafeBufferPointer(rebasing: bytes[(first - start)..<((last ?? end) - start)]))
        }
    }
}
