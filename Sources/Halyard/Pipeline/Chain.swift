public import HalyardHTTP

/// The rest of the pipeline, as an ``Interceptor`` sees it.
///
/// A chain is a value. An interceptor can proceed several times, and each time the request passes all stages after the
/// interceptor again. `Pipeline.swift` lists the stages in order.
///
/// A test can create a chain from a closure to run a single interceptor:
///
/// ```swift
/// let chain = Chain { request in HTTPResponse(status: 200, url: request.url) }
/// let response = try await Signing(key: key).intercept(request, next: chain)
/// ```
public struct Chain: Sendable {
    private enum Rest: Sendable {
        case stages([any Interceptor], next: Int)
        case closure(@Sendable (HTTPRequest) async throws -> HTTPResponse)
    }

    private let rest: Rest
    /// The settings of the request.
    package let context: RequestContext

    /// Creates a chain that ends in a closure, which responds to requests in place of a server.
    public init(_ send: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
        self.init(send, .standard)
    }

    init(_ send: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse, _ context: RequestContext) {
        rest = .closure(send)
        self.context = context
    }

    /// Makes a chain of stages. The last stage returns a response without calling ``proceed(_:)``.
    package init(_ stages: [any Interceptor], _ context: RequestContext) {
        self.init(.stages(stages, next: 0), context)
    }

    private init(_ rest: Rest, _ context: RequestContext) {
        self.rest = rest
        self.context = context
    }

    /// The same rest of the pipeline with other settings.
    package func with(_ context: RequestContext) -> Chain { Chain(rest, context) }

    /// Sends a request through the rest of the pipeline and returns the response, whatever its status. An interceptor
    /// may pass a different request from the one it received.
    ///
    /// - Throws: ``HTTPError`` if there is no response; `CancellationError` if the task is cancelled; errors that other
    ///   interceptors throw.
    public nonisolated(nonsending) func proceed(_ request: HTTPRequest) async throws -> HTTPResponse {
        switch rest {
        case .stages(let stages, let next):
            try await stages[next].intercept(request, next: Chain(.stages(stages, next: next + 1), context))
        case .closure(let send): try await send(request)
        }
    }

    /// Sends a request again from the same stage. The response, or the error, counts the earlier sends as well.
    nonisolated(nonsending) func proceed(_ request: HTTPRequest, afterSends sends: Int) async throws -> HTTPResponse {
        do {
            var response = try await proceed(request)
            response.sendCount += sends
            return response
        } catch let error as HTTPError { throw error.adding(sends: sends + error.sends) }
    }
}

/// A step of the pipeline that receives each request on its way out and each response on its way back.
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
/// An interceptor can change the request or the response, proceed several times, return a response without proceeding,
/// or throw. The first of a client's interceptors is the outermost.
///
/// If an interceptor changes the URL to another origin, the credentials that the request had before are removed, as
/// after a redirect; see ``RedirectPolicy``. If the body or the path contains credentials, the request fails with
/// ``HTTPError`` of kind `foreignSecrets`. Headers that the interceptor sets itself are sent.
public protocol Interceptor: Sendable {
    /// Processes one request. `next` is the rest of the pipeline: call its ``Chain/proceed(_:)`` to send a request. An
    /// error fails the request.
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse
}
