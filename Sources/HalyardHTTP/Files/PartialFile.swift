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

    private let place: PartialPlace
    private let requestHash: String
    private let state: Lock<State>
    /// Held during work on the disk, which is done in order. The lock of the state is not held meanwhile: reading a
    /// response's header fields never waits for the disk. The value is the digest of the bytes, if a request wants it.
    private let disk = Lock<RunningDigest?>(nil)

    /// Opens the partial file of a target, and makes the missing folders of the target. Returns `nil` while another
    /// request holds it. `permit` is released when the file is closed. Throws ``HTTPError`` of kind `unwritableFile`.
    package init?(of target: URL, requestHash: String, _ permit: DescriptorPermit? = nil) throws(HTTPError) {
        (place, self.requestHash) = (PartialPlace(of: target), requestHash)
        try target.makeFolder()
        guard let file = try place.open() else { return nil }
        state = Lock(State(file: file, permit: permit, length: file.length, known: place.record()))
    }

    deinit { release() }

    package var target: URL { place.target }
    var path: String { place.path }
}

// Used by the pipeline.
extension PartialFile {
    /// Returns what is missing, for a request to this source; `nil` when the whole body must be requested.
    package func rest(from source: String) -> ResumeRecord.Rest? {
        state.withLock { state in
            let isSame = state.known?.requestHash == requestHash && state.known?.source == source
            if let known = state.known, state.length > 0 {
                if !isSame { state.noResumeReason = .anotherSource }
                if isSame && state.length > known.total ?? .max { state.noResumeReason = .severalConnections }
            }
            state.note = nil
            state.rest = isSame ? state.known?.rest(after: state.length) : nil
            return state.rest
        }
    }

    /// Why the current body starts over or cannot be resumed.
    package var note: ResumeRecord.Note? { state.withLock(\.note) }

    /// Discards the bytes of the partial file if the last request was for a range. Returns whether it was.
    package func startOver() -> Bool {
        disk.withLock { _ in
            guard state.withLock({ $0.rest != nil }) else { return false }
            reset()
            state.withLock { $0.noResumeReason = .tooShort }
            return true
        }
    }

    /// Releases the file at the end of the request. It is kept only if it can be resumed.
    package func release() {
        disk.withLock { _ in
            let (file, permit, isKept) = state.withLock { state in
                defer { (state.file, state.permit) = (nil, nil) }
                return (state.file, state.permit, state.length > 0 && state.known != nil)
            }
            guard let file else { return }
            if !isKept { place.remove() }
            file.release()
            withExtendedLifetime(permit) {}
        }
    }

    /// Discards the bytes. The lock of the disk is held.
    private func reset() {
        let file = state.withLock { state in
            (state.known, state.rest, state.length) = (nil, nil, 0)
            state.responseNumber += 1
            return state.file
        }
        place.removeRecord()
        // A failure shows when the file is begun again, which truncates it as well.
        try? file?.truncate(to: 0)
    }
}

// Used by a response.
extension PartialFile {
    /// Decides what to do with the body of a 2xx. It does not wait for the disk. Opening the result prepares the file.
    ///
    /// Opening throws an error of kind `invalidResponse` for a part of the body that does not fit the bytes, and
    /// removes them. Throws ``HTTPError`` of kind `invalidResponse` for another body that does not fit. `isHashed` says
    /// whether the file computes its digest.
    package func opening(
        _ status: Int, _ headers: HTTPHeaders, source: String, isHashed: Bool = false
    ) throws(HTTPError) -> DownloadFileOpening {
        let decision: ResumeDecision
        let note: ResumeRecord.Note?
        do throws(HTTPError) {
            (decision, note) = try state.withLock { state throws(HTTPError) in
                let decision = try ResumeDecision(
                    after: status, headers, to: state.rest, requestHash: requestHash, source: source)
                state.note = ResumeRecord.note(
                    after: status, headers, to: state.rest, noResumeReason: state.noResumeReason)
                return (decision, state.note)
            }
        } catch {
            guard status == 206 else { throw error }
            return DownloadFileOpening { () throws(HTTPError) in
                self.disk.withLock { _ in self.reset() }
                throw error
            }
        }
        var offset: Int64 = 0
        if case .append(let first, _, _) = decision { offset = first }
        return DownloadFileOpening(offset: offset, isResumable: decision != .separateFile) { () throws(HTTPError) in
            try self.disk.withLock { digest throws(HTTPError) in
                let file = try self.begin(decision, note, isHashed)
                let known = isHashed ? digest ?? RunningDigest() : nil
                digest = try known?.reaching(file.offset, of: self.path)
                return file
            }
        }
    }

