import Halyard
import HalyardFoundation
import HalyardHTTP
import HalyardSystem

extension URL {
    /// Moves a complete download to another name in its folder, without replacing a file. If the name exists, the next is
    /// tried: `name 2.txt`. The call blocks.
    ///
    /// - Parameter linking: Makes a hard link, as `link` does.
    /// - Throws: ``HTTPError`` of kind `unwritableFile`. The download is kept in the folder, under a name that the
    ///   error contains.
    func moved(
        into folder: URL, as name: String, linking: (String, String) -> CInt = { link($0, $1) }
    ) throws(HTTPError) -> URL {
        let (source, dot) = (path(percentEncoded: false), name.lastIndex(of: ".") ?? name.endIndex)
        var (failure, count) = (EEXIST, 0)
        while failure == EEXIST, count < 10_000 {
            count += 1
            let target = folder.appending(path: count == 1 ? name : "\(name[..<dot]) \(count)\(name[dot...])")
            failure = Self.move(source, to: target.path(percentEncoded: false), linking)
            if failure == 0 { return target }
        }
        throw failedMove(into: folder, as: name, reason: String(cString: strerror(failure)))
    }

    /// Moves a file to a name that no file has. Returns 0 or an error number.
    private static func move(_ source: String, to target: String, _ linking: (String, String) -> CInt) -> CInt {
        if linking(source, target) == 0 {
            unlink(source)
            return 0
        }
        if errno == EEXIST { return EEXIST }
        // exFAT and many network file systems have no hard links: an empty file takes the name, and is replaced.
        let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        if rename(source, target) == 0 { return 0 }
        let failure = errno
        unlink(target)
        return failure
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
