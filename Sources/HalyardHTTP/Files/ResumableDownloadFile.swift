package import HalyardFoundation

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
