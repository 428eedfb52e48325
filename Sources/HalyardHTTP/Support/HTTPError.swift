/// The error of a request.
///
/// Requests throw no other error type defined by Halyard. A few others occur outside requests: `JSON.ParseError` for
/// JSON text, `NoFuturesError` and `FilterError` for combined futures, and `TestingError` for a test server.
///
/// ```swift
/// do { _ = try await api.request(.user("0")).data() }
/// catch HTTPError.status(404) { print("no such user") }
/// catch let error as HTTPError { print(error, error.response?.text ?? "") }
/// ```
///
/// Equality and `catch` patterns compare only the ``kind``, with its payload. Errors that your own hooks throw are not
/// wrapped.
public struct HTTPError: Error, Sendable {
    /// What went wrong.
    public var kind: Kind { fields.kind }
    /// Details in words, if the kind alone is not enough.
    public var reason: String? { fields.reason }
    /// A suggestion for fixing the error, if there is one more specific than that of the kind.
    public var suggestion: String? { fields.suggestion }
    /// The underlying error: the `DecodingError` of a mapping, or the error that stopped the request.
    public var cause: (any Error)? { fields.cause }
    /// The number of times that the request was sent, including redirects, retries, and sends with renewed credentials;
    /// 0 if no request could be built. The attempts of a retry policy do not include redirects and renewed credentials.
    public var sendCount: Int { fields.sendCount }

    /// The time after which the request may succeed, counted from the moment of the error: the server's `Retry-After`
    /// for a status, and the wait for the kinds `rateLimited` and `circuitOpen`. `nil` if it is not known.
    public var retryDelay: Duration? { fields.retryDelay }

    package enum TimeLimit: Sendable {
        /// The limit of the whole request.
        case request
        /// The limit for looking up the name, connecting and the TLS handshake.
        case connect
        /// The limit of the time in which no byte moves.
        case idle
    }

    package struct Fields: Sendable {
        fileprivate let kind: Kind
        package var reason: String?
        package var suggestion: String?
        /// Messages, whose types are above this one, because their parts throw errors. `HTTPError+Messages.swift` has
        /// the types.
        var request: (any Sendable)?
        var response: (any Sendable)?
        package var cause: (any Error)?
        var sendCount = 0
        /// The time limit that was exceeded, for an error of kind `timedOut`. `nil` if it is not known.
        package fileprivate(set) var timeLimit: TimeLimit?
        package var retryDelay: Duration?
        /// `nil` if the kind tells.
        package var mayHaveBeenProcessed: Bool?
        /// Whether the same call may succeed a moment later, because the process has too many files open now.
        package fileprivate(set) var isMomentary = false
    }

    /// On the heap, so that an error is one word: every function that throws one reserves room for it in its frame.
    private indirect enum Storage: Sendable {
        case fields(Fields)
    }

    private var storage: Storage

    package var fields: Fields {
        switch storage {
        case .fields(let fields): fields
        }
    }

    /// Returns the error with other fields.
    package func with(_ change: (inout Fields) -> Void) -> HTTPError {
        var (error, fields) = (self, fields)
        change(&fields)
        error.storage = .fields(fields)
        return error
    }

    /// Makes an error without a request. `isMomentary` says whether the same call may succeed a moment later.
    package init(
        _ kind: Kind, reason: String? = nil, suggestion: String? = nil, cause: (any Error)? = nil,
        isMomentary: Bool = false
    ) {
        storage = .fields(
            Fields(
                kind: kind.withoutSecrets, reason: reason, suggestion: suggestion, cause: cause,
                isMomentary: isMomentary))
    }

    /// Returns an error of kind `timedOut`.
    package static func exceeded(_ limit: TimeLimit, reason: String) -> HTTPError {
        let suggestion: String? =
            switch limit {
            case .request: nil
            case .connect: "Raise the connectTimeout, or try again later"
            case .idle: "Raise the idleTimeout, or try again later"
            }
        return HTTPError(.timedOut, reason: reason, suggestion: suggestion).with { $0.timeLimit = limit }
    }
}

extension HTTPError: Equatable {
    /// Compares only the kinds.
    public static func == (left: HTTPError, right: HTTPError) -> Bool { left.kind == right.kind }
}

/// Returns whether an error is an ``HTTPError`` of the same kind, as in `error == HTTPError.status(401)`. It also works
/// for `response.error`.
public func == (left: (any Error)?, right: HTTPError) -> Bool { (left as? HTTPError)?.kind == right.kind }

/// Returns whether an error is not an ``HTTPError`` of the same kind.
public func != (left: (any Error)?, right: HTTPError) -> Bool { !(left == right) }

/// Lets `catch HTTPError.status(404)` match.
public func ~= (pattern: HTTPError, error: any Error) -> Bool { error == pattern }

// The kinds that programs match most, as errors: `catch HTTPError.status(404)`. For any other write
// `catch HTTPError(.emptyResponse)`, or switch over the kind.
extension HTTPError {
    /// An error of kind `status`.
    public static func status(_ status: Int) -> HTTPError { HTTPError(.status(status)) }
    /// An error of kind `cancelled`.
    public static var cancelled: HTTPError { HTTPError(.cancelled) }
    /// An error of kind `connectionLost`.
    public static var connectionLost: HTTPError { HTTPError(.connectionLost) }
    /// An error of kind `decoding`.
    public static var decoding: HTTPError { HTTPError(.decoding) }
    /// An error of kind `timedOut`.
    public static var timedOut: HTTPError { HTTPError(.timedOut) }
}
