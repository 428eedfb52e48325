import HalyardFoundation
import HalyardSystem

/// A regular file that is open for reading, with its length at that time.
///
/// Each read names its offset, so that one file can be sent twice, or by two requests at once.
package final class FileSource: Sendable {
    package let length: Int64
    package let path: String
    private let descriptor: CInt
    /// The time of the last change when the file was opened.
    private let stamp: timespec

    init(opening url: URL) throws(Fault) {
        guard url.isFileURL else {
            throw Fault(
                .unreadableFile(RedactedAddress.of(url.absoluteString)), reason: "its URL is not a file URL")
        }
        path = url.path(percentEncoded: false)
        // Without O_NONBLOCK opening a named pipe would wait for a writer.
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Fault(.unreadableFile(path), reason: systemReason()) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            close(descriptor)
            throw Fault(.unreadableFile(path), reason: isFolder ? "it is a folder" : "it is not a regular file")
        }
        length = Int64(status.st_size)
        stamp = status.modified
    }

    /// Checks that the file has not changed since it was opened. Otherwise the body would mix two versions.
    ///
    /// - Throws: a fault of kind `unreadableFile`.
    func requireUnchanged() throws(Fault) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Fault(.unreadableFile(path), reason: systemReason()) }
        let now = status.modified
        guard Int64(status.st_size) == length, now.tv_sec == stamp.tv_sec, now.tv_nsec == stamp.tv_nsec else {
            throw Fault(
                .unreadableFile(path), reason: "it changed while it was sent",
                suggestion: "Send a copy that does not change")
        }
    }

    deinit { close(descriptor) }

    /// Reads bytes at an offset. Returns their number, which is zero only at the end of the file.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Fault) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            guard errno == EINTR else { throw Fault(.unreadableFile(path), reason: systemReason()) }
        }
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
}

/// Describes why the last system call failed.
package func systemReason() -> String {
    let advice = errno == EMFILE ? " (`ulimit -n` shows the limit of open descriptors)" : ""
    return String(cString: strerror(errno)) + advice
}
