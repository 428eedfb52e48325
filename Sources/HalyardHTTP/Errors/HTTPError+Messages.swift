// The request and the response of an error.
extension HTTPError {
    /// The request that failed; `nil` when none could be built.
    public var request: HTTPRequest? {
        get { fields.request as? HTTPRequest }
        set { fields.request = newValue }
    }
    /// The response with its body; `nil` when there was none.
    public var response: HTTPResponse? {
        get { fields.response as? HTTPResponse }
        set { fields.response = newValue }
    }

    /// Makes an error, for transports and interceptors.
    ///
    /// - Parameters:
    ///   - kind: What went wrong.
    ///   - reason: Details in words. Defaults to none.
    ///   - suggestion: How to fix it. Defaults to the kind's suggestion.
    ///   - sendCount: How often the request was sent. Defaults to 0.
    public init(
        _ kind: Kind,
        reason: String? = nil,
        suggestion: String? = nil,
        request: HTTPRequest? = nil,
        response: HTTPResponse? = nil,
        cause: (any Error)? = nil,
        sendCount: Int = 0
    ) {
        self.init(kind, reason: reason, suggestion: suggestion, cause: cause)
        fields.request = request
        fields.response = response
        fields.sendCount = sendCount
    }

    /// The status of the response; `nil` when there was none.
    public var status: Int? { response?.status }

    /// Returns the error with a request, a response and the number of times that the request was sent. Values that are
    /// already set are kept.
    package func adding(
        request: HTTPRequest? = nil, response: HTTPResponse? = nil, sends: Int = 0
    ) -> HTTPError {
        var error = self
        error.request = error.request ?? request
        error.response = error.response ?? response
        error.sendCount = max(error.sendCount, sends)
        return error
    }
}
