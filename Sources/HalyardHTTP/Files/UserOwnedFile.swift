import HalyardSystem

/// An open regular file that belongs to the user, under a name that others can predict. In a shared folder, another
/// user's file must not become a part of a download.
struct UserOwnedFile: Sendable {
    /// The reason why the file was refused.
    struct Refusal: Error {
        let reason: String
        /// Whether the process has no free descriptor at this moment.
        var isTemporary = false
    }

    let descriptor: CInt
    let length: Int64

    /// Opens a file. Symbolic links are refused.
    init(_ path: String, _ flags: CInt) throws(Refusal) {
        // Without O_NONBLOCK opening a named pipe would wait for the other end.
        let descriptor = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            let code = errno
            throw Refusal(
                reason: code == ELOOP ? "\(path) is a symbolic link" : systemReason(),
                isTemporary: code == EMFILE || code == ENFILE)
        }
        var status = stat()
        let reason: String? =
            if fstat(descriptor, &status) != 0 {
                systemReason()
            } else if status.st_mode & S_IFMT != S_IFREG {
                "\(path) is not a regular file"
            } else if status.st_uid != geteuid() {
                "the file at \(path) belongs to another user"
            } else if status.st_nlink > 1 {
                "the file at \(path) has another hard link"
            } else { nil }
        if let reason {
            close(descriptor)
            throw Refusal(reason: reason)
        }
        self.descriptor = descriptor
        length = Int64(status.st_size)
    }

    /// Whether the path still leads to this file, which may have been removed or renamed since it was opened.
    func isStill(at path: String) -> Bool {
        var (own, there) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &there) == 0 && own.st_ino == there.st_ino
            && own.st_dev == there.st_dev
    }

    /// Locks the file. Returns false when another process or request holds the lock.
    func lock() throws(Refusal) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw Refusal(reason: systemReason()) }
        }
        return true
    }

    /// Returns the file's bytes; empty when there are more than `limit`.
    func content(limit: Int) -> [UInt8] {
        let size = Int(clamping: length)
        guard size <= limit else { return [] }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let read = pread(descriptor, rest.baseAddress, rest.count, off_t(count))
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { break }
                count += read
            }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Refusal) {
        guard writeAll(bytes, to: descriptor, at: offset) else { throw Refusal(reason: systemReason()) }
    }

    func truncate(to length: Int64) throws(Refusal) {
        while ftruncate(descriptor, off_t(length)) != 0 {
            guard errno == EINTR else { throw Refusal(reason: systemReason()) }
        }
    }

    /// Releases the lock and closes the file.
    ///
    /// Closing alone would keep the lock for as long as a child of `fork` has the descriptor, which is until its
    /// `exec`.
    func release() {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

/// Writes all bytes at an offset of a file.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt, at offset: Int64) -> Bool {
    var (rest, offset) = (bytes[...], offset)
    while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest)
        let count = pwrite(descriptor, piece.baseAddress, piece.count, off_t(offset))
        if count >= 0 {
            (rest, offset) = (rest.dropFirst(count), offset + Int64(count))
        } else if errno != EINTR {
            return false
        }
    }
    return true
}
