import HalyardSystem

/// An open regular file that belongs to the user, under a name that others can predict. In a shared folder, another
/// user's file must not become a part of a download.
package struct UserOwnedFile: Sendable {
    let descriptor: CInt
    package let length: Int64
    /// The path in errors.
    private let target: String

    /// Opens a file. Symbolic links are refused. Errors have the path of `target`, which defaults to `path`, and the kind
    /// `unwritableFile`.
    init(_ path: String, _ flags: CInt, of target: String? = nil, mode: mode_t = 0o666) throws(HTTPError) {
        self.target = target ?? path
        // Without O_NONBLOCK opening a named pipe would wait for the other end.
        let descriptor = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            let code = errno
            throw HTTPError(
                .unwritableFile(self.target), reason: code == ELOOP ? "\(path) is a symbolic link" : systemReason(),
                isMomentary: code == EMFILE || code == ENFILE)
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
            throw HTTPError(.unwritableFile(self.target), reason: reason)
        }
        self.descriptor = descriptor
        length = Int64(status.st_size)
    }

    /// Opens or makes a file that is only locked, and that no other user can lock. Throws ``HTTPError`` of kind
    /// `unwritableFile`.
    package static func forLock(at path: String) throws(HTTPError) -> UserOwnedFile {
        try UserOwnedFile(path, O_RDWR | O_CREAT, mode: 0o600)
    }

    /// Returns the bytes of a file, or none if there are more than `limit`; `nil` if there is no file. Throws
    /// ``HTTPError`` of kind `unwritableFile`.
    package static func read(_ path: String, limit: Int) throws(HTTPError) -> [UInt8]? {
        var status = stat()
        if lstat(path, &status) != 0, errno == ENOENT { return nil }
        let file = try UserOwnedFile(path, O_RDONLY)
        defer { close(file.descriptor) }
        return file.content(limit: limit)
    }

    /// Whether the path still leads to this file, which may have been removed or renamed since it was opened.
    package func isStill(at path: String) -> Bool {
        var (own, there) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &there) == 0 && own.st_ino == there.st_ino
            && own.st_dev == there.st_dev
    }

    /// Locks the file. Returns false when another process or request holds the lock.
    package func lock() throws(HTTPError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw failure() }
        }
        return true
    }

    /// Returns the file's bytes; empty when there are more than `limit`.
    func content(limit: Int) -> [UInt8] {
        length <= limit ? bytes(at: 0, count: Int(length)) : []
    }

    /// Returns bytes at an offset: fewer than `count` at the end of the file or after an error.
    func bytes(at offset: Int64, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
            read = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(HTTPError) {
        guard writeAll(bytes, to: descriptor, at: offset) else { throw failure() }
    }

    func truncate(to length: Int64) throws(HTTPError) {
        while ftruncate(descriptor, off_t(length)) != 0 { guard errno == EINTR else { throw failure() } }
    }

    /// Renames the file.
    func move(from path: String) throws(HTTPError) {
        guard rename(path, target) == 0 else { throw failure() }
    }

    private func failure() -> HTTPError { HTTPError(.unwritableFile(target), reason: systemReason()) }

    /// Releases the lock and closes the file.
    ///
    /// Closing alone would keep the lock for as long as a child of `fork` has the descriptor, which is until its
    /// `exec`.
    package func release() {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

/// Writes all bytes at an offset of a file. Defaults to its current position.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt, at offset: Int64? = nil) -> Bool {
    var written = 0
    while written < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count =
            offset.map { pwrite(descriptor, rest.baseAddress, rest.count, off_t($0 + Int64(written))) }
            ?? write(descriptor, rest.baseAddress, rest.count)
        if count >= 0 { written += count } else if errno != EINTR { return false }
    }
    return true
}
