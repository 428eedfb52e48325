public import HalyardHTTP

/// The rest of the pipeline, as an ``Interceptor`` sees it. A value: proceed as often as you like.
///
/// This is the order of all that happens to a request between a provider's building it and its `validate`:
///
/// 1. the client's `interceptors`, the first one outermost;
/// 2. redirects and retries, each of which is one more attempt;
/// 3. for each attempt the cookies of the client's jar, where it has one, then its `networkInterceptors`, then the log, then
///    the engine.
public struct Chain: Sendable {
    private enum Stage: Sendable { case request, attempt }

    private let stage: Stage
    private let interceptors: ArraySlice<any Interceptor>
    private let client: HTTPPipeline
    let plan: Plan
    /// The request that the interceptor before was given: its secrets are for its origin.
    private let given: HTTPRequest?

    /// All of the pipeline.
    package init(_ client: HTTPPipeline, _ plan: Plan) {
        self.init(.request, client.interceptors[...], client, plan)
    }

    private init(
        _ stage: Stage, _ interceptors: ArraySlice<any Interceptor>, _ client: HTTPPipeline, _ plan: Plan,
        given: HTTPRequest? = nil
    ) {
        self.stage = stage
        self.interceptors = interceptors
        self.client = client
        self.plan = plan
        self.given = given
    }

    /// Whether anybody has a hand in a request who is not of the pipeline.
    var hasGuests: Bool {
        !client.interceptors.isEmpty || !client.networkInterceptors.isEmpty || plan.authentication.authenticator != nil
    }

    /// Sends the request through what is left of the pipeline.
    public func proceed(_ request: HTTPRequest) async throws -> HTTPResponse { try await goOn(with: request) }

    /// The same, where the caller runs, as all of the pipeline: an interceptor may be on any actor, but who enters the
    /// pipeline has left his own, and each hop would cost as much as what is done after it.
    nonisolated(nonsending) func goOn(with request: HTTPRequest) async throws -> HTTPResponse {
        var request = request
        if let given { request = try Departure(from: given, home: plan.home).left(by: request) }
        if let next = interceptors.first {
            let rest = Chain(stage, interceptors.dropFirst(), client, plan, given: request)
            return try await next.intercept(request, next: rest)
        }
        switch stage {
        case .request:
            var attempts = Attempts(self)
            guard request.isResuming else { return try await attempts.send(request) }
            return try await request.withPart(pausing: pause) { try await attempts.send($0) }
        case .attempt: return try await send(request)
        }
    }

    /// Waits for so long, and not beyond the deadline, which is an error.
    private nonisolated(nonsending) func pause(for time: Duration) async throws {
        let left = plan.remaining ?? time
        guard left > .zero else { throw plan.overdueError }
        try await plan.time.sleep(min(time, left))
    }

    /// Each attempt has the cookies of its own URL, and every response may set some, a redirect or a 401 too.
    nonisolated(nonsending) func attempt(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let jar = client.cookies else { return try await passed(request) }
        let response = try await passed(jar.adding(to: request))
        await jar.take(response)
        return response
    }

    private nonisolated(nonsending) func passed(_ request: HTTPRequest) async throws -> HTTPResponse {
        if client.networkInterceptors.isEmpty { return try await send(request) }
        return try await Chain(.attempt, client.networkInterceptors[...], client, plan).goOn(with: request)
    }

    /// The end of the pipeline: the request is as the engine gets it.
    private nonisolated(nonsending) func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let turnstile = plan.turnstile else { return try await carry(request) }
        return try await turnstile.pass(plan) { try await carry(request) }
    }

    private nonisolated(nonsending) func carry(_ request: HTTPRequest) async throws -> HTTPResponse {
        let start = plan.log?.started(request)
        do {
            var response = try await client.transport.send(request, context: plan.contextNow())
            if !response.isSuccessful { response.sent = request }
            if let start { plan.log?.answered(request, response, since: start) }
            return response
        } catch let error as HTTPError { throw plan.corrected(error).of(request) }
    }
}

/// What all requests of a client pass: one, which they share.
package final class HTTPPipeline: Sendable {
    /// Once for each request.
    package let interceptors: [any Interceptor]
    /// Once for each attempt.
    package let networkInterceptors: [any Interceptor]
    /// Whose cookies each attempt has.
    let cookies: CookieJar?
    package let transport: any Transport

    package init(
        interceptors: [any Interceptor], networkInterceptors: [any Interceptor] = [],
        cookies: CookieJar? = nil, transport: any Transport
    ) {
        self.interceptors = interceptors
        self.networkInterceptors = networkInterceptors
        self.cookies = cookies
        self.transport = transport
    }
}
