/// What went wrong with a request: one error type for all of Halyard.
///
/// ```swift
/// do { _ = try await api.request(.user("0")).data() }
/// catch HTTPError.status(404) { print("no such user") }
/// catch let error as HTTPError { print(error, error.response?.text ?? "") }
/// ```
///
/// Equality and `catch` patterns compare the ``kind`` with all its payload and nothing else. What your own hooks
/// throw is not wrapped: it reaches you as it is.
public struct HTTPError: Error, Sendable {
    /// What went wrong.
    public var kind: Kind {
        get { fields.kind }
        set { fields.kind = newValue }
    }
    /// What exactly, in words, where the kind alone does not tell.
    public var reason: String? {
        get { fields.reason }
        set { fields.reason = newValue }
    }
    /// What to do about it, where this error knows better than its kind.
    public var suggestion: String? {
        get { fields.suggestion }
        set { fields.suggestion = newValue }
    }
    /// The request that failed; `nil` when none could be built.
    public var request: HTTPRequest? {
        get { fields.request }
        set { fields.request = newValue }
    }
    /// The response, with its body, where one came.
    public var response: HTTPResponse? {
        get { fields.response }
        set { fields.response = newValue }
    }
    /// The error underneath: the `DecodingError` of a mapping, what a stopped request failed with, and so on.
    public var cause: (any Error)? {
        get { fields.cause }
        set { fields.cause = newValue }
    }
    /// How often the request was handed to the engine; 0 when none could be built.
    public var attempts: Int {
        get { fields.attempts }
        set { fields.attempts = newValue }
    }

    private struct Fields: Sendable {
        var kind: Kind
        var reason: String?
        var suggestion: String?
        var request: HTTPRequest?
        var response: HTTPResponse?
        var cause: (any Error)?
        var attempts: Int
    }

    /// On the heap, so that an error is one word: every function that may throw one has room for it in its frame.
    private indirect enum Box: Sendable {
        case fields(Fields)
    }

    private var box: Box
    private var fields: Fields {
        get {
            switch box {
            case .fields(let fields): fields
            }
        }
        set { box = .fields(newValue) }
    }

    /// Makes an error, as a transport or an interceptor does.
    public init(
        _ kind: Kind,
        reason: String? = nil,
        suggestion: String? = nil,
        request: HTTPRequest? = nil,
        response: HTTPResponse? = nil,
        cause: (any Error)? = nil,
        attempts: Int = 0
    ) {
        box = .fields(
            Fields(
                kind: kind, reason: reason, suggestion: suggestion, request: request, response: response,
                cause: cause, attempts: attempts))
    }

    /// The status of the response, where one came.
    public var status: Int? { response?.status }

    /// The error with the exchange that it belongs to; what it knows already stays.
    package func of(_ request: HTTPRequest?, _ response: HTTPResponse? = nil, attempts: Int = 0) -> HTTPError {
        var error = self
        error.request = error.request ?? request
        error.response = error.response ?? response
        error.attempts = max(error.attempts, attempts)
        return error
    }
}

extension HTTPError: Equatable {
    /// Compares the kinds.
    public static func == (left: HTTPError, right: HTTPError) -> Bool { left.kind == right.kind }
}

/// Whether any error is an ``HTTPError`` of the same kind: `error == HTTPError.status(401)`, `response.error ==` as well.
public func == (left: (any Error)?, right: HTTPError) -> Bool { (left as? HTTPError)?.kind == right.kind }

/// Whether an error is no ``HTTPError`` of the same kind.
public func != (left: (any Error)?, right: HTTPError) -> Bool { !(left == right) }

/// Lets `catch HTTPError.status(404)` match.
public func ~= (pattern: HTTPError, error: any Error) -> Bool { error == pattern }
