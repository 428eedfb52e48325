public import HalyardHTTP

/// A step of the pipeline. It receives each request on its way out, and each response on its way back.
///
/// ```swift
/// struct Signing: Interceptor {
///     let key: String
///     func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
///         var request = request
///         request.headers["X-Signature"] = sign(request, with: key)
///         return try await next.proceed(request)
///     }
/// }
/// let client = HTTPClient(interceptors: [Signing(key: key)])
/// ```
///
/// An interceptor may change the request or the response, proceed several times, return a response without proceeding,
/// or throw. The first of a client's interceptors is the outermost.
///
/// If an interceptor changes the URL to another origin, the secrets that the request had before are removed: header
/// fields that a log masks, and secrets in the provider's query. A body with secrets fails the request with
/// ``HTTPError`` of kind `foreignSecrets`. Header fields that the interceptor sets itself are sent.
public protocol Interceptor: Sendable {
    /// Processes one request.
    ///
    /// - Parameters:
    ///   - request: The request, as the preceding interceptor passed it on.
    ///   - next: The rest of the pipeline. Call its ``Chain/proceed(_:)`` to send a request.
    /// - Returns: The response.
    /// - Throws: Any error. The request then fails with it.
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse
}
