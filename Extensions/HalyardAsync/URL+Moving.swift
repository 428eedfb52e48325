import Halyard
import HalyardFoundation
import HalyardHTTP
import HalyardSystem

extension URL {
    /// Moves a complete download to a folder, without replacing a file. If the name exists, the next is tried:
    /// `name 2.txt`. The call blocks, and may copy the file.
    ///
    /// - Parameter moves: The ways to move a file. The next is tried if one fails for another reason than an existing name.
    /// - Throws: ``HTTPError`` of kind `unwritableFile`. The download is kept in the folder, under a name that the
    ///   error contains.
    func moved(into folder: URL, as name: String, by moves: [ExclusiveMove] = .system) throws(HTTPError) -> URL {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        var (moves, count, reason) = (moves[...], 1, "the file cannot be moved")
        while let move = moves.first {
            let numbered = count == 1 ? name : "\(name[..<dot]) \(count)\(name[dot...])"
            let target = folder.appending(path: numbered)
            switch move(path(percentEncoded: false), target.path(percentEncoded: false)) {
            case 0: return target
            case EEXIST where count < 10_000: count += 1
            case let failure:
                reason = String(cString: strerror(failure))
                moves.removeFirst()
            }
        }
        throw failedMove(into: folder, as: name, reason: reason)
    }

    /// Gives the file a name that no download removes as an abandoned file.
    private func failedMove(into folder: URL, as name: String, reason: String) -> HTTPError {
        let fallback = folder.appending(path: "download-\(UUID.random().uuidString)")
        let isRenamed = rename(path(percentEncoded: false), fallback.path(percentEncoded: false)) == 0
        let path = (isRenamed ? fallback : self).path(percentEncoded: false)
        return HTTPError(
            .unwritableFile(folder.appending(path: name).path(percentEncoded: false)), reason: reason,
            suggestion: "The download is complete. Move the file from \(path)")
    }
}

/// Moves a file to a path at which there is no file. Returns 0 or an error number: `EEXIST` if there is a file.
typealias ExclusiveMove = @Sendable (_ source: String, _ target: String) -> CInt

extension [ExclusiveMove] {
    /// The ways to move a file: a hard link, which exFAT and many network file systems do not support; an exclusive
    /// rename, which some kernels and file systems do not support; a copy, which all support.
    static var system: [ExclusiveMove] { [linked, renamed, copied(by: copy)] }
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
        // The C library's module does not declare the function, and musl does not have it before 1.2.6.
        typealias Rename = @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt
        guard let symbol = dlsym(nil, "renameat2") else { return ENOSYS }
        let rename = unsafeBitCast(symbol, to: Rename.self)
        let noReplace: CUnsignedInt = 1  // RENAME_NOREPLACE
        return rename(AT_FDCWD, source, AT_FDCWD, target, noReplace) == 0 ? 0 : errno
    #endif
}

/// Returns the way that makes a new file, and removes the source once all of it is copied. A copy that fails is
/// removed.
///
/// - Parameter copy: Copies the rest of one file to another. Returns 0 or an error number.
func copied(by copy: @escaping @Sendable (_ from: CInt, _ to: CInt) -> CInt) -> ExclusiveMove {
    { source, target in
        let from = open(source, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard from >= 0 else { return errno }
        defer { close(from) }
        var status = stat()
        guard fstat(from, &status) == 0 else { return errno }
        let to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0o777)
        guard to >= 0 else { return errno }
        var failure = copy(from, to)
        // Some file systems report only here that there is no space left.
        if close(to) != 0, failure == 0 { failure = errno }
        unlink(failure == 0 ? source : target)
        return failure
    }
}

/// Copies the rest of one file to another. Returns 0 or an error number.
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
