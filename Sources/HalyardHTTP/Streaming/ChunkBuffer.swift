import HalyardFoundation

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
