public import HalyardFoundation
public import HalyardHTTP

/// How a file is uploaded so that an interruption costs only the bytes that the server has not stored.
///
/// ```swift
/// let response = try await api.upload(file, to: .videos, resuming: .tus) { event in
///     if case .progress(let progress) = event { show(progress.fraction ?? 0) }
/// }
/// ```
///
/// The server must support one of two protocols: tus 1.0, or the draft of the IETF (draft-ietf-httpbis-resumable-upload,
/// as of version 13, with the interop version 10).
///
/// While the upload is incomplete, a small file beside the uploaded one records where it goes on. The same call continues
/// it after a lost connection, the end of the process, or days, as long as the file is the same and the server still has
/// the beginning.
public struct ResumableUpload: Sendable {
    /// The protocol tus 1.0, with its extension Creation.
    public static let tus = ResumableUpload(.tus)
    /// The draft of the IETF.
    public static let draft = ResumableUpload(.draft)
    /// The protocol that the server names when it is asked with OPTIONS.
    ///
    /// A server of the draft may also state the least size of a file whose upload can be resumed. A smaller file is
    /// then sent in one request, whatever ``partSize`` and ``createsWithBytes`` say.
    public static let detected = ResumableUpload(nil)

    /// The most bytes of one request. Defaults to `nil`, no limit of your own: one request sends all that is left, or
    /// 16 MiB with ``sendsChecksums``. Set it if a proxy in front of the server limits or buffers bodies.
    public var partSize: Int64?
    /// Whether the request that creates the upload has its first bytes too. Defaults to `false`. It saves a request.
    ///
    /// With tus, a server needs the extension Creation With Upload; any other gets these bytes twice. If the connection
    /// is lost before the server has named the URL of the upload, the upload starts over. With the draft, a server may
    /// name it at once with an interim response (104). One that does not know the draft gets an ordinary upload. If the
    /// whole file was sent, and there is no 104 and no answer, or one such as 503, the call therefore fails, because
    /// the file may be there. With a ``partSize``, such a server would take the first part for the whole file: set one
    /// only if it knows the draft.
    public var createsWithBytes = false
    /// Whether each request has the SHA-256 of its bytes, so that the server refuses bytes that were changed on the way,
    /// which are then sent again. Defaults to `false`. The bytes are read twice. With the draft, ``createsWithBytes`` and no
    /// ``partSize``, the whole file is read before the first request.
    ///
    /// With tus, the server needs the extension Checksum with the algorithm `sha256`. With the draft, this is
    /// `Content-Digest` (RFC 9530), which many servers do not verify.
    public var sendsChecksums = false
    /// How often and when an interrupted upload goes on. Attempts in a row count that bring the upload no further. A
    /// server that asks to wait longer than its `maximumDelay` ends the call. Defaults to ten attempts, whose
    /// delays are seven to ten minutes in all. The policy's `stableTime` and `allowsAnyMethod` have no effect.
    public var reconnecting: ReconnectPolicy = .standard
    /// The most time that the call takes, with all its requests and the delays between them. It then fails with
    /// `HTTPError.timedOut`, and the next call goes on with the upload. Defaults to `nil`, no limit.
    public var timeout: Duration?
    /// The place of the record. Defaults to a hidden file in the folder of the uploaded one. Set it if you may not write
    /// to that folder, as in a sandbox, or if several accounts upload to the same URL.
    public var record: URL?
    /// What the server is told about the file. Defaults to its `filename` and its `filetype`.
    ///
    /// With tus, all of it is `Upload-Metadata`. The draft has only these two, in `Content-Disposition` and
    /// `Content-Type`.
    public var metadata: [String: String]?

    let dialect: UploadDialect?

    private init(_ dialect: UploadDialect?) { self.dialect = dialect }
}

/// What happens during a resumable upload.
public enum UploadEvent: Sendable {
    /// Bytes were sent. The number never decreases: of bytes that have to be sent again, only the new ones count.
    case progress(TransferProgress)
    /// The server has the first bytes of an earlier attempt, and gets the rest.
    case resumed(at: Int64)
    /// The upload begins again, for this reason.
    case startedOver(String)
    /// The upload was interrupted by an error, and goes on after the delay.
    case interrupted(any Error, delay: Duration)
}

/// Passes events on, with a progress that never decreases.
struct UploadReport: Sendable {
    private let total: Int64
    private let onEvent: @Sendable (UploadEvent) -> Void
    private let rising: RisingProgress

    init(total: Int64, _ onEvent: @escaping @Sendable (UploadEvent) -> Void) {
        (self.total, self.onEvent) = (total, onEvent)
        rising = RisingProgress { onEvent(.progress($0)) }
    }

    func callAsFunction(_ event: UploadEvent) { onEvent(event) }

    func progress(_ completed: Int64) { rising(completed, of: total) }
}
