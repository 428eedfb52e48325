import Halyard
import HalyardFoundation
import HalyardHTTP
import HalyardSystem

extension URL {
    /// Moves a complete download into a folder under a name, or where that is taken under the next one: `name 2.txt`. No file
    /// is replaced. It may have to copy, and blocks for so long.
    ///
    /// - Parameter ways: each is tried where the one before fails for another reason than that the name is taken.
    /// - Throws: ``HTTPError`` of kind `unwritableFile`. The download is not lost: it is kept in the folder under a name that
    ///   the error tells.
    func moved(into folder: URL, as name: String, by ways: [ExclusiveMove] = .system) throws(HTTPError) -> URL {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        var (ways, count, reason) = (ways[...], 1, "nothing can move it")
        while let way = ways.first {
            let numbered = count == 1 ? name : "\(name[..<dot]) \(count)\(name[dot...])"
            let target = folder.appending(path: numbered)
            switch way(path(percentEncoded: false), target.path(percentEncoded: false)) {
            case 0: return target
            case EEXIST where count < 10_000: count += 1
            case let failure:
                reason = String(cString: strerror(failure))
                ways.removeFirst()
            }
        }
        throw kept(in: folder, insteadOf: name, because: reason)
    }

    /// Gives it a name that nobody takes for a leftover.
    private func kept(in folder: URL, insteadOf name: String, because reason: String) -> HTTPError {
        let free = folder.appending(path: "download-\(UUID.random().uuidString)")
        let isRenamed = rename(path(percentEncoded: false), free.path(percentEncoded: false)) == 0
        let place = (isRenamed ? free : self).path(percentEncoded: false)
        return HTTPError(
            .unwritableFile(folder.appending(path: name).path(percentEncoded: false)), reason: reason,
            suggestion: "The download is complete, and stands at \(place): move it from there")
    }
}

/// Gives a file a name that no file has. It takes the paths of both, and returns 0, or the number of an error: `EEXIST` where
/// there is a file of that name.
typealias ExclusiveMove = @Sendable (_ source: String, _ target: String) -> CInt

extension [ExclusiveMove] {
    /// A hard link, which exFAT and many network file systems do not have; a rename that replaces nothing, which not every
    /// kernel and file system has; a copy, which all have.
    static var system: [ExclusiveMove] { [linked, renamed, copied] }
}

private let linked: ExclusiveMove = { source, target in
    guard link(source, target) == 0 else { return errno }
    unlink(source)
    return 0
}

private let renamed: ExclusiveMove = { source, target in
    #if canImport(Darwin)
        return renamex_np(source, target, UInt32(RENAME_EXCL)) == 0 ? 0 : errno
    #else
        // It is no function of the C library's module, and of no musl before 1.2.6.
        typealias Rename = @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt
        guard let symbol = dlsym(nil, "renameat2") else { return ENOSYS }
        let rename = unsafeBitCast(symbol, to: Rename.self)
        let noReplace: CUnsignedInt = 1  // RENAME_NOREPLACE
        return rename(AT_FDCWD, source, AT_FDCWD, target, noReplace) == 0 ? 0 : errno
    #endif
}

private let copied: ExclusiveMove = { source, target in
    let from = open(source, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard from >= 0 else { return errno }
    defer { close(from) }
    var status = stat()
    guard fstat(from, &status) == 0 else { return errno }
    let to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0o777)
    guard to >= 0 else { return errno }
    var failure = copy(from, to)
    // Some file systems tell only here that there is no room.
    if close(to) != 0, failure == 0 { failure = errno }
    unlink(failure == 0 ? source : target)
    return failure
}

/// Copies what is left of one file to another. Returns 0, or the number of an error.
private func copy(_ from: CInt, _ to: CInt) -> CInt {
    withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 16) { buffer in
        while true {
            let count = read(from, buffer.baseAddress, buffer.count)
            if count == 0 { return 0 }
            guard count > 0 else {
                if errno == EINTR { continue }
                return errno
            }
            var rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
            while !rest.isEmpty {
                let written = write(to, rest.baseAddress, rest.count)
                if written >= 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[written...])
                } else if errno != EINTR {
                    return errno
                }
            }
        }
    }
}
