import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// When a cassette records, and when it replays.
@Suite(.timeLimit(.minutes(3)))
struct CassetteModeTests {
    private struct API: HTTPProvider {
        let baseURL: URL
        let client: HTTPClient

        init(_ url: URL, _ cassette: Cassette) {
            baseURL = url
            client = HTTPClient(transport: cassette)
        }
    }

    private let folder = try? TemporaryFolder()
    private var file: URL { get throws { try #require(folder).url.appending(path: "tapes/session.har") } }

    @Test func `a missing or malformed archive gives a clear error`() throws {
        let file = try file
        #expect {
            try Cassette(at: file, mode: .replay, mayRecord: true)
        } throws: { "\($0)".contains("tapes/session.har does not exist. Record it with mode .automatic or .record") }
        #expect {
            try Cassette(at: file, mode: .record, mayRecord: false)
        } throws: { "\($0)".contains("CI is set, so nothing is recorded") }
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("{}".utf8).write(to: file)
        #expect {
            try Cassette(at: file)
        } throws: { "\($0)".contains("is not an HTTP Archive: ") }
    }

    @Test func `automatic mode records once, and again when the recording is old`() async throws {
        let server = try LoopbackServer().on(.get, "/n", .text("1"), .text("2"))
        func text(again age: Duration? = nil) async throws -> String {
            let cassette = try Cassette(at: file, recordingAgainAfter: age, mayRecord: true)
            return try await API(server.baseURL, cassette).request(Route(path: "/n")).text()
        }
        #expect(try await text() == "1")
        #expect(try await text() == "1")
        #expect(try await text(again: .seconds(3600)) == "1")
        #expect(try await text(again: .zero) == "2")
        #expect(try await text() == "2")
        // Without the right to record, an old recording is replayed.
        let cassette = try Cassette(at: file, recordingAgainAfter: .zero, mayRecord: false)
        #expect(try await API(server.baseURL, cassette).request(Route(path: "/n")).text() == "2")
        #expect(server.requests.count == 2)
    }

    @Test func `passthrough mode neither reads nor writes`() async throws {
        let server = try LoopbackServer().on(.get, "/n", .text("1"))
        let cassette = try Cassette(at: file, mode: .passthrough, mayRecord: false)
        #expect(try await API(server.baseURL, cassette).request(Route(path: "/n")).text() == "1")
        #expect(!FileManager.default.fileExists(atPath: try file.path))
    }
}
