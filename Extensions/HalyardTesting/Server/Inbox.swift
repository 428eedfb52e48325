/// Bytes of a connection that were received and not used yet.
struct Inbox: Sendable {
    private var storage: [UInt8]
    private var start = 0
    private var end: Int

    init(_ bytes: [UInt8] = []) {
        end = bytes.count
        storage = bytes + [UInt8](repeating: 0, count: max(0, Self.capacity - bytes.count))
    }

    private static let capacity = 16 * 1024

    var count: Int { end - start }
    var isEmpty: Bool { start == end }
    var bytes: ArraySlice<UInt8> { storage[start..<end] }

    /// Removes the first bytes.
    mutating func consume(_ count: Int) { start += count }

    /// Takes a line without its end. Returns `nil` if the line is not complete.
    ///
    /// - Throws: ``MalformedRequest`` for a line of more than `limit` bytes, or one that ends in LF alone.
    mutating func line(limit: Int) throws(MalformedRequest) -> ArraySlice<UInt8>? {
        guard let lineFeed = bytes.firstIndex(of: .lineFeed) else {
            guard count <= limit else { throw MalformedRequest("a line is too long") }
            return nil
        }
        guard lineFeed > start, storage[lineFeed - 1] == .carriageReturn else {
            throw MalformedRequest("a line does not end in CR LF")
        }
        defer { start = lineFeed + 1 }
        return storage[start..<(lineFeed - 1)]
    }

    /// Appends bytes that `read` stores.
    ///
    /// - Returns: The result of `read`: the number of bytes.
    mutating func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        makeRoom()
        let room = end..<storage.count
        let count = storage.withUnsafeMutableBytes { read(UnsafeMutableRawBufferPointer(rebasing: $0[room])) }
        end += max(0, count)
        return count
    }

    private mutating func makeRoom() {
        if isEmpty { (start, end) = (0, 0) }
        guard end == storage.count else { return }
        if start > 0 {
            storage.replaceSubrange(0..<count, with: Array(bytes))
            (start, end) = (0, count)
        } else {
            storage.append(contentsOf: [UInt8](repeating: 0, count: storage.count))
        }
    }
}

extension UInt8 {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
}
