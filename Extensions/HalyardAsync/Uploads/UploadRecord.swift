import HalyardCodable
import HalyardFoundation
import HalyardHTTP
import HalyardSystem

/// Where an incomplete upload goes on.
struct UploadRecord: Codable, Equatable {
    var format = Self.name
    var version = 1
    var dialect: UploadDialect
    /// The URL of the upload. Whoever knows it may append to it.
    var url: String
    /// The version of the file; see ``FileSource/version``.
    var file: String

    static let name = "halyard-upload"
}

/// The file with the record, which only the user can read, and the lock beside it.
struct UploadRecordStore: Sendable {
    private let url: URL
    private let lock: UserOwnedFile

    /// Locks the record of a file and of the target of a route. Throws ``HTTPError`` of kind `unwritableFile`.
    init(file: URL, _ route: Route, of provider: some HTTPProvider, at place: URL?) throws {
        var creation = route
        (creation.body, creation.multipart, creation.encoding) = (nil, nil, .url)
        // Without the provider's own parameters, which may be others next time.
        let target = try RequestBuilder.request(for: creation, of: Bare(baseURL: provider.baseURL)).url.absoluteString
        let digest = SHA256Digest.hexDigest(of: target).prefix(16)
        let folder = file.deletingLastPathComponent()
        url = place ?? folder.appending(path: ".\(file.lastPathComponent).\(digest).upload")
        try url.makeFolder()
        lock = try Self.lock(url)
    }

    private static func lock(_ url: URL) throws(HTTPError) -> UserOwnedFile {
        let path = url.path(percentEncoded: false) + ".lock"
        while true {
            let file = try UserOwnedFile.forLock(at: path)
            guard try file.lock() else {
                file.release()
                throw HTTPError(
                    .unwritableFile(path), reason: "another call is uploading the file", isMomentary: true)
            }
            // Another call may have removed the file since it was opened.
            if file.isStill(at: path) { return file }
            file.release()
        }
    }

    /// Removes the lock.
    func release() {
        _ = unlink(url.path(percentEncoded: false) + ".lock")
        lock.release()
    }

    /// Returns the record. `nil` for none. Throws ``HTTPError`` of kind `unwritableFile` for another file, which must
    /// not be replaced.
    func load() throws -> UploadRecord? {
        guard let data = try FileSource.read(url), !data.isEmpty else { return nil }
        guard let record = try? JSONDecoder().decode(UploadRecord.self, from: data),
            record.format == UploadRecord.name, record.version == 1
        else {
            throw HTTPError(
                .unwritableFile(url.path), reason: "it is not the record of an upload",
                suggestion: "Use another file as the `record`, or remove this one")
        }
        return record
    }

    func save(_ record: UploadRecord) throws {
        let file = try AtomicFile(url, prefix: ".\(url.lastPathComponent).halyard-", isPrivate: true)
        try JSONEncoder().encode(record).withUnsafeBytes { try file.write($0) }
        try file.commit(isDurable: true)
    }

    func remove() { _ = unlink(url.path(percentEncoded: false)) }
}

/// A provider that adds nothing.
private struct Bare: HTTPProvider {
    let baseURL: URL
}
