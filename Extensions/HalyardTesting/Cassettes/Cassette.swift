public import HalyardFoundation
import HalyardHAR
public import HalyardHTTP
import Halyard

/// A transport that records a real server's responses in a file and later replays them without a network.
///
/// ```swift
/// let cassette = try Cassette("issues")        // Cassettes/issues.har, beside the file of the test
/// let api = TrackerAPI(client: HTTPClient(transport: cassette))
/// #expect(try await api.send(Issues.list).count == 30)
/// ```
///
/// The first run records, because there is no file. Later runs replay. Commit the file. To record it again, delete it
/// or use ``Mode/record``.
///
/// - The file is an HTTP Archive (HAR 1.2), which you can open in the network panels of browsers. You can also replay
///   an archive that a browser has exported.
/// - Secrets are masked when they are recorded, by the same rules as in logs: headers, parameters and JSON members such
///   as `Authorization`, `api_key` and `access_token`, and the provider's `secretNames`. On replay, the test receives
///   `***` in their place.
/// - The bodies of requests and responses are recorded, including downloads and streams. If the reader leaves a stream,
///   the part that was received is recorded. A failed request is not recorded.
/// - The file is written when a response is recorded, before the request returns it. A streamed response is recorded at
///   its end. A run without a response changes no file.
/// - Each recorded response answers one request, in the order of the recording.
/// - If the environment variable `CI` is set, nothing is recorded, whatever the mode.
public final class Cassette: Transport {
    /// Determines when a cassette records and when it replays.
    public enum Mode: Sendable {
        /// Replays the file if it exists and is not too old. Otherwise records.
        case automatic
        /// Replays the file. A request without a recorded response fails.
        case replay
        /// Sends all requests and replaces the file.
        case record
        /// Sends all requests. The file is neither read nor written.
        case passthrough
    }

    /// A ``CassettePlayer``, a ``CassetteRecorder``, or the transport to which requests are passed.
    private let transport: any Transport

    /// Creates a cassette.
    ///
    /// - Parameters:
    ///   - name: The name of the file, without `.har`.
    ///   - folder: The directory of the file. Missing directories are created when it is recorded. Defaults to
    ///     `Cassettes` next to the source file.
    ///   - rules: The parts that a request must have in common with a recorded one.
    ///   - maximumAge: The age at which ``Mode/automatic`` records again, counted from the first recorded request.
    ///     Defaults to none.
    ///   - clock: Replays the body of a stream with its recorded timing. Defaults to none: it is replayed at once.
    ///   - transport: Sends the requests that are recorded. Defaults to the engine of the platform.
    /// - Throws: ``TestingError`` if the file is missing or not an HTTP Archive, and ``HTTPError`` of kind
    ///   `unreadableFile`.
    public convenience init(
        _ name: String, in folder: URL? = nil, mode: Mode = .automatic,
        matching rules: [CassetteRule] = [.method, .url],
        recordingAgainAfter maximumAge: Duration? = nil, timedBy clock: (any Clock<Duration>)? = nil,
        through transport: (any Transport)? = nil, sourceFile: String = #filePath
    ) throws {
        let folder = folder ?? URL(filePath: sourceFile).deletingLastPathComponent().appending(path: "Cassettes")
        try self.init(
            at: folder.appending(path: "\(name).har"), mode: mode, matching: rules, recordingAgainAfter: maximumAge,
            timedBy: clock, through: transport)
    }

    package init(
        at file: URL, mode: Mode = .automatic, matching rules: [CassetteRule] = [.method, .url],
        recordingAgainAfter maximumAge: Duration? = nil, timedBy clock: (any Clock<Duration>)? = nil,
        through transport: (any Transport)? = nil, mayRecord: Bool = !isContinuousIntegration
    ) throws {
        var mode = mode
        if !mayRecord, mode != .passthrough { mode = .replay }
        // A file that is there and cannot be read is an error: it must not be recorded again.
        let data = mode == .replay || mode == .automatic ? try FileSource.read(file) : nil
        let exists = data != nil
        let entries = try data.map { try Self.entries($0, of: file) } ?? []
        if mode == .automatic {
            mode = exists && !entries.isOlder(than: maximumAge) ? .replay : .record
        }
        func engine() -> any Transport { transport ?? PlatformTransport.make(EngineConfiguration()) }
        switch mode {
        case .passthrough: self.transport = engine()
        case .record: self.transport = CassetteRecorder(file, engine())
        case .automatic, .replay:
            guard exists else { throw Self.missing(file, mayRecord: mayRecord) }
            let player = CassettePlayer(entries, rules, clock, file)
            StubCollector.current?.add { player.misses }
            self.transport = player
        }
    }

    private static func entries(_ data: Data, of file: URL) throws -> [HAREntry] {
        do { return try HAREntry.entries(of: data) } catch {
            throw TestingError("The cassette \(file.path(percentEncoded: false)) is not an HTTP Archive: \(error)")
        }
    }

    private static func missing(_ file: URL, mayRecord: Bool) -> TestingError {
        let remedy =
            mayRecord
            ? "Record it with mode .automatic or .record"
            : "The environment variable CI is set, so nothing is recorded: record it elsewhere, and commit it"
        return TestingError("The cassette \(file.path(percentEncoded: false)) does not exist. \(remedy)")
    }

    /// Whether the environment says that the process runs in continuous integration.
    package static var isContinuousIntegration: Bool {
        let value = ProcessInfo.processInfo.environment["CI"] ?? ""
        return !["", "0", "false"].contains(value.lowercased())
    }

    /// Whether the cassette records.
    package var isRecording: Bool { transport is CassetteRecorder }

    /// The requests for which there was no recorded response, and the recorded responses that no request has used, each
    /// as a sentence. Empty for a cassette that does not replay.
    public var problems: [String] {
        (transport as? CassettePlayer).map { $0.misses + $0.unused } ?? []
    }

    /// Replays the response to a request, or sends and records the request.
    ///
    /// - Throws: ``HTTPError`` of kind `noStub` if no recorded response matches, with the most similar request and the
    ///   differences; of kind `unwritableFile` if the file cannot be written. The errors of the transport that sends.
    public func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        do {
            try request.checkHeaders()
            try Task.checkCancellation()
            return try await transport.send(request, context: context)
        } catch let error as HTTPError { throw error.adding(request: request) }
    }

    /// Ends the requests in progress.
    public func shutdown() { transport.shutdown() }
}

extension [HAREntry] {
    /// Whether the first request was recorded longer ago than an age, or at a time that is not known.
    fileprivate func isOlder(than age: Duration?) -> Bool {
        guard let age else { return false }
        guard let date = first.flatMap({ Date(iso8601: $0.startedDateTime) }) else { return true }
        return .seconds(Date().timeIntervalSince(date)) >= age
    }
}
