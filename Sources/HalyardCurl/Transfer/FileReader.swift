import CHalyardCurl
import Dispatch
import HalyardFoundation
import HalyardHTTP

/// Reads the files of one upload, so that the event loop never waits for a disk.
///
/// Bytes that the system has in memory are read at once. For other bytes the disk is read on a queue, one block at
/// a time, and the transfer is paused until the block has arrived.
final class FileReader: Sendable {
    /// A block of a file that is read, or was read, on the queue.
    private struct Block: Sendable {
        let file: FileSource
        let offset: Int64
        /// The bytes or the error; `nil` while the disk is read.
        var result: Result<Data, any Error>?

        func starts(at offset: Int64, of file: FileSource) -> Bool { self.offset == offset && self.file === file }
    }

    private static let blockSize = 256 << 10
    private let block = Lock<Block?>(nil)
    private let queue = DispatchQueue(label: "Halyard.FileReader")
    private let onArrival: @Sendable () -> Void

    /// Makes a reader. `onArrival` is called on any thread when a read that returned `nil` can be repeated.
    init(onArrival: @escaping @Sendable () -> Void) { self.onArrival = onArrival }

    /// Reads bytes before the end of a file. Returns the number of bytes, at least one; `nil` if the disk is being
    /// read. Throws ``HTTPError`` of kind `unreadableFile`, also if the file has changed since it was opened.
    func read(_ file: FileSource, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        if let result = block.withLock({ block in block.flatMap { $0.starts(at: offset, of: file) ? $0.result : nil } })
        {
            return try take(result.get(), of: file, at: offset, into: buffer)
        }
        let count = PageCache.read(file.descriptor, at: file.start + offset, into: file.limit(buffer, at: offset))
        if count >= 0 { return try file.verify(count, at: offset) }
        load(file, at: offset)
        return nil
    }

    private func take(
        _ bytes: Data, of file: FileSource, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        let count = bytes.copyBytes(to: buffer)
        let rest = bytes.dropFirst(count)
        block.withLock {
            $0 = rest.isEmpty ? nil : Block(file: file, offset: offset + Int64(count), result: .success(rest))
        }
        return count
    }

    private func load(_ file: FileSource, at offset: Int64) {
        let isNew = block.withLock { block in
            if let block, block.starts(at: offset, of: file) { return false }
            block = Block(file: file, offset: offset)
            return true
        }
        guard isNew else { return }
        queue.async { [self] in
            let result = Result { try file.data(at: offset, atMost: Self.blockSize) }
            // After a rewind the transfer needs another block.
            block.withLock { if $0?.starts(at: offset, of: file) ?? false { $0?.result = result } }
            onArrival()
        }
    }
}

/// The files that the system has in memory.
package enum PageCache {
    /// Reads bytes of a file without waiting for the disk. Returns the number of bytes, 0 at the end of the file, or -1
    /// if the disk is needed.
    package static func read(_ descriptor: CInt, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        halyard_read_cached(descriptor, offset, buffer.baseAddress, buffer.count)
    }
}
