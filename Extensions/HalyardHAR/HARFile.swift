package import HalyardFoundation
import HalyardHTTP
import HalyardSystem

/// A file with an archive, which grows by one entry at a time. After each entry it is a complete archive.
package final class HARFile: Sendable {
    private struct State: Sendable {
        /// The position of the text after the last entry.
        var end: Int64 = 0
        var isEmpty = true
    }

    private let path: String
    private let descriptor: CInt
    private let state = Lock(State())
    /// The first version is that of the format, the second that of Halyard's newest release in the changelog.
    private static let head = #"{"log":{"version":"1.2","creator":{"name":"Halyard","version":"0.1.0"},"entries":["#
    private static let tail = "\n]}}\n"

    /// Makes an empty archive. A file at its place is replaced. Missing folders are made.
    ///
    /// - Parameter url: The file. Only its owner can read it (mode 0600), because bodies may be private.
    /// - Throws: ``HTTPError`` of kind `unwritableFile`.
    package init(_ url: URL) throws(HTTPError) {
        path = url.path(percentEncoded: false)
        try url.makeFolder()
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        // An existing file keeps its mode.
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else {
            throw HTTPError(.unwritableFile(path), reason: systemReason())
        }
        try state.withLock { state throws(HTTPError) in
            try write(Self.head + Self.tail, at: 0)
            state.end = Int64(Self.head.utf8.count)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends an entry.
    ///
    /// - Throws: `EncodingError`, or ``HTTPError`` of kind `unwritableFile`.
    package func append(_ entry: HAREntry) throws {
        let json = String(decoding: try HARDocument.mapper.encode(entry), as: UTF8.self)
        try state.withLock { state in
            let text = (state.isEmpty ? "\n" : ",\n") + json
            // One call writes the entry and the end of the archive, so that a program that stops leaves it complete.
            try write(text + Self.tail, at: state.end)
            state.end += Int64(text.utf8.count)
            state.isEmpty = false
        }
    }

    private func write(_ text: String, at offset: Int64) throws(HTTPError) {
        var text = text
        let isWritten = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: descriptor, at: offset) }
        if !isWritten { throw HTTPError(.unwritableFile(path), reason: systemReason()) }
    }
}
