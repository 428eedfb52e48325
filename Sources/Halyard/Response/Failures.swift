public import HalyardHTTP

/// The error types of an API, which turn the body of a failure into your own error.
///
/// ```swift
/// struct ShopFailure: Error, Decodable { let code: String }
///
/// struct ShopAPI: HTTPProvider {
///     let baseURL = URL(string: "https://api.example.com/v1")!
///     let failures = Failures.json(ShopFailure.self)
/// }
///
/// do { try await api.request(.buy(book)).void() } catch let error as ShopFailure { print(error.code) }
/// ```
///
/// They apply when `validate` throws an ``HTTPError`` of kind `status`, as `requireSuccess()` does. The first one that
/// applies reads the body. If the body does not fit, the ``HTTPError`` is thrown, with the reason as its cause.
///
/// `Failures.json(_:at:for:)` is in HalyardCodable.
public struct Failures: Sendable {
    /// Reads a failure. Returns `nil` if it does not apply.
    package typealias Reader = @Sendable (HTTPResponse, Codec) throws -> (any Error)?

    private let readers: [Reader]

    /// No error types: every failure is an ``HTTPError``.
    public static let none = Failures([])

    package init(_ readers: [Reader]) { self.readers = readers }

    /// Returns error types that a closure reads. The closure receives a response that is not a success and returns its
    /// error, or `nil` if it cannot tell. If it throws, the ``HTTPError`` of the status is thrown, with the closure's
    /// error as its cause.
    public static func custom(_ read: @escaping @Sendable (HTTPResponse) throws -> (any Error)?) -> Failures {
        Failures([{ response, _ in try read(response) }])
    }

    /// Returns these error types, followed by others for responses to which these do not apply.
    public func followed(by others: Failures) -> Failures { Failures(readers + others.readers) }

    var isEmpty: Bool { readers.isEmpty }

    /// Returns the error that a response describes, or else the given error.
    func error(for error: HTTPError, _ response: HTTPResponse, _ codec: Codec) -> any Error {
        do {
            for read in readers {
                if let failure = try read(response, codec) { return failure }
            }
            return error
        } catch let cause {
            return error.with { $0.cause = cause }
        }
    }
}

/// The details of a failure that a server describes with `application/problem+json` (RFC 9457).
///
/// ```swift
/// catch let error as HTTPError where error.problem?.type == "https://example.com/out-of-stock" {
///     print(error.problem?.detail ?? "", error.problem?.members["available"]?.int ?? 0)
/// }
/// ```
///
/// A member of a wrong type is ignored, as the standard requires.
public struct ProblemDetails: Sendable, Equatable {
    /// All members of the object, including those that the standard does not define.
    public let members: JSON.Object

    /// The type of the problem: a URI reference. Defaults to `about:blank`, which means that the status tells the type.
    public var type: String { members["type"]?.string ?? "about:blank" }
    /// A short summary, the same for all problems of a type.
    public var title: String? { members["title"]?.string }
    /// The status that the origin server sent.
    public var status: Int? { members["status"]?.int }
    /// An explanation of this occurrence.
    public var detail: String? { members["detail"]?.string }
    /// A URI reference that identifies this occurrence.
    public var instance: String? { members["instance"]?.string }
}

extension ProblemDetails: SafelyDescribed {
    /// The type and the status. The details are omitted because they may contain secrets.
    public var description: String { "ProblemDetails(\(type.quoted), \(status.map { "\($0)" } ?? "no status"))" }
}

extension HTTPResponse {
    /// The details of a failure; `nil` if the body is not `application/problem+json`, or not a JSON object.
    public var problem: ProblemDetails? {
        guard mediaType == "application/problem+json" else { return nil }
        return (try? json())?.object.map(ProblemDetails.init)
    }
}

extension HTTPResponse {
    /// Makes the text of problem details the reason of the response's error.
    mutating func noteProblem() {
        guard notes.failureReason == nil, let problem else { return }
        notes.failureReason = problem.detail ?? problem.title
    }
}

extension HTTPError {
    /// The details of a failure, if the server has described it (RFC 9457); otherwise `nil`.
    public var problem: ProblemDetails? { response?.problem }
}
