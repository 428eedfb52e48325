package import HalyardFoundation

/// The destination of one response's body: a ``PartFile``, or a file beside it when the body cannot be resumed.
package final class PartSink: BodyFile {
    private let part: PartFile
    private let turn: Int
    package let offset: Int64
    /// Why the body does not continue an earlier one, or cannot be resumed.
    package let note: PartialDownload.Note?
    /// Written instead of the part, which stays unchanged until this file moves into its place.
    private let aside: FileSink?

    init(_ part: PartFile, turn: Int, offset: Int64 = 0, note: PartialDownload.Note? = nil, aside: FileSink? = nil) {
        self.part = part
        self.turn = turn
        self.offset = offset
        self.note = note
        self.aside = aside
    }

    package var target: URL { part.target }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(Fault) {
        if let aside { try aside.append(bytes) } else { try part.write(bytes, turn: turn) }
    }

    /// Checks that the whole body has arrived. See ``PartFile/checkWhole()``.
    package func checkWhole() throws(Fault) {
        if aside == nil { try part.checkWhole() }
    }

    package func moveIntoPlace() throws(Fault) {
        guard let aside else { return try part.commit() }
        try aside.moveIntoPlace()
        part.abandon()
    }

    package func discard() { aside?.discard() }

    package func end(isRefused: Bool) {
        discard()
        if isRefused && aside == nil { part.abandon() } else { part.release() }
    }
}
