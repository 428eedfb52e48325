#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// One response's body on its way into a ``PartFile``, or past it where it could not be resumed.
package final class PartSink: BodyFile {
    private let part: PartFile
    private let turn: Int
    package let offset: Int64
    /// Why it does not go on where an earlier one broke off, or could not.
    package let note: PartialDownload.Note?
    /// What is written instead, and leaves the part as it is until it is committed.
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

    /// Checks that all of it is there. See ``PartFile/checkWhole()``.
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
