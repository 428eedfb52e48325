public import HalyardFoundation
public import HalyardHTTP

/// What a handler gets: the value or the error, and all that is known of the exchange.
public struct Response<Value> {
    /// The request as it was built, before interceptors; `nil` when none could be built.
    public let request: HTTPRequest?
    /// The response; `nil` when none came.
    public let response: HTTPResponse?
    /// The value, or what went wrong: an ``HTTPError``, or what the provider's hooks threw.
    public let result: Result<Value, any Error>

    package init(request: HTTPRequest?, response: HTTPResponse?, result: Result<Value, any Error>) {
        self.request = request
        self.response = response
        self.result = result
    }

    /// The value of a success.
    public var value: Value? { try? result.get() }

    /// The value of a success: what was made of the response's body.
    public var body: Value? { value }

    /// The error of a failure.
    public var error: (any Error)? {
        guard case .failure(let error) = result else { return nil }
        return error
    }

    /// The body, also beside an error; empty when there is none.
    public var data: Data { response?.data ?? Data() }
    /// The status, where a response came.
    public var status: Int? { response?.status }
    /// The header fields of the response; none when none came.
    public var headers: HTTPHeaders { response?.headers ?? [:] }
    /// Whether there is a value, and the status is a 2xx.
    public var isSuccessful: Bool { error == nil && (response?.isSuccessful ?? false) }
}

extension Response: Sendable where Value: Sendable {}
