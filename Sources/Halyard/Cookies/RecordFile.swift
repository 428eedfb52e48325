import HalyardFoundation
import HalyardHTTP

/// A JSON file of records, which is replaced as a whole: after a crash it has either the old or the new content. Only
/// its user can read it.
struct RecordFile: Sendable {
    let url: URL
    /// The name of the format, which the file begins with.
    let format: String
    /// The name of the list in the file, and what the records are, for errors: `cookies`.
    let content: String

    private var path: String { url.path(percentEncoded: false) }
    private var prefix: String { ".\(url.lastPathComponent).halyard-" }

    /// Returns the records in the file. Empty if the file is missing or empty. `record` reads one; `nil` if it is not
    /// valid. Throws ``HTTPError`` of kind `unreadableFile` for a file of another kind, which must not be overwritten.
    func read<Record>(_ record: (JSON) -> Record?) throws(HTTPError) -> [Record] {
        if url.isFileURL { AtomicFile.removeLeftovers(beside: url, prefix: prefix) }
        guard let data = try FileSource.read(url), !data.isEmpty else { return [] }
        // The parser's own error is not used: it may contain a part of the file.
        guard let json = try? JSON(parsing: data), json["format"].string == format, let list = json[content].array
        else { throw foreign("it does not contain \(content), or it is corrupt") }
        guard json["version"].int == 1 else { throw foreign("a later version of Halyard wrote it") }
        let records = list.compactMap(record)
        guard records.count == list.count else { throw foreign("one of its \(content) is not valid") }
        return records
    }

    private func foreign(_ reason: String) -> HTTPError {
        HTTPError(
            .unreadableFile(path), reason: reason,
            suggestion: "Use another file for the \(content), or move this one. It is not overwritten")
    }

    /// Replaces the file. Throws ``HTTPError`` of kind `unwritableFile`.
    func write(_ records: [JSON]) throws(HTTPError) {
        let json: JSON = ["format": .string(format), "version": 1, content: .array(records)]
        let data = Data(json.prettyPrinted.utf8)
        let file = try AtomicFile(url, prefix: prefix, isPrivate: true, isPatient: true)
        do { try data.withUnsafeBytes { try file.write($0) } } catch {
            throw error as? HTTPError ?? HTTPError(.unwritableFile(path), cause: error)
        }
        try file.commit(isDurable: true)
    }
}
