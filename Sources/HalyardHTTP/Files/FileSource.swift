package import HalyardFoundation
import HalyardSystem

/// A regular file, or a part of one, that is open for reading, with its length at that time.
///
/// Each read names its offset, so that one file can be sent twice, or by two requests at once.
package final class FileSource: Sendable {
    /// The number of bytes to read.
    package let length: Int64
    /// The place of the first of them in the file.
    package let start: Int64
    package let path: String
    package let descriptor: CInt
    /// Tells this version of the file from later ones.
    package let version: String
    /// The length of the whole file.
    private let size: Int64
    /// The time of the last change when the file was opened.
    private let stamp: timespec
    /// Whether the file may be opened again by its path, so that a later version of it may be sent. The bytes of a part
    /// must be of this version, like those of the other parts.
    package let mayBeReopened: Bool

    /// Opens a file. `bytes` is the part to read. Defaults to the whole file.
    package init(_ url: URL, bytes: Range<Int64>? = nil) throws(HTTPError) {
        guard url.isFileURL else {
            throw HTTPError(
                .unreadableFile(RedactedAddress.of(url.absoluteString)), reason: "its URL is not a file URL")
        }
        path = url.path(percentEncoded: false)
        // Without O_NONBLOCK opening a named pipe would wait for a writer.
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw HTTPError(.unreadableFile(path), reason: systemReason()) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            close(descriptor)
            throw HTTPError(.unreadableFile(path), reason: isFolder ? "it is a folder" : "it is not a regular file")
        }
        size = Int64(status.st_size)
        let range = bytes ?? 0..<size
        guard range.lowerBound >= 0, range.upperBound <= size else {
            close(descriptor)
            throw HTTPError(
                .unreadableFile(path), reason: "it has \(size) bytes, which do not include \(range)")
        }
        mayBeReopened = bytes == nil
        (start, length) = (range.lowerBound, range.upperBound - range.lowerBound)
        stamp = status.modified
        // A tool may set the time of the last change of the bytes, but not that of the last change of the file.
        let (changed, written) = (status.changed, status.modified)
        // The number of the device is left out: it may be another one after the system has started again.
        version =
            "\(status.st_ino) \(size) \(written.tv_sec).\(written.tv_nsec) \(changed.tv_sec).\(changed.tv_nsec)"
    }

    /// Checks that the file has not changed since it was opened. Otherwise the body would mix two versions.
    private func requireUnchanged() throws(HTTPError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw HTTPError(.unreadableFile(path), reason: systemReason()) }
        let now = status.modified
        guard Int64(status.st_size) == size, now.tv_sec == stamp.tv_sec, now.tv_nsec == stamp.tv_nsec else {
            throw HTTPError(
                .unreadableFile(path), reason: "it changed while it was sent",
                suggestion: "Send a copy that does not change")
        }
    }

    deinit { close(descriptor) }

    /// Whether this is the whole file.
    package var isWhole: Bool { length == size }

    /// Reads bytes at an offset before the end of the file. It may wait for the disk. Returns the number of bytes, at
    /// least one. Throws ``HTTPError`` of kind `unreadableFile`, also if the file has changed since it was opened.
    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(HTTPError) -> Int {
        let room = limit(buffer, at: offset)
        while true {
            let count = pread(descriptor, room.baseAddress, room.count, off_t(start + offset))
            if count >= 0 { return try verify(count, at: offset) }
            guard errno == EINTR else { throw HTTPError(.unreadableFile(path), reason: systemReason()) }
        }
    }

    /// Reads at most a number of bytes at an offset before the end of the file. It may wait for the disk. Throws
    /// ``HTTPError`` of kind `unreadableFile`, also if the file has changed since it was opened.
    package func data(at offset: Int64, atMost count: Int) throws -> Data {
        var bytes = Data(count: Int(min(length - offset, Int64(count))))
        let filled = try bytes.withUnsafeMutableBytes { try read(at: offset, into: $0) }
        return bytes.prefix(filled)
    }

    /// Returns the SHA-256 of the bytes. They are read on another thread.
    package func sha256() async throws -> Data {
        try await blocking {
            var digest = SHA256Digest()
            try self.forEachPiece { digest.update($0) }
            return digest.finish()
        }
    }

    /// Returns the part of a buffer that the file can fill from an offset.
    package func limit(
        _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: length - offset)))
    }

    /// Checks the result of a system call that has read bytes at an offset.
    ///
    /// The last bytes are not returned if the file has changed, so that the server never receives a complete body that
    /// mixes two versions. Returns the number of bytes. Throws ``HTTPError`` of kind `unreadableFile`.
    package func verify(_ count: Int, at offset: Int64) throws(HTTPError) -> Int {
        guard count > 0 else { throw HTTPError(.unreadableFile(path), reason: "it became shorter while it was sent") }
        if offset + Int64(count) == length { try requireUnchanged() }
        return count
    }
}

extension stat {
    fileprivate var modified: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }

    fileprivate var changed: timespec {
        #if canImport(Darwin)
            st_ctimespec
        #else
            st_ctim
        #endif
    }
}

/// Describes why the last system call failed.
package func systemReason(_ code: CInt = errno) -> String {
    let advice = code == EMFILE ? " (`ulimit -n` shows the limit of open descriptors)" : ""
    return String(cString: strerror(code)) + advice
}
