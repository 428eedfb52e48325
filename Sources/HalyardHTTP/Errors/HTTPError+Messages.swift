public import HalyardFoundation

// The request and the response of an error.
extension HTTPError {
    /// The request that failed; `nil` if none could be built.
    public var request: HTTPRequest? { fields.request as? HTTPRequest }
    /// The response with its body; `nil` if there was none.
    public var response: HTTPResponse? { fields.response as? HTTPResponse }

    /// Creates an error, for transports and interceptors.
    ///
    /// - Parameters:
    ///   - kind: What went wrong.
    ///   - reason: Details in words. Defaults to none.
    ///   - suggestion: How to fix the error. Defaults to the kind's suggestion.
    ///   - sendCount: The number of times that the request was sent. Defaults to 0.
    public init(
        _ kind: Kind,
        reason: String? = nil,
        suggestion: String? = nil,
        request: HTTPRequest? = nil,
        response: HTTPResponse? = nil,
        cause: (any Error)? = nil,
        sendCount: Int = 0
    ) {
        self = HTTPError(kind, reason: reason, suggestion: suggestion, cause: cause)
            .with { ($0.request, $0.response, $0.sendCount) = (request, response, sendCount) }
    }

    /// The status of the response; `nil` if there was none.
    public var status: Int? { response?.status }

    /// Returns the error with a request, a response and the number of times that the request was sent. Values that are
    /// already set are kept.
    package func adding(
        request: HTTPRequest? = nil, response: HTTPResponse? = nil, sends: Int = 0
    ) -> HTTPError {
        with {
            $0.request = $0.request ?? request
            $0.response = $0.response ?? response
            $0.sendCount = max($0.sendCount, sends)
        }
    }
}

// Whether a request may be sent again after a failure. Retries, resumed downloads, streams that reconnect, caches and
// WebSockets all follow this table, which the article on errors repeats.
//
// | failure                                                       | kind                    | temporary | processed? |
// |---------------------------------------------------------------|-------------------------|-----------|------------|
// | nothing was sent: bad input, a limit, an unusable engine      | `invalidURL` and others | no        | no         |
// | the name has no address; no connection; a proxy refuses       | `hostNotFound`, `cannotConnect` | yes | no       |
// | the connection ends in the TLS handshake                      | `cannotConnect`         | yes       | no         |
// | the TLS handshake fails: certificate, version, pin            | `tls`                   | no        | no         |
// | connecting takes too long                                     | `timedOut`              | yes       | no         |
// | HTTP/2, HTTP/3: the server refuses the stream, or ends the connection before it (RFC 9113 sections 6.8 and 8.7)
// |                                                               | `connectionLost`        | yes       | no         |
// | HTTP/2, HTTP/3: the server resets the stream or ends the connection for another reason
// |                                                               | `connectionLost`        | yes       | maybe      |
// | the connection ends before the response does                  | `connectionLost`        | yes       | maybe      |
// | another time limit is exceeded                                | `timedOut`              | yes       | maybe      |
// | the response is not valid HTTP                                | `invalidResponse`       | no        | maybe      |
// | a response that is too large, or not a success                | `bodyTooLarge`, `status` and others | no | yes  |
extension HTTPError {
    /// Whether the failure may be temporary: no connection, a lost connection, or a timeout.
    ///
    /// A ``status`` is not considered: a retry policy has its own list of statuses.
    public var isTemporary: Bool {
        switch kind {
        case .connectionLost, .timedOut: true
        default: kind.isConnectionFailure
        }
    }

    /// Whether the server may have acted on the request. If not, even a request that must not arrive twice can be sent
    /// again.
    ///
    /// `false` if nothing was sent, or if the server refused the request without processing it (RFC 9113 sections 6.8
    /// and 8.7). Earlier attempts and redirects of the same request count.
    public var mayHaveBeenProcessed: Bool { fields.mayHaveBeenProcessed ?? !isBeforeSending }

    /// Whether an error of this kind ends a request before anything of it is sent.
    private var isBeforeSending: Bool {
        switch kind {
        case .hostNotFound, .cannotConnect, .tls, .insecureConnection, .invalidURL, .invalidMethod, .invalidHeader,
            .invalidPath, .encoding, .engineUnavailable, .configuration, .noStub, .queueFull, .rateLimited,
            .circuitOpen:
            true
        case .timedOut: fields.timeLimit == .connect
        default: false
        }
    }

    /// Returns the error with another reason after its own.
    package func adding(reason: String) -> HTTPError {
        with { $0.reason = $0.reason.map { "\($0); \(reason)" } ?? reason }
    }
}

extension HTTPResponse.Stream: AsyncSequence {}

extension HTTPResponse.Stream.Iterator: AsyncIteratorProtocol {
    /// Returns the next chunk: all bytes that have arrived since the last one; `nil` at the end.
    ///
    /// When a large body arrives quickly, a chunk contains the bytes of about a millisecond.
    ///
    /// - Throws: ``HTTPError`` if the body is cut off or takes too long; `CancellationError` if the task is cancelled.
    public mutating func next() async throws -> Data? { try await advance() }

    /// Returns the next chunk. If a chunk is available, the call stays on the caller's actor.
    ///
    /// - Throws: The same errors as ``next()``.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
        try await advance()
    }

    /// Returns the next chunk; runs on the caller's executor.
    package nonisolated(nonsending) func advance() async throws -> Data? {
        guard let reading else { throw HTTPError(.bodyConsumed, reason: "a stream can be read only once") }
        let chunk = try await reading.next()
        try check?(chunk)
        return chunk
    }
}

extension HTTPResponse {
    /// Checks that the status is a 2xx.
    ///
    /// - Throws: ``HTTPError`` of kind `status`, with this response, if it is not.
    public func requireSuccess() throws(HTTPError) {
        if isSuccessful { return }
        let failure = notes.bodyFailure as? HTTPError
        throw HTTPError(
            .status(status), reason: notes.failureReason ?? failure?.headline, response: self, cause: failure)
    }

    /// Whether the body has no content: nothing, or only blanks, which some frameworks send in place of nothing.
    package var isBlank: Bool { data.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) } }

    /// The body in memory. Throws ``HTTPError`` of kind `bodyConsumed` when the body went to a file or a stream. The
    /// error of a body that cannot be decoded.
    package func bytes() throws(HTTPError) -> Data {
        if let error = notes.bodyFailure as? HTTPError { throw error }
        guard stream == nil && downloadFile == nil else {
            throw HTTPError(
                .bodyConsumed, reason: "it went to a file or a stream",
                suggestion: "Read the file or the stream, or request the body in memory", response: self)
        }
        return data
    }
}
