import HalyardCodable
import HalyardFoundation
import HalyardHTTP
import HalyardSystem

/// Where an incomplete upload goes on.
struct UploadRecord: Codable, Equatable {
    var format = Self.name
    var version = 1
    var dialect: UploadDialect
    /// The URL of the upload, which is a secret: servers take bytes from every client that knows it.
    var url: String
    /// The hash of the URL that creates uploads.
    var target: String
    /// The version of the file; see ``FileSource/version``.
    var file: String

    static let name = "halyard-upload"
}

/// The file with the record, which only the user can read, and the lock beside it.
struct UploadRecordStore: Sendable {
    /// The hash of the URL that creates uploads.
    let target: String
    private let url: URL
    private let lock: UserOwnedFile

    /// Locks the record of a file and of the target of a route. Throws ``HTTPError`` of kind `unwritableFile`.
    init(file: URL, _ route: Route, of provider: some HTTPProvider, at place: URL?) throws {
        // Without the provider's own parameters, which may be others next time.
        let request = try RequestBuilder.request(for: route.creatingUpload, of: Bare(baseURL: provider.baseURL))
        target = SHA256Digest.hexDigest(of: request.url.absoluteString)
        let name = file.lastPathComponent
        let digest = SHA256Digest.hexDigest(of: "\(target) \(name)").prefix(16)
        let folder = file.deletingLastPathComponent()
        // The system limits names, and the name of the temporary file is longer.
        var stem = name.prefix(32)
        while stem.utf8.count > 128 { stem.removeLast() }
        let url = place ?? folder.appending(path: ".\(stem).\(digest).upload")
        self.url = url
        lock = try Self.explained {
            try url.makeFolder()
            return try Self.lock(url.path(percentEncoded: false) + ".lock")
        }
    }

    private static func lock(_ path: String) throws(HTTPError) -> UserOwnedFile {
        while true {
            let file = try UserOwnedFile.forLock(at: path)
            guard file.length == 0 else {
                file.release()
                throw HTTPError(.unwritableFile(path), reason: "it is not the lock of an upload")
            }
            guard try file.lock() else {
                file.release()
                throw HTTPError(
                    .unwritableFile(path), reason: "another call is uploading the file",
                    suggestion: "Wait for it, or cancel it", isMomentary: true)
            }
            // Another call may have removed the file since it was opened.
            if file.isStill(at: path) { return file }
            file.release()
        }
    }

    /// Removes the lock.
    func release() {
        let path = url.path(percentEncoded: false) + ".lock"
        if lock.isStill(at: path) { _ = unlink(path) }
        lock.release()
    }

    /// Returns the record. `nil` for none. Throws ``HTTPError`` of kind `unwritableFile` for another file, which must
    /// not be replaced, and for one of another user, which could lead the bytes to another server.
    func load() throws -> UploadRecord? {
        let path = url.path(percentEncoded: false)
        guard let bytes = try Self.explained({ try UserOwnedFile.read(path, limit: 1 << 16) }) else { return nil }
        guard let record = try? JSONDecoder().decode(UploadRecord.self, from: Data(bytes)),
            record.format == UploadRecord.name, record.version == 1
        else {
            throw HTTPError(
                .unwritableFile(path), reason: "it is not the record of an upload",
                suggestion: "Use another file as the `record`, or remove this one")
        }
        return record
    }

    /// Returns the record of an upload to the target. `nil` for none, and for one of another target.
    func known() throws -> UploadRecord? { try load().flatMap { $0.target == target ? $0 : nil } }

    func save(_ record: UploadRecord) throws {
        try Self.explained {
            let file = try AtomicFile(url, prefix: ".\(url.lastPathComponent).halyard-", isPrivate: true)
            try JSONEncoder().encode(record).withUnsafeBytes { try file.write($0) }
            try file.commit(isDurable: true)
        }
    }

    func remove() { _ = unlink(url.path(percentEncoded: false)) }

    /// Adds the way out to the errors of a folder that is not the user's.
    private static func explained<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as HTTPError where error.suggestion == nil {
            throw error.with { $0.suggestion = "Set the `record` of the upload to a file in a folder of your own" }
        }
    }
}

/// A provider that adds nothing.
private struct Bare: HTTPProvider {
    let baseURL: URL
}
