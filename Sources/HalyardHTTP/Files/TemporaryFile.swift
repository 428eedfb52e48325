import Dispatch
package import HalyardFoundation
import HalyardSystem

/// A new file with a unique name, a prefix and a UUID. It is locked while it is open, which distinguishes it from the
/// file of a killed process. See ``Leftovers``.
struct TemporaryFile: Sendable {
    let descriptor: CInt
    let path: String

    /// Makes the file beside its target, and removes leftovers with the same prefix from the folder.
    ///
    /// - Parameters:
    ///   - isPrivate: Whether only the user may read the file.
    ///   - isPatient: Whether to wait up to five seconds while the process has no free descriptor. It blocks the thread.
    /// - Throws: ``HTTPError`` of kind `unwritableFile` with the path of `target`.
    init(for target: URL, prefix: String, isPrivate: Bool, isPatient: Bool) throws(HTTPError) {
        let folder = target.deletingLastPathComponent()
        let kind = HTTPError.Kind.unwritableFile(target.path(percentEncoded: false))
        Leftovers.remove(from: folder.path(percentEncoded: false), prefix: prefix)
        // Another process may remove it as a leftover before it is locked. That is very rare.
        for _ in 1...8 {
            let path = folder.appending(path: prefix + UUID.random().uuidString).path(percentEncoded: false)
            let descriptor = Self.open(path, isPrivate ? 0o600 : 0o666, isPatient: isPatient)
            guard descriptor >= 0 else { throw HTTPError(kind, reason: systemReason()) }
            if Self.isKept(descriptor) {
                (self.descriptor, self.path) = (descriptor, path)
                return
            }
            unlink(path)
            Self.close(descriptor)
        }
        throw HTTPError(kind, reason: "another process removed the temporary file")
    }

    private static func open(_ path: String, _ mode: mode_t, isPatient: Bool) -> CInt {
        for _ in 0..<(isPatient ? 1000 : 0) {
            let descriptor = systemOpen(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            if descriptor >= 0 || errno != EMFILE && errno != ENFILE { return descriptor }
            unlink(path)  // some systems make the file before they run out of descriptors
            usleep(5000)
        }
        return systemOpen(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    }

    /// Locks the file. Returns false when another process has locked or removed it. On a file system without locks it
    /// returns true, and no leftovers are ever removed.
    private static func isKept(_ descriptor: CInt) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { return errno != EWOULDBLOCK }
        }
        var status = stat()
        return fstat(descriptor, &status) != 0 || status.st_nlink > 0
    }

    /// Releases the lock, which a child of `fork` would keep, and closes the descriptor.
    static func close(_ descriptor: CInt) {
        flock(descriptor, LOCK_UN)
        systemClose(descriptor)
    }
}

private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt { open(path, flags, mode) }

/// The system call `close`, where a method has the same name.
package func systemClose(_ descriptor: CInt) { _ = close(descriptor) }

/// Temporary files of processes that were killed.
enum Leftovers {
    /// The number of entries of a folder that are examined, and of files that are opened, for each new file.
    static let entryLimit = 4096, fileLimit = 16
    /// Admits one search at a time: each has a few descriptors open, and hundreds of downloads may begin at once.
    private static let search = DispatchSemaphore(value: 1)

    /// Removes the files of a folder whose names are `prefix` and a UUID, that belong to the user, and that no process
    /// has locked. Symbolic links are not followed. Errors are ignored; the next download tries again.
    static func remove(
        from folder: String, prefix: String, entryLimit: Int = entryLimit, fileLimit: Int = fileLimit
    ) {
        search.wait()
        defer { search.signal() }
        var names = names(in: folder, prefix, limit: entryLimit)
        // Chosen at random, so that the files of running downloads do not hide leftovers forever.
        if names.count > fileLimit { names.shuffle() }
        for name in names.prefix(fileLimit) {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            guard let file = try? UserOwnedFile(path, O_RDWR) else { continue }
            // The process that held the lock may have renamed the file to its target.
            if (try? file.lock()) == true, file.isStill(at: path) { unlink(path) }
            file.release()
        }
    }

    private static func names(in folder: String, _ prefix: String, limit: Int) -> [String] {
        guard let stream = opendir(folder), let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        defer { closedir(stream) }
        let length = prefix.utf8.count
        var (names, count) = ([String](), 0)
        while count < limit, let entry = readdir(stream) {
            count += 1
            let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            guard strncmp(name, prefix, length) == 0, strnlen(name, length + 37) == length + 36,
                UUID(uuidString: String(cString: name + length)) != nil
            else { continue }
            names.append(String(cString: name))
        }
        return names
    }
}

/// A folder for a file that is about to be written.
package enum Folder {
    /// Makes a folder, and the folders above it that are missing. `mode` are its permissions. Those of the folders above
    /// it are the default ones. Returns why it cannot be made: the path of the first folder that is missing, and the
    /// system's word. `nil` if the folder is there.
    package static func make(_ path: String, mode: UInt16 = 0o777) -> String? {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return nil }
        if mkdir(path, mode_t(mode)) == 0 { return nil }
        if errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex {
            if let reason = make(String(path[..<slash])) { return reason }
            if mkdir(path, mode_t(mode)) == 0 { return nil }
        }
        // Another thread may have made it meanwhile. What is there may also be a file, or a link that leads nowhere.
        if errno == EEXIST, stat(path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR { return nil }
            errno = ENOTDIR
        }
        return "the folder \(path) cannot be made: \(systemReason())"
    }
}

extension URL {
    /// Checks that the URL can be that of a file, and makes its folder. Throws ``HTTPError`` of kind `unwritableFile`.
    package func makeFolder() throws(HTTPError) {
        guard isFileURL else {
            throw HTTPError(.unwritableFile(RedactedAddress.of(absoluteString)), reason: "its URL is not a file URL")
        }
        let path = path(percentEncoded: false)
        var status = stat()
        if hasDirectoryPath || stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR {
            throw HTTPError(.unwritableFile(path), reason: "it is a folder", suggestion: "Name a file in the folder")
        }
        let folder = deletingLastPathComponent().path(percentEncoded: false)
        guard let reason = Folder.make(folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder)
        else { return }
        throw HTTPError(.unwritableFile(path), reason: reason)
    }
}

extension FileSource {
    /// Returns the content of a file; `nil` if there is no file. Throws ``HTTPError`` of kind `unreadableFile`. A file
    /// that cannot be found because a folder cannot be searched is one as well.
    package static func read(_ url: URL) throws(HTTPError) -> Data? {
        var status = stat()
        if url.isFileURL, stat(url.path(percentEncoded: false), &status) != 0, errno == ENOENT { return nil }
        let file = try FileSource(url)
        // A file with holes may be larger than the memory.
        guard file.length <= 1 << 30 else {
            throw HTTPError(.unreadableFile(file.path), reason: "it is larger than 1 GB")
        }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(file.length), alignment: 1)
        defer { bytes.deallocate() }
        var count = 0
        while count < bytes.count {
            count += try file.read(at: Int64(count), into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
        }
        return Data(bytes)
    }
}
