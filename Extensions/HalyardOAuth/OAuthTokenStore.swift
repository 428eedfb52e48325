public import HalyardFoundation
import Halyard
import HalyardHTTP
import HalyardSystem

/// Where the tokens of a login are kept between the runs of a program.
///
/// New tokens are saved before they are used, because a server may refuse the old refresh token from then on.
public protocol OAuthTokenStore: Sendable {
    /// Returns the tokens, or `nil` if there are none. If it throws, the request fails with that error.
    func load() async throws -> OAuthToken?
    /// Replaces the stored tokens; `nil` removes them. If it throws, the request or login fails with that error. After
    /// a failed renewal, the session keeps the new tokens in memory, and saves them before the next request.
    func save(_ token: OAuthToken?) async throws
    /// Calls a closure while no other process changes the tokens, and throws its error. A store of one process only
    /// calls it.
    func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value
}

extension OAuthTokenStore {
    /// Calls the closure. Throws its error.
    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await body()
    }
}

/// Keeps tokens until the program ends.
public final class OAuthMemoryStore: OAuthTokenStore {
    private let token: Lock<OAuthToken?>

    /// Makes a store, perhaps with the tokens of a login elsewhere.
    public init(_ token: OAuthToken? = nil) { self.token = Lock(token) }

    /// Returns the tokens.
    public func load() -> OAuthToken? { token.withLock(\.self) }

    /// Keeps tokens.
    public func save(_ token: OAuthToken?) { self.token.withLock { $0 = token } }
}

extension OAuthMemoryStore: SafelyDescribed {
    /// A fixed text. The tokens are not shown.
    public var description: String { "OAuth tokens in memory" }
}

/// Keeps tokens in a file that only the user can read. Several processes may share it.
///
/// The file is replaced as a whole. A file beside it with the ending `.lock` is locked while tokens are renewed.
public struct OAuthFileStore: OAuthTokenStore {
    private static let format = "halyard-oauth"
    private let url: URL

    /// Makes a store of a file, which need not exist yet.
    public init(_ file: URL) { url = file }

    /// Returns the tokens in the file. Throws ``HTTPError`` of kind `unreadableFile` for a file of another kind, and
    /// for one that belongs to another user.
    public func load() throws -> OAuthToken? {
        guard let data = try read(), !data.isEmpty else { return nil }
        // The parser's own error is not used: it may contain a part of the file.
        guard let json = try? JSON(parsing: data), json["format"].string == Self.format,
            let token = try? ObjectMapper(dates: .iso8601).decode(OAuthToken.self, from: json["token"].encoded())
        else {
            throw HTTPError(
                .unreadableFile(url.path), reason: "it has no tokens of OAuth, or is corrupt",
                suggestion: "Use another file, or move this one. It is not overwritten")
        }
        return token
    }

    /// Returns the content of the file. `nil` if there is none.
    private func read() throws -> Data? {
        var status = stat()
        if url.isFileURL, stat(url.path(percentEncoded: false), &status) != 0, errno == ENOENT { return nil }
        let file = try FileSource(url)
        // In a shared folder, another user could otherwise sign in this one to a foreign account, and read its tokens.
        guard fstat(file.descriptor, &status) == 0, status.st_uid == geteuid() else {
            throw HTTPError(
                .unreadableFile(url.path), reason: "it belongs to another user",
                suggestion: "Use another file, or make the user of this process its owner with chown")
        }
        return file.length == 0 ? Data() : try file.data(at: 0, atMost: 1 << 20)
    }

    /// Writes the tokens to the file, or removes the file. Throws ``HTTPError`` of kind `unwritableFile`, or
    /// `unreadableFile` for a file of another kind or of another user, which is not changed.
    public func save(_ token: OAuthToken?) throws {
        _ = try load()
        guard let token else {
            guard unlink(url.path(percentEncoded: false)) == 0 || errno == ENOENT else {
                throw HTTPError(.unwritableFile(url.path), reason: systemReason())
            }
            return
        }
        let json: JSON = [
            "format": .string(Self.format), "token": try JSON(parsing: ObjectMapper(dates: .iso8601).encode(token)),
        ]
        let file = try AtomicFile(url, prefix: ".\(url.lastPathComponent).halyard-", isPrivate: true)
        try json.encoded().withUnsafeBytes { try file.write($0) }
        try file.commit(isDurable: true)
    }

    /// Calls a closure while this process holds the file's lock. Throws ``HTTPError`` of kind `unwritableFile` if
    /// another process holds the lock for more than a minute or the lock file cannot be opened,
    /// `CancellationError`, or the error of the closure.
    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try url.makeFolder()
        let lock = try await lock()
        defer { lock.release() }
        return try await body()
    }

    private func lock() async throws -> UserOwnedFile {
        let path = url.path + ".lock"
        let end = ContinuousClock.now + Self.patience
        while true {
            let file = try UserOwnedFile.forLock(at: path)
            // Another program may have removed the file since it was opened.
            let isLocked = Result { try file.lock() && file.isStill(at: path) }
            if case .success(true) = isLocked { return file }
            file.release()
            _ = try isLocked.get()
            guard .now < end else {
                throw HTTPError(
                    .unwritableFile(url.path), reason: "another process has held \(path) for \(Self.patience.logText)",
                    isMomentary: true)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// How long another process may keep the lock: longer than a renewal takes.
    private static let patience = Duration.seconds(60)
}