    /// Prepares the file. The lock of the disk is held.
    private func begin(
        _ decision: ResumeDecision, _ note: ResumeRecord.Note?, _ isHashed: Bool
    ) throws(HTTPError) -> ResumableDownloadFile {
        guard let file = state.withLock({ $0.file }) else { throw HTTPError(.cancelled) }
        switch decision {
        case .separateFile:
            let separateFile = try AtomicFile(target, isPatient: true, isHashed: isHashed)
            return ResumableDownloadFile(
                self, responseNumber: nextResponse(), note: note, separateFile: separateFile)
        case .append(let first, let end, let total):
            try file.truncate(to: first)
            let number = nextResponse { ($0.length, $0.end, $0.total) = (first, end, total) }
            return ResumableDownloadFile(self, responseNumber: number, offset: first)
        case .startOver(let known):
            reset()
            try file.truncate(to: 0)
            try place.write(known)
            let number = nextResponse { ($0.known, $0.end, $0.total) = (known, known.total, known.total) }
            return ResumableDownloadFile(self, responseNumber: number, note: note)
        }
    }

    /// Changes the state for the next response, and returns its number.
    private func nextResponse(_ change: (inout State) -> Void = { _ in }) -> Int {
        state.withLock { state in
            state.responseNumber += 1
            change(&state)
            return state.responseNumber
        }
    }

    /// Appends bytes of the response with this number.
    func write(_ bytes: UnsafeRawBufferPointer, responseNumber: Int) throws(HTTPError) {
        try disk.withLock { digest throws(HTTPError) in
            let (file, offset, end) = try state.withLock { state throws(HTTPError) in
                guard let file = state.file, state.responseNumber == responseNumber else { throw HTTPError(.cancelled) }
                return (file, state.length, state.end ?? .max)
            }
            let length = offset + Int64(bytes.count)
            guard length <= end else {
                reset()
                throw ResumeDecision.mismatch("the response has more bytes than its Content-Range states")
            }
            try file.write(bytes, at: offset)
            digest?.add(bytes)
            state.withLock { $0.length = length }
        }
    }

    /// Checks that the whole body has arrived. Throws ``HTTPError`` of kind `connectionLost`. The bytes stay, so that a
    /// retry or a later request can resume.
    func checkComplete() throws(HTTPError) {
        let (length, total) = state.withLock { ($0.length, $0.total) }
        guard let total, length != total else { return }
        throw HTTPError(.connectionLost, reason: "only \(length) of \(total) bytes arrived")
    }

    /// The SHA-256 of the bytes. `nil` if no request wants it.
    var digest: Data? { disk.withLock { $0?.value } }

    /// Renames the file to ``target``.
    func commit() throws(HTTPError) {
        try disk.withLock { _ throws(HTTPError) in
            guard let file = state.withLock({ $0.file }) else { return }
            try file.move(from: path)
            place.removeRecord()
            file.release()
            state.withLock { ($0.file, $0.permit) = (nil, nil) }
        }
    }

    /// Removes all bytes and releases the file.
    func abandon() {
        disk.withLock { _ in
            if state.withLock({ $0.file != nil }) { reset() }
        }
        release()
    }
}

/// The destination of one response's body: a ``PartialFile``, or a file beside it when the body cannot be resumed.
package final class ResumableDownloadFile: DownloadFile {
    private let partialFile: PartialFile
    private let responseNumber: Int
    package let offset: Int64
    /// Why the body does not continue an earlier one, or cannot be resumed.
    package let note: ResumeRecord.Note?
    /// Written instead of the partial file, which stays unchanged until this file is renamed to ``target``.
    private let separateFile: AtomicFile?

    init(
        _ partialFile: PartialFile, responseNumber: Int, offset: Int64 = 0, note: ResumeRecord.Note? = nil,
        separateFile: AtomicFile? = nil
    ) {
        self.partialFile = partialFile
        self.responseNumber = responseNumber
        self.offset = offset
        self.note = note
        self.separateFile = separateFile
    }

    package var target: URL { partialFile.target }
    package var path: String { separateFile?.path ?? partialFile.path }
    package var digest: Data? { separateFile.map(\.digest) ?? partialFile.digest }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) {
        if let separateFile {
            try separateFile.write(bytes)
        } else {
            try partialFile.write(bytes, responseNumber: responseNumber)
        }
    }

    /// Checks that the whole body has arrived. See ``PartialFile/checkComplete()``.
    package func checkComplete() throws(HTTPError) {
        if separateFile == nil { try partialFile.checkComplete() }
    }

    package func commit() throws(HTTPError) {
        guard let separateFile else { return try partialFile.commit() }
        try separateFile.commit()
        partialFile.abandon()
    }

    package func discard() { separateFile?.discard() }

    package func end(isRefused: Bool) {
        discard()
        if isRefused && separateFile == nil { partialFile.abandon() } else { partialFile.release() }
    }
}
