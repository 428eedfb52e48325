package import HalyardFoundation
package import HalyardSystem

/// A folder for a file that is about to be written.
package enum Folder {
    /// Makes a folder, and the folders above it that are missing.
    ///
    /// - Parameter mode: Its permissions. Those of the folders above it are the default ones.
    /// - Returns: Why it cannot be made: the path of the first folder that is missing, and the system's word. `nil` if
    ///   the folder is there.
    package static func make(_ path: String, mode: mode_t = 0o777) -> String? {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return nil }
        if mkdir(path, mode) == 0 { return nil }
        if errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex {
            if let reason = make(String(path[..<slash])) { return reason }
            if mkdir(path, mode) == 0 { return nil }
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
    /// Makes the folder of a file.
    ///
    /// - Throws: ``HTTPError`` of kind `unwritableFile`.
    package func makeFolder() throws(HTTPError) {
        let folder = deletingLastPathComponent().path(percentEncoded: false)
        guard let reason = Folder.make(folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder)
        else { return }
        throw HTTPError(.unwritableFile(path(percentEncoded: false)), reason: reason)
    }
}

extension FileSource {
    /// Returns the content of a file; `nil` if there is no file.
    ///
    /// - Throws: ``HTTPError`` of kind `unreadableFile`. A file that cannot be found because a folder cannot be searched
    ///   is one as well.
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
