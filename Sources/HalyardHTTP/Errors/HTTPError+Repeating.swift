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
// | HTTP/2: the server refuses the stream, or ends the connection before it (RFC 9113 sections 6.8 and 8.7)
// |                                                               | `connectionLost`        | yes       | no         |
// | HTTP/2: the server resets the stream or ends the connection for another reason
// |                                                               | `connectionLost`        | yes       | maybe      |
// | the connection ends before the response does                  | `connectionLost`        | yes       | maybe      |
// | another time limit is exceeded                                | `timedOut`              | yes       | maybe      |
// | the response is not valid HTTP                                | `invalidResponse`       | no        | maybe      |
// | a response that is too large, or not a success                | `bodyTooLarge`, `status` and others | no | yes  |
extension HTTPError {
    /// Whether the failure may be temporary: no connection, a lost connection, or a time limit.
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
    /// `false` if nothing was sent, or if the server has refused the request without processing it (RFC 9113 sections 6.8
    /// and 8.7). Earlier attempts and redirects of the same request count.
    public var mayHaveBeenProcessed: Bool {
        get { fields.mayHaveBeenProcessed ?? !isBeforeSending }
        set { fields.mayHaveBeenProcessed = newValue }
    }

    /// Whether an error of this kind ends a request before anything of it is sent.
    private var isBeforeSending: Bool {
        switch kind {
        case .hostNotFound, .cannotConnect, .tls, .insecureConnection, .invalidURL, .invalidMethod, .invalidHeader,
            .invalidPath, .encoding, .engineUnavailable, .configuration, .noStub, .queueFull, .rateLimited,
            .circuitOpen:
            true
        case .timedOut: timeLimit == .connect
        default: false
        }
    }

    /// Returns the error of a request that the server has certainly not processed.
    package func markedUnprocessed() -> HTTPError {
        var error = self
        error.mayHaveBeenProcessed = false
        return error
    }
}
