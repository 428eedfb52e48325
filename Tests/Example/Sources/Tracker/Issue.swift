public import Foundation

/// An issue.
public struct Issue: Codable, Sendable, Equatable, Identifiable {
    public enum State: String, Codable, Sendable { case open, closed }

    public let id: Int
    public var title: String
    public var state: State
    public var labels: [String]
    public var createdAt: Date
}

/// The changes of an issue. What is `nil` stays as it is.
public struct IssueChanges: Codable, Sendable {
    public var title: String?
    public var state: Issue.State?
    public var labels: [String]?

    public init(title: String? = nil, state: Issue.State? = nil, labels: [String]? = nil) {
        (self.title, self.state, self.labels) = (title, state, labels)
    }
}

/// A comment on an issue.
public struct Comment: Codable, Sendable, Equatable {
    public let id: Int
    public let author: String
    public let text: String
}

/// A file that belongs to an issue.
public struct Attachment: Codable, Sendable, Equatable {
    public let name: String
    public let size: Int
}

/// A change of the tracker, as it happens.
public struct Activity: Codable, Sendable, Equatable {
    public let issueId: Int
    public let what: String
}
