package import HalyardFoundation
import HalyardSystem

/// Where the bytes of an incomplete download are: two hidden files in the folder of its target, one with the bytes and
/// one with the record that identifies them.
package struct PartialPlace: Sendable {
    package let target: URL
    /// The path of the bytes.
    package let path: String
    private let recordURL: URL

    package init(of target: URL) {
        self.target = target
        // Distinct for each target, and no longer than a file name may be.
        let name = target.lastPathComponent
        let stem = name.utf8.count <= 200 ? name : SHA256Digest.hexDigest(of: name)
        let folder = target.deletingLastPathComponent()
        path = folder.appending(path: ".\(stem).halyard-part").path(percentEncoded: false)
        recordURL = folder.appending(path: ".\(stem).halyard-part.json")
    }

    /// Opens and locks the file of the bytes, and makes it if it is missing. Returns `nil` while another request holds
    /// it. Throws ``HTTPError`` of kind `unwritableFile`.
    package func open() throws(HTTPError) -> UserOwnedFile? {
        for _ in 0..<16 {
            let file = try UserOwnedFile(path, O_RDWR | O_CREAT, of: target.path(percentEncoded: false))
            var isKept = false
            defer { if !isKept { file.release() } }
            guard try file.lock() else { return nil }
            // Its last holder may have moved or removed it while this request waited for the lock.
            isKept = file.isStill(at: path)
            if isKept { return file }
        }
        return nil
    }

    /// Reads the record. `nil` if there is none that can be used.
    package func record() -> ResumeRecord? {
        guard let file = try? UserOwnedFile(recordURL.path(percentEncoded: false), O_RDONLY) else { return nil }
        defer { file.release() }
        return ResumeRecord(record: Data(file.content(limit: 64 << 10)))
    }

    /// Writes the record. Throws ``HTTPError`` of kind `unwritableFile`.
    package func write(_ record: ResumeRecord) throws(HTTPError) {
        let file = try AtomicFile(recordURL, isPrivate: true, isPatient: true)
        try Array(record.record).withUnsafeBufferPointer { bytes throws(HTTPError) in
            try file.write(UnsafeRawBufferPointer(bytes))
        }
        try file.commit()
    }

    /// The number of bytes of an incomplete body that are there, and its length if it is known. `nil` if no download can
    /// be continued.
    package func progress() -> (completed: Int64, total: Int64?)? {
        guard let record = record(), let file = try? UserOwnedFile(path, O_RDONLY) else { return nil }
        defer { file.release() }
        guard file.length > record.total ?? .max else { return file.length > 0 ? (file.length, record.total) : nil }
        return SegmentPlan(of: record, in: file).map { ($0.completed, record.total) }
    }

    /// Whether there may be a file of bytes.
    package var exists: Bool { access(path, F_OK) == 0 || ![ENOENT, ENOTDIR].contains(errno) }

    package func removeRecord() { unlink(recordURL.path(percentEncoded: false)) }

    /// Removes both files. The caller holds the lock.
    package func remove() {
        removeRecord()
        unlink(path)
    }
}
