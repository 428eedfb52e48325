package import HalyardFoundation
import HalyardSystem

/// The partial file of a resumable download, in the folder of ``target``. It is kept when a request is interrupted. The
/// record beside it, a ``ResumeRecord``, identifies the download that its bytes belong to.
///
/// One request at a time holds its lock.
package final class PartialFile: Sendable {
    private struct State: Sendable {
        /// `nil` once the request is over.
        var file: UserOwnedFile?
        var permit: DescriptorPermit?
        var length: Int64
        var known: ResumeRecord?
        /// The range that was requested last.
        var rest: ResumeRecord.Rest?
        /// The reason why the last request was for the whole body.
        var noResumeReason: ResumeRecord.Cause?
        /// The note for the log about the current response.
        var note: ResumeRecord.Note?
        /// The number of the current response. Writes of earlier responses, which may arrive late, are rejected.
        var responseNumber = 0
        /// The offset where the current body ends, and the length of the whole body.
        var end, total: Int64?
    }

    package let target: URL
    private let path: String
    private let recordURL: URL
    private let requestHash: String
    private let state: Lock<State>

    /// Opens the partial file of a target, and makes the missing folders of the target. Returns `nil` while another
    /// request holds it.
    ///
    /// - Parameters:
    ///   - target: The final URL of the file.
    ///   - requestHash: The hash of the request.
    ///   - permit: Released when the file is closed.
    /// - Throws: A fault of kind `unwritableFile`.
    package convenience init?(of target: URL, requestHash: String, _ permit: DescriptorPermit?) throws(Fault) {
        try self.init(of: target, requestHash: requestHash)
        state.withLock { $0.permit = permit }
    }

    /// Opens the partial file of a target. Returns `nil` while another request holds it.
    package init?(of target: URL, requestHash: String) throws(Fault) {
        (self.target, self.requestHash) = (target, requestHash)
        try target.requireFileTarget()
        let folder = target.deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = Self.name(for: target.lastPathComponent)
        path = folder.appending(path: name).path(percentEncoded: false)
        recordURL = folder.appending(path: name + ".json")
        do throws(UserOwnedFile.Refusal) {
            guard let file = try Self.opened(path, for: target) else { return nil }
            state = Lock(State(file: file, length: file.length, known: Self.record(at: recordURL)))
        } catch {
            throw Fault(
                .unwritableFile(target.path(percentEncoded: false)), reason: error.reason,
                isTemporary: error.isTemporary)
        }
    }

    deinit { release() }

    /// The name of a partial file: hidden, distinct for each target, and no longer than a file name may be.
    private static func name(for name: String) -> String {
        let stem = name.utf8.count <= 200 ? name : SHA256Digest.hexDigest(of: name)
        return ".\(stem).halyard-part"
    }

    private static func opened(_ path: String, for target: URL) throws(UserOwnedFile.Refusal) -> UserOwnedFile? {
        for _ in 0..<16 {
            let file = try UserOwnedFile(path, O_RDWR | O_CREAT)
            let isLocked: Bool
            do throws(UserOwnedFile.Refusal) { isLocked = try file.lock() } catch {
                file.release()
                throw error
            }
            guard isLocked else {
                file.release()
                return nil
            }
            // Its last holder may have moved or removed it while this request waited for the lock.
            if file.isStill(at: path) { return file }
            file.release()
        }
        return nil
    }

    private static func record(at url: URL) -> ResumeRecord? {
        guard let file = try? UserOwnedFile(url.path(percentEncoded: false), O_RDONLY) else { return nil }
        defer { file.release() }
        return ResumeRecord(record: Data(file.content(limit: 64 << 10)))
    }
}

// Used by the pipeline.
extension PartialFile {
    /// Returns what is missing, for a request to this source; `nil` when the whole body must be requested.
    package func rest(from source: String) -> ResumeRecord.Rest? {
        state.withLock { state in
            let isSame = state.known?.requestHash == requestHash && state.known?.source == source
            if !isSame && state.known != nil && state.length > 0 { state.noResumeReason = .anotherSource }
            state.note = nil
            state.rest = isSame ? state.known?.rest(after: state.length) : nil
            return state.rest
        }
    }

    /// Why the current body starts over or cannot be resumed.
    package var note: ResumeRecord.Note? { state.withLock(\.note) }

    /// Discards the bytes of the partial file if the last request was for a range. Returns whether it was.
    package func startOver() -> Bool {
        state.withLock { state in
            guard state.rest != nil else { return false }
            reset(&state)
            state.noResumeReason = .tooShort
            return true
        }
    }

    /// Releases the file at the end of the request. It is kept only if it can be resumed.
    package func release() {
        state.withLock { state in
            guard let file = state.file else { return }
            if state.length == 0 || state.known == nil { remove() }
            file.release()
            (state.file, state.permit) = (nil, nil)
        }
    }

    private func remove() {
        unlink(recordURL.path(percentEncoded: false))
        unlink(path)
    }

