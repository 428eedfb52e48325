import HalyardFoundation
import HalyardSystem

/// The bytes of a body that are collected in memory.
struct CollectedBody: Sendable {
    /// Memory for bodies of at least this length is prepared in pieces of this size, ahead of the bytes. Otherwise the
    /// system prepares each page of 4 KiB when it is first written, which takes longer than copying the bytes.
    private static let pieceSize = 256 << 10

    /// The bytes. They are followed by memory without a value if it was reserved for more.
    private var storage = Data()
    private(set) var count = 0
    /// The number of bytes in ``storage`` whose memory is prepared. The maximum means that nothing has to be prepared.
    private var preparedCount = Int.max

    /// The bytes that have arrived.
    var data: Data { storage.count == count ? storage : storage.prefix(count) }

    /// Appends bytes.
    ///
    /// - Parameters:
    ///   - expected: The announced length of the whole body; 0 if it is not known. Memory that is reserved and never
    ///     written costs nothing.
    mutating func append(_ bytes: UnsafeRawBufferPointer, expecting expected: Int) {
        defer { count += bytes.count }
        if count == 0 {
            if bytes.count >= expected {
                storage = Data(bytes)  // Most bodies arrive in one piece.
                return
            }
            reserve(expected)
        }
        guard storage.count - count >= bytes.count else {
            if storage.count > count { storage.removeSubrange(count...) }
            return storage.append(contentsOf: bytes)
        }
        let (offset, end) = (count, count + bytes.count)
        storage.withUnsafeMutableBytes { storage in
            if end > preparedCount {
                preparedCount = min(end + Self.pieceSize, storage.count)
                Self.prepare(UnsafeMutableRawBufferPointer(rebasing: storage[offset..<preparedCount]))
            }
            UnsafeMutableRawBufferPointer(rebasing: storage[offset...]).copyMemory(from: bytes)
        }
    }

    private mutating func reserve(_ length: Int) {
        guard length >= Self.pieceSize else { return storage.reserveCapacity(length) }
        guard let memory = malloc(length) else { return }  // The memory then grows with the bytes that arrive.
        storage = Data(bytesNoCopy: memory, count: length, deallocator: .free)
        preparedCount = 0
    }

    /// Lets the system prepare the pages of memory that is about to be written. It has no other effect.
    private static func prepare(_ memory: UnsafeMutableRawBufferPointer) {
        #if os(Linux)
            guard let start = memory.baseAddress else { return }
            let pageSize = Int(sysconf(CInt(_SC_PAGESIZE)))
            let skipped = -Int(bitPattern: start) & (pageSize - 1)
            // MADV_POPULATE_WRITE, since Linux 5.14. An older system refuses it, which changes nothing.
            if memory.count > skipped { _ = madvise(start + skipped, memory.count - skipped, 23) }
        #endif
    }
}
