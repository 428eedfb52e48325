import Halyard
import HalyardFoundation
import HalyardHTTP
import HalyardSystem

/// The files of a ``DiskStore``. A file has the responses of one key: of a URL, with one set of credentials.
///
/// Files are in 256 folders, by the first byte of a hash of the URL. A file's name has the whole hash and a hash of the
/// credentials, so that the files of a URL are found by their names, and credentials are in no file. A file is written
/// under another name and renamed: a reader, in this process or another, finds the old file, the new one or none.
struct CacheFolder: Sendable {
    private let path: String

    struct File {
        let path: String
        let byteCount: Int
        /// When it was written or used, in seconds since 1970.
        let lastUse: Int
    }

    /// Makes the folder, which only its user can read. Throws ``HTTPError`` of kind `unwritableFile`.
    init(_ url: URL) throws(HTTPError) {
        guard url.isFileURL else {
            throw HTTPError(
                .unwritableFile(RedactedAddress.of(url.absoluteString)), reason: "its URL is not a file URL")
        }
        path = url.path(percentEncoded: false).droppingLastSlash
        if let reason = Folder.make(path, mode: 0o700) { throw HTTPError(.unwritableFile(path), reason: reason) }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            throw HTTPError(
                .unwritableFile(path), reason: "the folder cannot be read and written: \(systemReason())")
        }
    }

    /// Reads a key's file. `nil` if there is none that can be read, or if it has more bytes than the limit. The file
    /// becomes the one that was used last. `waits` says whether it waits for the disk. Defaults to `true`. Throws
    /// ``DiskIsNeeded``, if it does not wait.
    func read(
        _ key: CacheKey, limit: Int, _ estimates: Bool, now: Int = time(nil), waits: Bool = true
    ) throws(DiskIsNeeded) -> CacheFile? {
        let path = path(of: key)
        // Without O_NONBLOCK opening a named pipe would wait for the other end.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
            return nil
        }
        // Once a minute is enough to find the file that was used longest ago.
        if status.lastUse < now - 60 { futimens(descriptor, nil) }
        var offset: off_t = 0
        var isDiskNeeded = false
        let file = CacheFile(byteCount: Int(status.st_size), estimates) { buffer in
            if waits { return Self.fill(buffer, from: descriptor, at: &offset) }
            let count = PlatformFile.readCached(descriptor, at: Int64(offset), into: buffer)
            isDiskNeeded = count != buffer.count
            offset += off_t(buffer.count)
            return !isDiskNeeded
        }
        if isDiskNeeded { throw DiskIsNeeded() }
        return file
    }

    /// A file is not in memory, at least not whole.
    struct DiskIsNeeded: Error {}

    /// Fills memory with the next bytes of a file.
    private static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt, at offset: inout off_t
    ) -> Bool {
        var rest = buffer[...]
        while !rest.isEmpty {
            let read = pread(descriptor, UnsafeMutableRawBufferPointer(rebasing: rest).baseAddress, rest.count, offset)
            if read > 0 {
                (rest, offset) = (rest.dropFirst(read), offset + off_t(read))
            } else if read == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Writes a key's file. Returns the number of bytes that the folder has more than before. Throws ``HTTPError`` of
    /// kind `unwritableFile`.
    func write(_ bytes: Data, for key: CacheKey) throws(HTTPError) -> Int {
        let path = path(of: key)
        let old = byteCount(of: path)
        let file = try AtomicFile(URL(filePath: path), isPrivate: true, isPatient: true)
        do { try bytes.withUnsafeBytes { try file.write($0) } } catch {
            throw error as? HTTPError ?? HTTPError(.unwritableFile(path), cause: error)
        }
        try file.commit(isDurable: false)
        return bytes.count - old
    }

    /// Removes the files of a URL, with any credentials.
    func remove(url: String) -> HTTPError? {
        let name = Self.hash(url)
        let folder = path + "/" + name.prefix(2)
        return Self.names(in: folder).filter { $0.hasPrefix(name) }.compactMap { remove(folder + "/" + $0) }.last
    }

    /// Removes a file. Another process may have removed it.
    func remove(_ path: String) -> HTTPError? {
        if unlink(path) == 0 || errno == ENOENT { return nil }
        return HTTPError(.unwritableFile(path), reason: "it cannot be removed: \(systemReason())")
    }

    var files: [File] {
        Self.names(in: path).filter { $0.utf8.count == 2 }.flatMap { folder in
            Self.names(in: path + "/" + folder).compactMap { name -> File? in
                let path = "\(path)/\(folder)/\(name)"
                var status = stat()
                // Files that are being written are hidden.
                guard name.hasSuffix(Self.suffix), lstat(path, &status) == 0 else { return nil }
                return File(path: path, byteCount: Int(status.st_size), lastUse: status.lastUse)
            }
        }
    }

    private static let suffix = ".response"

    private func path(of key: CacheKey) -> String {
        let name = Self.hash(key.url)
        let credentials = key.credentials.isEmpty ? "0" : String(SHA256Digest.hexDigest(of: key.credentials).prefix(32))
        return "\(path)/\(name.prefix(2))/\(name)-\(credentials)\(Self.suffix)"
    }

    private func byteCount(of path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Returns 32 hexadecimal digits. Two URLs with the same hash replace each other; they are never mixed, because the
    /// file has the URL.
    private static func hash(_ text: String) -> String {
        var (first, second): (UInt64, UInt64) = (0xcbf2_9ce4_8422_2325, 0x6c62_272e_07bb_0142)
        for byte in text.utf8 {
            first = (first ^ UInt64(byte)) &* 0x100_0000_01b3
            second = (second &+ UInt64(byte)) &* 0x9e37_79b9_7f4a_7c15
            second ^= second >> 29
        }
        first ^= first >> 32
        return (first.bigEndianBytes + second.bigEndianBytes).hexadecimal
    }

    /// The names in a folder. Without an error for a folder that cannot be read: it may not be there yet, and its files are
    /// not used.
    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}

extension [CacheFolder.File] {
    /// The length of all files. Files with holes may be longer than the disk.
    var byteCount: Int {
        reduce(0) { count, file in
            let (sum, overflow) = count.addingReportingOverflow(file.byteCount)
            return overflow ? .max : sum
        }
    }
}

extension stat {
    /// When the content was changed or used, in seconds since 1970.
    fileprivate var lastUse: Int {
        #if canImport(Darwin)
            st_mtimespec.tv_sec
        #else
            Int(st_mtim.tv_sec)
        #endif
    }
}

extension String {
    fileprivate var droppingLastSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}
