public import Foundation
public import HalyardEndpoints

/// A tracker, as its user sees it.
///
/// ```swift
/// let tracker = Tracker(user: "ann", password: password)
/// for try await issue in tracker.issues(labels: ["bug"]) { print(issue.title) }
/// ```
public struct Tracker: Sendable {
    private let api: TrackerAPI

    /// Makes a tracker. It requests an access token when the first request needs one, and again when one has expired.
    public init(user: String, password: String, client: HTTPClient = .shared) {
        let login = TrackerAPI(client: client, authentication: .none)
        let tokens = TokenSource { _ in try await login.send(Sessions.token(user, password)).accessToken }
        api = TrackerAPI(client: client, authentication: .bearer(tokens))
    }

    /// Returns issues, the newest first. The next page is requested when the loop needs it.
    public func issues(
        in state: Issue.State? = nil, labels: [String] = []
    ) -> some AsyncSequence<Issue, any Error> & Sendable {
        api.items(Issues.all(state?.rawValue, labels), by: .link)
    }

    public func issue(_ id: Int) async throws -> Issue { try await api.send(Issues.find(id)) }

    /// Opens an issue. Throws ``TrackerFailure`` if the tracker refuses it.
    public func open(_ title: String, labels: [String] = []) async throws -> Issue {
        try await api.send(Issues.open(title, labels))
    }

    public func change(_ id: Int, _ changes: IssueChanges) async throws -> Issue {
        try await api.send(Issues.change(id, changes))
    }

    public func remove(_ id: Int) async throws { try await api.send(Issues.remove(id)) }

    public func comments(on id: Int) async throws -> [Comment] { try await api.send(Issues.comments(id)) }

    public func comment(_ text: String, on id: Int) async throws -> Comment {
        try await api.send(Issues.comment(id, text))
    }

    /// Uploads a file. It is read while it is sent, and never as a whole.
    ///
    /// - Parameter progress: Receives the part that was sent, from 0 to 1, on the main actor.
    public func attach(
        _ file: URL, to id: Int, progress: @escaping @MainActor (Double) -> Void = { _ in }
    ) async throws -> Attachment {
        try await api.call(Issues.attach(id, file))
            .uploadProgress { progress($0.fraction ?? 0) }
            .value()
    }

    /// Downloads an attachment into a file, and continues where an earlier attempt was interrupted.
    public func download(_ name: String, of id: Int, to file: URL) async throws {
        _ = try await api.request(Issues.attachment(id, name)).download(to: file, resuming: true)
    }

    /// Returns the changes of all issues as they happen, and connects again when the connection ends.
    public func activity() -> some AsyncSequence<Activity, any Error> & Sendable {
        api.events(Issues.activity)
    }
}
