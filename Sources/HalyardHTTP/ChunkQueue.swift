#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bytes that wait, in the order in which they came, in chunks that are handed over as they are.
struct ChunkQueue: Sendable {
    /// Below what `malloc` asks of the system for each time, whose pages would have to be made anew.
    private static let size = 120 << 10
    /// A piece of this length is one of many.
    private static let large = 8 << 10

    private var chunks: [Data] = []
    /// Those before it have been taken.
    private var first = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Copies bytes behind the others, into the last chunk as far as it has room.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        count += bytes.count
        if first < chunks.count, chunks[chunks.count - 1].count + bytes.count <= Self.size {
            chunks[chunks.count - 1].append(contentsOf: bytes)
        } else {
            var chunk = Data(capacity: bytes.count < Self.large ? bytes.count : max(bytes.count, Self.size))
            chunk.append(contentsOf: bytes)
            chunks.append(chunk)
        }
    }

    mutating func append(_ chunk: Data) {
        guard !chunk.isEmpty else { return }
        count += chunk.count
        chunks.append(chunk)
    }

    /// Takes out the first chunk, if there is one.
    mutating func next() -> Data? {
        guard first < chunks.count else { return nil }
        let chunk = chunks[first]
        count -= chunk.count
        chunks[first] = Data()  // so that nothing of it stays
        first += 1
        if first == chunks.count {
            chunks.removeAll(keepingCapacity: true)
            first = 0
        }
        return chunk
    }

    /// Moves bytes into a buffer, as many as are there and fit. Returns how many.
    mutating func move(into buffer: UnsafeMutableRawBufferPointer) -> Int {
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
