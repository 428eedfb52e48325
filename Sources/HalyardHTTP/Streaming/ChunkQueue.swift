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

    /// Appends a copy of bytes.
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
