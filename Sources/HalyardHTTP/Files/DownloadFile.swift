import Dispatch
package import HalyardFoundation
import HalyardSystem

/// The file that receives a response's body. It is renamed to ``target`` when the response is accepted.
package protocol DownloadFile: AnyObject, Sendable {
    /// The final URL of the file.
    var target: URL { get }
    /// The path of the bytes until the file is renamed.
    var path: String { get }
    /// The number of bytes of the body that were there before this response.
    var offset: Int64 { get }
    /// The SHA-256 of all bytes of the file. `nil` if it was not computed while they were written.
    var digest: Data? { get }

    /// Appends bytes. An error has the kind `unwritableFile`.
    func write(_ bytes: UnsafeRawBufferPointer) throws(HTTPError)
    /// Renames the file to ``target``, and replaces an existing file. Later calls do nothing.
    func commit() throws(HTTPError)
    /// Removes the written bytes, unless it is at ``target`` or can be resumed.
    func discard()
    /// Ends a request whose file was not renamed to ``target``. `isRefused` says whether the body was not accepted. It
    /// is not resumed then.
    func end(isRefused: Bool)
}

extension DownloadFile {
    package var offset: Int64 { 0 }
    package func end(isRefused: Bool) { discard() }
}

/// How the file that receives a response's body is opened.
package struct DownloadFileOpening: Sendable {
    /// The number of bytes of the body that were there before this response.
    package var offset: Int64 = 0
    /// Whether a later request can continue an interrupted body.
    package var isResumable = false
    /// Opens the file. This waits for the disk.
    package let open: @Sendable () throws(HTTPError) -> any DownloadFile
}

/// The limit of open descriptors of the process (`ulimit -n`).
package enum Descriptors {
    /// At most a million, also when the system sets no limit.
    package static var limit: Int {
        var limit = rlimit()
        #if canImport(Glibc)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
            getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return max(1, Int(clamping: min(limit.rlim_cur, 1 << 20)))
    }

    /// The number of descriptors for each of four uses: connections, downloaded files, partial files, and their
    /// records. It is a fifth of what remains of the limit after 16 are set aside for standard streams, event loops and
    /// libraries. One fifth remains for the rest of the program.
    package static var share: Int { max(2, (limit - 16) / 5) }
}

/// Permission to have one file of a download open. It ends with its last reference.
///
/// Without a limit, a few hundred downloads could open files for all descriptors of the process, and could not connect
/// any more. One share of the descriptors is for the partial files of resumed downloads, which are opened before the
/// request has a connection. Another is for files that are opened after the head of the response has arrived.
package final class DescriptorPermit: Sendable {
    private static let partialFiles = DispatchSemaphore(value: Descriptors.share)
    private static let files = DispatchSemaphore(value: Descriptors.share)

    private let semaphore: DispatchSemaphore

    private init(_ semaphore: DispatchSemaphore) { self.semaphore = semaphore }
    deinit { semaphore.signal() }

    /// Returns a permit for a partial file; `nil` when none is free.
    package static func tryForPartialFile() -> DescriptorPermit? {
        partialFiles.wait(timeout: .now()) == .success ? DescriptorPermit(partialFiles) : nil
    }

    /// Returns a permit for a file, and blocks until one is free. `nil` after five seconds. The file is then opened
    /// without a permit. Otherwise there would be a deadlock if a hook of one download waits for another download.
    static func forFile() -> DescriptorPermit? {
        files.wait(timeout: .now() + 5) == .success ? DescriptorPermit(files) : nil
    }
}
