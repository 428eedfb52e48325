public import HalyardHTTP

/// A step of the pipeline that sees every request on its way out and every response on its way back.
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
/// It may change the request, answer by itself without proceeding, proceed more than once, change the response, or
/// throw. The first of a client's interceptors is the outermost.
///
/// One that changes the URL to another origin sends the request there without the secrets that it was given: header fields
/// that a log masks, and the secrets of the provider's query. A body that holds secrets is an ``HTTPError`` of kind
/// `foreignSecrets`. Fields that it sets itself are sent.
public protocol Interceptor: Sendable {
    /// Takes part in one request.
    ///
    /// - Parameters:
    ///   - request: as the interceptors before this one left it.
    ///   - next: the rest of the pipeline.
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse
}
