#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A new file under a name that nobody has, `PREFIX` and a UUID, which is locked for as long as it is open: others can
/// tell it from what a process left behind that was killed. See ``Leftovers``.
struct TemporaryFile: Sendable {
    let descriptor: CInt
    let path: String

    /// Makes it, and removes what others of the same prefix have left in the folder.
    ///
    /// - Parameter isPrivate: whether nobody but the user may read the file.
    init(in folder: URL, prefix: String, isPrivate: Bool) throws(OwnFile.Refusal) {
        Leftovers.remove(from: folder.path(percentEncoded: false), prefix: prefix)
        // Somebody may take it for a leftover before it is locked: that is next to never, and not often in a row.
        for _ in 1...8 {
            let path = folder.appending(path: prefix + UUID().uuidString).path(percentEncoded: false)
            let descriptor = Self.open(path, isPrivate ? 0o600 : 0o666)
            guard descriptor >= 0 else { throw OwnFile.Refusal(reason: systemReason()) }
            if Self.isKept(descriptor) {
                (self.descriptor, self.path) = (descriptor, path)
                return
            }
            unlink(path)
            Self.close(descriptor)
        }
        throw OwnFile.Refusal(reason: "another process removes it")
    }

    /// Waits, for five seconds at most, where the process has no descriptor free: others are given back all the time.
    private static func open(_ path: String, _ mode: mode_t) -> CInt {
        for _ in 0..<1000 {
            let descriptor = systemOpen(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            if descriptor >= 0 || errno != EMFILE && errno != ENFILE { return descriptor }
            unlink(path)  // some systems make the file before they find no descriptor for it
            usleep(5000)
        }
        return systemOpen(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    }

    /// Locks a file. Returns false where another process has done so, or has removed it. Where a file system has no locks
    /// nothing is ever removed.
    private static func isKept(_ descriptor: CInt) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { return errno != EWOULDBLOCK }
        }
        var status = stat()
        return fstat(descriptor, &status) != 0 || status.st_nlink > 0
    }

    /// Closes a descriptor with its lock, which a child of `fork` would keep.
    static func close(_ descriptor: CInt) {
        flock(descriptor, LOCK_UN)
        systemClose(descriptor)
    }
}

private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt { open(path, flags, mode) }

@discardableResult
private func systemClose(_ descriptor: CInt) -> CInt { close(descriptor) }

/// Temporary files of processes that were killed: the one rule by which they are found and removed.
enum Leftovers {
    /// How many entries of a folder are looked at, and how many files are opened, for each file that is made.
    static let entryLimit = 4096, fileLimit = 16

    /// Removes the files of a folder whose names are `prefix` and a UUID, that are the user's own and that no process has
    /// locked. Symbolic links are not followed. Whatever fails leaves the file there: the next download tries again.
    static func remove(
        from folder: String, prefix: String, entryLimit: Int = entryLimit, fileLimit: Int = fileLimit
    ) {
        var names = names(in: folder, prefix, limit: entryLimit)
        // Those of many downloads that run must not hide for ever what is behind them.
        if names.count > fileLimit { names.shuffle() }
        for name in names.prefix(fileLimit) {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            guard let file = try? OwnFile(path, O_RDWR) else { continue }
            // Whoever had the lock may have put the file into its place meanwhile.
            if (try? file.lock()) == true, file.stands(at: path) { unlink(path) }
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
