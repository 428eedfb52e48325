import HalyardHTTP

/// The pipeline of a client: everything that happens to a request between its provider, which builds it, and the
/// provider's `validate`.
package enum Pipeline {
    /// Returns the stages in their order. Each stage passes the request to the stage below it, and the response back.
    ///
    /// The stages below ``RetryAndRedirect`` run again for each retry and each redirect. A stage that a client does not use is absent.
    static func stages(
        interceptors: [any Interceptor], networkInterceptors: [any Interceptor], cookies: CookieJar?,
        limit: ConcurrencyLimit?, transport: any Transport
    ) -> [any Interceptor] {
        let hasUserCode = !interceptors.isEmpty || !networkInterceptors.isEmpty
        let stages: [[any Interceptor]] = [
            [Deadline(hasUserCode: hasUserCode)],
            interceptors.map(OriginGuard.init),
            [Resume()],
            [RetryAndRedirect()],
            [RangeRequest()],
            [Authenticate()],
            cookies.map { [Cookies(jar: $0)] } ?? [],
            networkInterceptors.map(OriginGuard.init),
            limit.map { [$0] } ?? [],
            [Check()],
            [Log()],
            [Transmit(transport: transport)],
        ]
        return stages.flatMap { $0 }
    }
}

/// Adds the cookies for the request's URL, and stores those that the response sets.
private struct Cookies: Interceptor {
    let jar: CookieJar

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let response = try await next.proceed(jar.adding(to: request))
        await jar.store(cookiesOf: response)
        return response
    }
}

/// Refuses a request that no transport may send; see ``HTTPRequest/checkHeaders()``.
private struct Check: Interceptor {
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        try request.checkHeaders()
        return try await next.proceed(request)
    }
}

/// Logs each request that is sent: the request as the transport gets it, the response and its metrics.
private struct Log: Interceptor {
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        guard let log = next.context.log else { return try await next.proceed(request) }
        let start = log.started(request)
        let response = try await next.proceed(request)
        log.received(request, response, since: start)
        return response
    }
}

/// Hands the request to the transport. It is the last stage.
private struct Transmit: Interceptor {
    let transport: any Transport

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let context = next.context
        do {
            var response = try await transport.send(request, context: context.transferContext())
            if !response.isSuccessful { response.sent = request }
            return response
        } catch let error as HTTPError { throw context.withFullTimeout(error).adding(request: request) }
    }
}
