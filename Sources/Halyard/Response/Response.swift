public import HalyardFoundation
public import HalyardHTTP

/// The outcome of a request, as passed to a handler: the value or the error, with the request and the response.
///
/// ```swift
/// api.request(.me).responseObject { (response: Response<User>) in
///     switch response.result {
///     case .success(let user): show(user)
///     case .failure(let error): print(response.status ?? 0, error)
///     }
/// }
/// ```
public struct Response<Value> {
    /// The request as it was built, before interceptors; `nil` if none could be built.
    public let request: HTTPRequest?
    /// The response; `nil` if none arrived.
    public let response: HTTPResponse?
    /// The value or the error: an ``HTTPError``, or an error of the provider's hooks.
    public let result: Result<Value, any Error>

    package init(request: HTTPRequest?, response: HTTPResponse?, result: Result<Value, any Error>) {
        self.request = request
        self.response = response
        self.result = result
    }

    /// The value; `nil` after a failure.
    public var value: Value? { try? result.get() }

    /// The value, named after its source, the response's body; `nil` after a failure.
    public var body: Value? { value }

    /// The error; `nil` after a success.
    public var error: (any Error)? {
        guard case .failure(let error) = result else { return nil }
        return error
    }

    /// The bytes of the body, even after a failure. Empty if there are none.
    public var data: Data { response?.data ?? Data() }
    /// The status; `nil` if no response arrived.
    public var status: Int? { response?.status }
    /// The headers of the response. Empty if none arrived.
    public var headers: HTTPHeaders { response?.headers ?? [:] }
    /// Whether there is a value and the status is a 2xx.
    public var isSuccessful: Bool { error == nil && (response?.isSuccessful ?? false) }
}

extension Response: Sendable where Value: Sendable {}
