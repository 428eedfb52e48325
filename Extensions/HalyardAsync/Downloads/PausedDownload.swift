import Halyard
public import HalyardFoundation
import HalyardHTTP

/// A download that was cancelled or interrupted, as a value that an app can show and store.
///
/// ```swift
/// if let paused = PausedDownload(of: place) {
///     print(paused.completed, paused.total ?? 0)
///     let file = try await api.download(.dump, to: paused.file, connections: 4)
/// }
/// ```
///
/// All that a download needs to go on is on the disk, beside its target, and is there after the end of the process as
/// well. The value has no URL of the server and no secret: the route is yours.
public struct PausedDownload: Sendable, Hashable, Codable {
    /// The target of the download.
    public let file: URL
    /// The number of bytes that need not be downloaded again.
    public let completed: Int64
    /// The number of bytes of the whole file; `nil` if it is not known.
    public let total: Int64?

    /// Reads what is there of a download to a file: one with `resuming`, or with `connections`. `nil` if nothing can be
    /// continued, as after the end of the download. It reads a small file.
    public init?(of file: URL) {
        guard let progress = PartialPlace(of: file).progress() else { return nil }
        (self.file, completed, total) = (file, progress.completed, progress.total)
    }

    /// Removes what is there. Throws ``HTTPError`` of kind `unwritableFile` while a request is downloading to the file.
    public func discard() throws(HTTPError) {
        let place = PartialPlace(of: file)
        guard place.exists else { return place.removeRecord() }
        guard let bytes = try place.open() else {
            throw HTTPError(
                .unwritableFile(file.path(percentEncoded: false)), reason: "a request is downloading to it",
                suggestion: "Cancel the download first")
        }
        place.remove()
        bytes.release()
    }
}
