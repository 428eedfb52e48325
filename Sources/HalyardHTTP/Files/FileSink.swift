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

/// A file while it is written: under a temporary name, beside its place, until it is committed.
///
/// One that is let go without a commit leaves nothing behind.
package final class FileSink: BodyFile {
    private struct State: Sendable {
        /// -1 once the file is closed.
        var descriptor: CInt
        var isCommitted = false
    }

    package let target: URL
    private let targetPath: String
    private let temporaryPath: String
    private let prefix: String
    private let state: Lock<State>

    /// Opens a temporary file. Folders on the way to the target that are missing are made.
    ///
    /// - Parameters:
    ///   - prefix: what the temporary file's name begins with.
    ///   - isPrivate: whether nobody but the user may read the file.
    init(at target: URL, prefix: String = ".halyard-", isPrivate: Bool = false) throws(Fault) {
        (self.target, self.prefix) = (target, prefix)
        targetPath = target.path(percentEncoded: false)
        try target.requirePlaceOfFile()
        let folder = target.deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        do throws(OwnFile.Refusal) {
            let file = try TemporaryFile(in: folder, prefix: prefix, isPrivate: isPrivate)
            temporaryPath = file.path
            state = Lock(State(descriptor: file.descriptor))
        } catch { throw Fault(.unwritableFile(targetPath), reason: error.reason) }
    }

    deinit {
        discard()
        state.withLock { Self.close(&$0) }
    }

    /// Closes the file. Whoever keeps its response keeps no descriptor.
    private static func close(_ state: inout State) {
        if state.descriptor >= 0 { TemporaryFile.close(state.descriptor) }
        state.descriptor = -1
    }

    /// Appends bytes.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(Fault) {
        let descriptor = state.withLock { $0.descriptor }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { throw failure() }
        }
    }

    package func moveIntoPlace() throws(Fault) { try moveIntoPlace(isDurable: false) }

    /// Puts the file into its place, instead of one that stands there. Later calls do nothing.
    ///
    /// - Parameter isDurable: whether it is on the disk first: after a crash the old or the new one stands there, whole.
    func moveIntoPlace(isDurable: Bool) throws(Fault) {
        try state.withLock { state throws(Fault) in
            guard !state.isCommitted else { return }
            guard !isDurable || flushToDisk(state.descriptor) else { throw failure() }
            guard rename(temporaryPath, targetPath) == 0 else { throw failure() }
            state.isCommitted = true
            // A place that is called as temporary files are stays locked, and so is no leftover, until it is moved.
            if !target.lastPathComponent.hasPrefix(prefix) { Self.close(&state) }
            if isDurable { syncFolder() }
        }
    }

    /// So that the rename is on the disk as well. Some file systems cannot, and need not.
    private func syncFolder() {
        let folder = open(target.deletingLastPathComponent().path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        _ = flushToDisk(folder)
        systemClose(folder)
    }

    /// Removes what was written, unless it is in its place.
    package func discard() {
        state.withLock { state in
            guard !state.isCommitted else { return }
            _ = unlink(temporaryPath)
            Self.close(&state)
        }
    }

    private func failure() -> Fault { Fault(.unwritableFile(targetPath), reason: systemReason()) }
}

private func systemClose(_ descriptor: CInt) { _ = close(descriptor) }

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

extension URL {
    /// Refuses what a file cannot be put at, before anything is written.
    func requirePlaceOfFile() throws(Fault) {
        guard isFileURL else {
            throw Fault(.unwritableFile(RedactedAddress.of(absoluteString)), reason: "its URL is no file URL")
        }
        let path = path(percentEncoded: false)
        var status = stat()
        let isFolder = hasDirectoryPath || stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        guard isFolder else { return }
        throw Fault(
            .unwritableFile(path), reason: "it is a folder",
            suggestion: "Name a file in it; what is downloaded into a folder download(into:) names itself")
    }
}

extension FileSink {
    /// Removes what killed processes have left beside a file, as making a sink does.
    package static func removeLeftovers(beside target: URL, prefix: String) {
        Leftovers.remove(from: target.deletingLastPathComponent().path(percentEncoded: false), prefix: prefix)
    }
}
