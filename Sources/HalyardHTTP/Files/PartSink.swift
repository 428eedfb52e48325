package import HalyardFoundation

/// The destination of one response's body: a ``PartFile``, or a file beside it when the body cannot be resumed.
package final class PartSink: BodyFile {
    private let part: PartFile
    private let responseNumber: Int
    package let offset: Int64
    /// Why the body does not continue an earlier one, or cannot be resumed.
    package let note: PartialDownload.Note?
    /// Written instead of the part, which stays unchanged until this file moves into its place.
    private let separateFile: FileSink?

    init(
        _ part: PartFile, responseNumber: Int, offset: Int64 = 0, note: PartialDownload.Note? = nil,
        separateFile: FileSink? = nil
    ) {
        self.part = part
        self.responseNumber = responseNumber
        self.offset = offset
        self.note = note
        self.separateFile = separateFile
    }

    package var target: URL { part.target }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(Fault) {
        if let separateFile {
            try separateFile.append(bytes)
        } else {
            try part.write(bytes, responseNumber: responseNumber)
        }
    }

    /// Checks that the whole body has arrived. See ``PartFile/checkComplete()``.
    package func checkComplete() throws(Fault) {
        if separateFile == nil { try part.checkComplete() }
    }

    package func moveIntoPlace() throws(Fault) {
        guard let separateFile else { return try part.commit() }
        try separateFile.moveIntoPlace()
        part.abandon()
    }

    package func discard() { separateFile?.discard() }

    package func end(isRefused: Bool) {
        discard()
        if isRefused && separateFile == nil { part.abandon() } else { part.release() }
    }
}
