#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Room that is filled piece by piece, becomes a `Data` without a copy, and is used again when that has gone.
///
/// `Data` that grows asks at each piece whether it is alone, and where it is; and room that the system gives anew for
/// each chunk has pages that must be made and cleared: together half as much as receiving the bytes.
///
/// Unchecked, and sound: it is changed by the one who took it out of its pool, a queue behind its pipe's lock, until it
/// is a `Data`; and then by nobody.
final class ChunkBuffer: @unchecked Sendable {
    static let size = 128 << 10
    /// How long a piece is that is one of many. Shorter ones have a `Data` of their own.
    static let worthwhile = 8 << 10...size

    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    private(set) var count = 0

    deinit { room.deallocate() }

    /// Copies bytes behind the others. False where they do not fit.
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

    /// One with these bytes in it, which must fit.
    func take(with bytes: UnsafeRawBufferPointer) -> ChunkBuffer {
        let buffer = spares.withLock { $0.popLast() } ?? ChunkBuffer()
        _ = buffer.append(bytes)
        return buffer
    }

    /// What is in a buffer, which comes back when nobody has that any more.
    func data(of buffer: ChunkBuffer) -> Data {
        let bytes = buffer.room[..<buffer.count]
        // Who keeps a chunk does not keep twice as much.
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