    private func reset(_ state: inout State) {
        unlink(recordURL.path(percentEncoded: false))
        (state.known, state.rest, state.length) = (nil, nil, 0)
        state.responseNumber += 1
        try? state.file?.truncate(to: 0)
    }
}

// Used by a response.
extension PartialFile {
    /// Prepares for the body of a 2xx.
    ///
    /// - Throws: A fault of kind `invalidResponse` for a body that does not fit the bytes, which are removed.
    package func begin(_ status: Int, _ headers: HTTPHeaders, source: String) throws(Fault) -> any DownloadFile {
        try opening(status, headers, source: source).open()
    }

    /// Decides what to do with the body of a 2xx. Opening the result prepares the file.
    ///
    /// - Throws: A fault of kind `invalidResponse` for a body that does not fit the bytes, which are removed.
    package func opening(_ status: Int, _ headers: HTTPHeaders, source: String) throws(Fault) -> DownloadFileOpening {
        let (decision, note) = try state.withLock { state throws(Fault) in
            do throws(Fault) {
                let decision = try ResumeDecision(
                    after: status, headers, to: state.rest, requestHash: requestHash, source: source)
                state.note = ResumeRecord.note(
                    after: status, headers, to: state.rest, noResumeReason: state.noResumeReason)
                return (decision, state.note)
            } catch {
                if status == 206 { reset(&state) }
                throw error
            }
        }
        var offset: Int64 = 0
        if case .append(let first, _, _) = decision { offset = first }
        return DownloadFileOpening(offset: offset, isResumable: decision != .separateFile) { () throws(Fault) in
            try self.begin(decision, note)
        }
    }

    private func begin(
        _ decision: ResumeDecision, _ note: ResumeRecord.Note?
    ) throws(Fault) -> ResumableDownloadFile {
        try state.withLock { state throws(Fault) in
            guard let file = state.file else { throw Fault(.cancelled) }
            state.responseNumber += 1
            switch decision {
            case .separateFile:
                return ResumableDownloadFile(
                    self, responseNumber: state.responseNumber, note: note, separateFile: try AtomicFile(at: target))
            case .append(let first, let end, let total):
                try writing { () throws(UserOwnedFile.Refusal) in try file.truncate(to: first) }
                (state.length, state.end, state.total) = (first, end, total)
                return ResumableDownloadFile(self, responseNumber: state.responseNumber, offset: first)
            case .startOver(let known):
                reset(&state)
                try writing { () throws(UserOwnedFile.Refusal) in try file.truncate(to: 0) }
                try writeRecord(known)
                (state.known, state.end, state.total) = (known, known.total, known.total)
                return ResumableDownloadFile(self, responseNumber: state.responseNumber, note: note)
            }
        }
    }

    /// Appends bytes of the response with this number.
    func write(_ bytes: UnsafeRawBufferPointer, responseNumber: Int) throws(Fault) {
        try state.withLock { state throws(Fault) in
            guard let file = state.file, state.responseNumber == responseNumber else { throw Fault(.cancelled) }
            let length = state.length + Int64(bytes.count)
            guard length <= state.end ?? .max else {
                reset(&state)
                throw ResumeDecision.mismatch("the response has more bytes than its Content-Range states")
            }
            try writing { () throws(UserOwnedFile.Refusal) in try file.write(bytes, at: state.length) }
            state.length = length
        }
    }

    /// Checks that the whole body has arrived.
    ///
    /// - Throws: A fault of kind `connectionLost`. The bytes stay, so that a retry or a later request can resume.
    func checkComplete() throws(Fault) {
        let (length, total) = state.withLock { ($0.length, $0.total) }
        guard let total, length != total else { return }
        throw Fault(.connectionLost, reason: "only \(length) of \(total) bytes arrived")
    }

    /// Renames the file to ``target``.
    func moveIntoPlace() throws(Fault) {
        try state.withLock { state throws(Fault) in
            guard let file = state.file else { return }
            try writing { () throws(UserOwnedFile.Refusal) in
                guard rename(path, target.path(percentEncoded: false)) == 0 else {
                    throw .init(reason: systemReason())
                }
            }
            unlink(recordURL.path(percentEncoded: false))
            file.release()
            (state.file, state.permit) = (nil, nil)
        }
    }

    /// Removes all bytes and releases the file.
    func abandon() {
        state.withLock { state in
            if state.file != nil { reset(&state) }
        }
        release()
    }

    private func writeRecord(_ known: ResumeRecord) throws(Fault) {
        do {
            let file = try AtomicFile(at: recordURL, isPrivate: true)
            try known.record.withUnsafeBytes { try file.append($0) }
            try file.moveIntoPlace()
        } catch { throw Fault(.unwritableFile(target.path(percentEncoded: false)), cause: error) }
    }

    private func writing(_ body: () throws(UserOwnedFile.Refusal) -> Void) throws(Fault) {
        do throws(UserOwnedFile.Refusal) { try body() } catch {
            throw Fault(.unwritableFile(target.path(percentEncoded: false)), reason: error.reason)
        }
    }
}
