public import HalyardHTTP

/// The details of a failure as a server describes it in `application/problem+json` (RFC 9457).
///
/// ```swift
/// catch let error as HTTPError where error.problem?.type == "https://example.com/out-of-stock" {
///     print(error.problem?.detail ?? "", error.problem?.members["available"]?.int ?? 0)
/// }
/// ```
///
/// A member of a wrong type is ignored, as the standard requires.
public struct ProblemDetails: Sendable, Hashable {
    /// All members of the object, with those that the standard does not define.
    public let members: JSON.Object

    /// The type of the problem: a URI reference. Defaults to `about:blank`, which means that the status tells the type.
    public var type: String { members["type"]?.string ?? "about:blank" }
    /// A short summary, the same for all problems of a type.
    public var title: String? { members["title"]?.string }
    /// The status, as the origin server has sent it.
    public var status: Int? { members["status"]?.int }
    /// An explanation of this occurrence.
    public var detail: String? { members["detail"]?.string }
    /// A URI reference of this occurrence.
    public var instance: String? { members["instance"]?.string }
}

extension ProblemDetails: SafelyDescribed {
    /// The type and the status, without the details, which may contain secrets.
    public var description: String { "ProblemDetails(\(type.quoted), \(status.map { "\($0)" } ?? "no status"))" }
}

extension HTTPResponse {
    /// The details of a failure. `nil` if the body is not in `application/problem+json`, or is not a JSON object.
    public var problem: ProblemDetails? {
        guard mediaType == "application/problem+json" else { return nil }
        return (try? json())?.object.map(ProblemDetails.init)
    }
}

extension HTTPError {
    /// The details of a failure that the server has described (RFC 9457). `nil` if there are none.
    public var problem: ProblemDetails? { response?.problem }
}
