import Foundation
import HalyardEndpoints

/// Issues, and what belongs to them.
enum Issues {
    static let all = Endpoint(
        .get, "/issues", .query("state", as: String?.self), .query("label", as: [String].self), returning: [Issue].self)
    static let find = Endpoint(.get, "/issues/{id}", .path("id", as: Int.self), returning: Issue.self)
    static let open = Endpoint(
        .post, "/issues", .field("title"), .field("labels", as: [String].self), returning: Issue.self)
    static let change = Endpoint(
        .patch, "/issues/{id}", .path("id", as: Int.self), .json(IssueChanges.self), returning: Issue.self)
    static let remove = Endpoint(.delete, "/issues/{id}", .path("id", as: Int.self))

    static let comments = Endpoint(.get, "/issues/{id}/comments", .path("id", as: Int.self), returning: [Comment].self)
    static let comment = Endpoint(
        .post, "/issues/{id}/comments", .path("id", as: Int.self), .field("text"), returning: Comment.self)

    static let attach = Endpoint(
        .post, "/issues/{id}/attachments", .path("id", as: Int.self), .part("file", as: URL.self),
        returning: Attachment.self)
    static let attachment = Endpoint(
        .get, "/issues/{id}/attachments/{name}", .path("id", as: Int.self), .path("name"), returning: Data.self)

    /// Changes of all issues, as server-sent events.
    static let activity = Endpoint(.get, "/activity", returning: Activity.self).idleTimeout(.seconds(120))
}
