import Foundation
import HalyardEndpoints
import HalyardTesting
import HalyardTestingTraits
import Testing

@testable import Tracker

/// The client against cassettes: responses that were recorded from a server, in `Cassettes`.
struct TrackerTests {
    /// Runs a test with the tracker of a cassette.
    private func withTracker(
        _ cassette: String, matching rules: [CassetteRule] = [.method, .url], _ test: (Tracker) async throws -> Void
    ) async throws {
        let isRecording = ProcessInfo.processInfo.environment["HALYARD_RECORD"] != nil
        let server = isRecording ? try TrackerServer.start() : nil
        let cassette = try Cassette(
            cassette, mode: isRecording ? .record : .replay, matching: rules,
            through: server.map { Rerouting(server: $0, inner: HTTPClient().transport) })
        try await test(Tracker(user: "ann", password: "pa55word", client: HTTPClient(transport: cassette)))
        #expect(cassette.problems == [])
    }

    @Test func `a list is read page by page`() async throws {
        try await withTracker("list") { tracker in
            var titles: [String] = []
            for try await issue in tracker.issues(labels: ["bug"]) { titles.append(issue.title) }
            #expect(titles == (1...6).map { "Issue \($0)" })
        }
    }

    @Test func `an issue is opened, changed and removed`() async throws {
        try await withTracker("life", matching: [.method, .url, .body]) { tracker in
            var issue = try await tracker.open("It crashes", labels: ["bug"])
            #expect(issue.title == "It crashes" && issue.state == .open)
            issue = try await tracker.change(issue.id, IssueChanges(state: .closed))
            #expect(issue.state == .closed && issue.createdAt == Date(timeIntervalSince1970: 1_896_098_523))
            try await tracker.remove(issue.id)
        }
    }

    @Test func `a refusal throws the tracker's own error`() async throws {
        try await withTracker("refusals") { tracker in
            await #expect(throws: TrackerFailure(code: "title_missing", message: "An issue needs a title")) {
                try await tracker.open("")
            }
            await #expect(throws: TrackerFailure(code: "not_found", message: "There is no such issue")) {
                try await tracker.issue(404)
            }
        }
    }

    @Test func `comments are read and written`() async throws {
        try await withTracker("comments") { tracker in
            let comments = try await tracker.comments(on: 3)
            #expect(comments.map(\.text) == ["Me too"])
            let comment = try await tracker.comment("Fixed", on: 3)
            #expect(comment.author == "bob")
        }
    }

    @Test func `a file is uploaded with progress and downloaded`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "tracker-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(String(repeating: "log line\n", count: 1000).utf8).write(to: file)
        try await withTracker("files") { tracker in
            let done = Done()
            let attachment = try await tracker.attach(file, to: 3) { done.fraction = $0 }
            #expect(attachment == Attachment(name: "log.txt", size: 9000))
            let fraction = await done.fraction
            #expect(fraction == 1)
            try await tracker.download("log.txt", of: 3, to: file)
            let downloaded = try Data(contentsOf: file)
            #expect(downloaded.count == 1000)
        }
    }

    @MainActor private final class Done: Sendable { var fraction = 0.0 }

    @Test func `changes arrive as events`() async throws {
        try await withTracker("activity") { tracker in
            var changes: [String] = []
            for try await activity in tracker.activity() { changes.append(activity.what) }
            #expect(changes == ["opened", "commented", "closed"])
        }
    }
}

/// What a server rarely does is stubbed.
struct TrackerStubTests {
    @Test(.verifyingStubs) func `an expired token is renewed once`() async throws {
        let issue = Issue(id: 1, title: "A", state: .open, labels: [], createdAt: Date(timeIntervalSince1970: 0))
        let api = TrackerAPI(client: .shared, authentication: .none)
        let stub = StubTransport()
            .on(.post, "/token", times: 2, .json(["access_token": "old"]), .json(["access_token": "new"]))
            .on(.get, "/issues/1", where: [.header("Authorization", "Bearer old")], .status(401))
            .on(.get, "/issues/1", where: [.header("Authorization", "Bearer new")], .json(issue, mapper: api.mapper))
        let tracker = Tracker(user: "ann", password: "x", client: HTTPClient(transport: stub))
        #expect(try await tracker.issue(1) == issue)
    }

    @Test func `no endpoint has a declaration error`() {
        let errors = [
            Issues.all.declarationError, Issues.find.declarationError, Issues.open.declarationError,
            Issues.change.declarationError, Issues.remove.declarationError, Issues.comments.declarationError,
            Issues.comment.declarationError, Issues.attach.declarationError, Issues.attachment.declarationError,
            Issues.activity.declarationError, Sessions.token.declarationError,
        ]
        #expect(errors.compactMap(\.self).isEmpty)
    }
}
