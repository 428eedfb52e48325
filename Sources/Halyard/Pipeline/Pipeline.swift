import HalyardFoundation
import HalyardHTTP

/// The pipeline of a client: everything that happens to a request between ``RequestBuilder``, which builds it, and
/// the provider's `validate`.
///
/// The frame of an async function is allocated for each request. It has room for the variables of all code that is
/// inlined into the function. Synchronous parts with many variables, and rare paths, are therefore functions that are
/// not inlined. Together they save three quarters of the memory for the frames of a request.
struct Pipeline: Sendable {
    /// The stages for each kind of request: with or without a download to resume, and credentials.
    private let lists: [[any Interceptor]]

    /// Lists the stages in their order. Each stage passes the request to the stage below it, and the response back.
    ///
    /// The stages below ``RetryAndRedirect`` run again for each retry and each redirect. A stage that a client or a request
    /// does not use is absent.
    init(
        interceptors: [any Interceptor], networkInterceptors: [any Interceptor], cookies: CookieJar?,
        policies: [ClientPolicy], limit: ConcurrencyLimit?, transport: any Transport
    ) {
        let hasUserCode = !interceptors.isEmpty || !networkInterceptors.isEmpty
        lists = [(false, false), (false, true), (true, false), (true, true)].map { isResuming, hasCredentials in
            // An interceptor may change where the body goes.
            let mayResume = isResuming || !interceptors.isEmpty
            let stages: [[any Interceptor]] = [
                hasUserCode ? [Deadline()] : [],
                interceptors.map(OriginGuard.init),
                mayResume ? [Resume()] : [],
                policies.stages(at: .upgrade),
                [RetryAndRedirect()],
                mayResume ? [RangeRequest()] : [],
                hasCredentials ? [Authenticate(recordsCredentials: !networkInterceptors.isEmpty)] : [],
                cookies.map { [AddCookies(jar: $0)] } ?? [],
                policies.stages(at: .cache),
                policies.stages(at: .coalescing),
                cookies.map { [StoreCookies(jar: $0)] } ?? [],
                policies.stages(at: .learning),
                policies.stages(at: .hedging),
                networkInterceptors.map(OriginGuard.init),
                policies.stages(at: .admission),
                policies.stages(at: .concurrency),
                policies.stages(at: .rate),
                limit.map { [$0] } ?? [],
                policies.stages(at: .sending),
                policies.stages(at: .tracing),
                [Transmit(transport: transport)],
            ]
            return stages.flatMap { $0 }
        }
    }

    /// Returns the chain of the stages that a request uses.
    func chain(for request: HTTPRequest, _ context: RequestContext) -> Chain {
        let hasCredentials = context.settings.authentication.authenticator != nil
        return Chain(lists[(request.isResuming ? 2 : 0) + (hasCredentials ? 1 : 0)], context)
    }
}

/// Adds the cookies for the request's URL.
private struct AddCookies: Interceptor {
    let jar: CookieJar

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        try await next.proceed(jar.adding(to: request))
    }
}

/// Stores the cookies that a response sets. It is below the cache: a cached response sets no cookie again.
private struct StoreCookies: Interceptor {
    let jar: CookieJar

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let response = try await next.proceed(request)
        await jar.store(cookiesOf: response)
        return response
    }
}

/// Checks and logs a request, and hands it to the transport. It is the last stage.
///
/// It refuses a request that no transport may send; see ``HTTPRequest/checkHeaders()``. Halyard's transports check as
/// well, because they can be used without a client, and a transport that wraps one may change the request. Other
/// transports may omit the check.
///
/// A request that the server has refused without processing it is sent again, whatever its method is: a server of HTTP/2
/// refuses requests whenever it closes a connection (RFC 9113 section 6.8). That is no attempt of a retry policy.
private struct Transmit: Interceptor {
    let transport: any Transport

    private static let resendLimit = 8

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        try request.checkHeaders()
        guard let log = next.context.log else { return try await send(request, next.context) }
        return try await logged(request, next.context, in: log)
    }

    /// Sends a request, and logs it, its response and the metrics.
    @inline(never)  // See `Pipeline`.
    private nonisolated(nonsending) func logged(
        _ request: HTTPRequest, _ context: RequestContext, in log: RequestLog
    ) async throws -> HTTPResponse {
        log.log(.sent, request)
        let start = ContinuousClock.now
        let response = try await send(request, context)
        log.log(.response, request, response) { $0.duration = start.duration(to: .now) }
        if let metrics = response.metrics { log.log(.metrics, request) { $0.metrics = metrics } }
        return response
    }

    private nonisolated(nonsending) func send(
        _ request: HTTPRequest, _ context: RequestContext
    ) async throws -> HTTPResponse {
        var resends = 0
        while true {
            do {
                let transfer = try context.transferContext()
                context.settings.sendCounter?.increment()
                return sent(request, resends, try await transport.send(request, context: transfer))
            } catch {
                if let response = try answer(to: error, of: request, resends, context) { return response }
                resends += 1
            }
        }
    }

    /// Returns the response with what the stages above must know of its sends.
    @inline(never)  // See `Pipeline`.
    private func sent(
        _ request: HTTPRequest, _ resends: Int, _ response: consuming HTTPResponse
    ) -> HTTPResponse {
        if !response.isSuccessful { response.notes.sentRequest = request }
        if resends > 0 { response.metrics?.resends += resends }
        return response
    }

    /// Returns the response that an error has, or `nil` if the request is to be sent again. Throws the error otherwise.
    @inline(never)  // See `Pipeline`.
    private func answer(
        to error: any Error, of request: HTTPRequest, _ resends: Int, _ context: RequestContext
    ) throws -> HTTPResponse? {
        guard let error = error as? HTTPError else { throw error }
        if error.isRefusedByServer, resends < Self.resendLimit, request.body?.isReadOnce != true { return nil }
        let full = context.withFullTimeout(error).adding(request: request)
        guard let response = full.responseWithoutBody else { throw full }
        return response
    }
}

extension HTTPError {
    /// The response that is not a 2xx, if only its body cannot be decoded. Its status says more than its body: 503 is
    /// retried, and 404 is 404.
    fileprivate var responseWithoutBody: HTTPResponse? {
        guard var response, !response.isSuccessful, response.stream == nil else { return nil }
        switch kind {
        case .unsupportedCoding: break
        case .invalidResponse where !response.headers.contentCodings.isEmpty: break
        default: return nil
        }
        response.data = Data()
        response.notes.bodyFailure = self
        response.notes.sentRequest = request
        return response
    }
}

extension HTTPError {
    /// Whether the server was reached, and has certainly not processed the request.
    fileprivate var isRefusedByServer: Bool { kind == .connectionLost && !mayHaveBeenProcessed }
}

/// Ends a request at its deadline, and when its task is cancelled, even while an interceptor ignores that.
///
/// Engines, delays before retries, authenticators and the concurrency limit respect the deadline themselves. Interceptors
/// cannot see it. At the deadline this stage cancels them, and does not wait for them.
private struct Deadline: Interceptor {
    /// Sends a request in a task of its own.
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let sends = SendCounter()
        let context = next.context.with { $0.sendCounter = sends }
        return try await leavable(within: context.remaining, context.time) {
            try await next.with(context).proceed(request)
        } orDrop: {
            $0.discard()
        } throwing: {
            let error = context.timeoutError.adding(request: request, sends: sends.count)
            return sends.count == 0 ? error.with { $0.mayHaveBeenProcessed = false } : error
        }
    }
}
