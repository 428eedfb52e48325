import HalyardFoundation

/// A queue of bytes in chunks, which are handed out without a copy.
struct ChunkQueue: Sendable {
    private var chunks: [Data] = []
    /// The index of the first chunk. Chunks before it were taken.
    private var first = 0
    /// Gathers large pieces, behind the chunks.
    private var filling: ChunkBuffer?
    private var pool: ChunkPool?
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        count += bytes.count
        if let filling, filling.append(bytes) { return }
        seal()
        switch bytes.count {
        case ChunkBuffer.gatheredSizes:
            let pool = pool ?? ChunkPool()
            self.pool = pool
            filling = pool.take(with: bytes)
        case ..<ChunkBuffer.gatheredSizes.lowerBound
        where first < chunks.count && chunks[chunks.count - 1].count < 4 << 10:
            chunks[chunks.count - 1].append(contentsOf: bytes)
        default: chunks.append(Data(bytes))
        }
    }

    mutating func append(_ chunk: Data) {
        guard !chunk.isEmpty else { return }
        seal()
        count += chunk.count
        chunks.append(chunk)
    }

    /// Takes the first chunk; `nil` when the queue is empty.
    mutating func next() -> Data? {
        if first == chunks.count { seal() }
        guard first < chunks.count else { return nil }
        let chunk = chunks[first]
        count -= chunk.count
        chunks[first] = Data()  // releases the bytes
        first += 1
        if first == chunks.count {
            chunks.removeAll(keepingCapacity: true)
            first = 0
        }
        return chunk
    }

    /// Ends the chunk that is being filled.
    private mutating func seal() {
        if let pool, let buffer = filling.take() { chunks.append(pool.data(of: buffer)) }
    }

    /// Moves as many bytes as are available and fit into a buffer. Returns their number.
    mutating func move(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        seal()
        var filled = 0
        while filled < buffer.count, first < chunks.count {
            let taken = min(buffer.count - filled, chunks[first].count)
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + taken])
            chunks[first].copyBytes(to: room, count: taken)
            filled += taken
            if taken == chunks[first].count {
                _ = next()
            } else {
                chunks[first] = chunks[first].dropFirst(taken)
                count -= taken
            }
        }
        return filled
    }
}

/// Memory that is filled piece by piece, becomes a `Data` without a copy, and is reused when that `Data` is released.
///
/// Appending to a `Data` checks uniqueness for each piece, and new memory for each chunk has pages that the system must
/// map and clear. Together that costs half as much as receiving the bytes.
///
/// `@unchecked Sendable` is sound: until the buffer becomes a `Data`, only the queue that took it from the pool changes
/// it, under its pipe's lock. After that nothing changes it.
final class ChunkBuffer: @unchecked Sendable {
    static let size = 128 << 10
    /// The sizes of pieces that are gathered. Smaller ones become a `Data` of their own.
    static let gatheredSizes = 8 << 10...size

    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    private(set) var count = 0

    deinit { room.deallocate() }

    /// Appends a copy of bytes. Returns false when they do not fit.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard room.count - count >= bytes.count else { return false }
        room[count...].copyBytes(from: bytes)
        count += bytes.count
        return true
    }

    fileprivate func clear() { count = 0 }
}

/// The buffers of one queue.
final class ChunkPool: Sendable {
    /// As many as a full stream has, and one for its reader.
    private static let limit = 13
    private let spares = Lock<[ChunkBuffer]>([])

    /// Returns a buffer that holds these bytes, which must fit.
    func take(with bytes: UnsafeRawBufferPointer) -> ChunkBuffer {
        let buffer = spares.withLock { $0.popLast() } ?? ChunkBuffer()
        _ = buffer.append(bytes)
        return buffer
    }

    /// Returns a buffer's content. The buffer returns to the pool when the `Data` is released.
    func data(of buffer: ChunkBuffer) -> Data {
        let bytes = buffer.room[..<buffer.count]
        // A small content is copied, so that a chunk that is kept does not keep a large buffer.
        guard let start = buffer.room.baseAddress, buffer.count >= ChunkBuffer.size / 2 else {
            defer { give(buffer) }
            return Data(bytes)
        }
        return Data(bytesNoCopy: start, count: buffer.count, deallocator: .custom { _, _ in self.give(buffer) })
    }

    private func give(_ buffer: ChunkBuffer) {
        buffer.clear()
        spares.withLock { if $0.count < Self.limit { $0.append(buffer) } }
    }
}
