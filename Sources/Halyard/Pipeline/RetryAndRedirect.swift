import HalyardFoundation
import HalyardHTTP

/// Sends a request, follows redirects, and retries after temporary failures. ``Redirect`` and ``Retry`` decide whether
/// it is sent again.
///
/// An attempt is a try that the retry policy counts: the first one and each retry, but not a redirect. A send is one
/// message to the transport. An attempt may have several sends: redirects, and a 401 that is answered with credentials.
struct RetryAndRedirect: Interceptor {
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let context = next.context
        var history = SendHistory(context)
        var (request, next) = (history.prepared(request), next)
        while true {
            do {
                let outcome = try await result(of: request, next, &history)
                if history.mustNotExpect(after: outcome, to: request, next.context) {
                    next = next.with(next.context.with { $0.transfer.expectsContinue = false })
                    continue
                }
                var step = try history.step(after: outcome, to: request)
                if case .waitForNetwork(let error) = step, let failure = try await history.wait(request, after: error) {
                    step = try history.step(after: .failure(failure), to: request)
                }
                switch step {
                case .redirect(let target):
                    if history.hasCrossedOrigin {
                        // Also later redirects have none.
                        next = next.with(context.with { ($0.authentication, $0.credentials) = (.none, nil) })
                    }
                    request = target
                case .retry(let delay): try await context.time.sleep(delay)
                case .waitForNetwork: continue
                case .end(let response): return response
                }
            } catch { throw history.completed(error, request) }
        }
    }

    /// Passes the request to the stages below. Returns the response, or an error after which the request may be sent
    /// again. Throws an error after which the request is not sent again.
    private nonisolated(nonsending) func result(
        of request: HTTPRequest, _ next: Chain, _ history: inout SendHistory
    ) async throws -> Result<HTTPResponse, any Error> {
        do {
            let response = try await next.proceed(request)
            history.add(response.sendCount, mayHaveBeenProcessed: true)
            return .success(response)
        } catch { return .failure(try history.add(failure: error)) }
    }
}

/// The sends and attempts of one request so far.
private struct SendHistory {
    /// The number of times that the request was passed to the transport.
    private(set) var sends = 0
    /// The number of attempts that the retry policy counts. Redirects, and sends with renewed credentials, do not
    /// count.
    private(set) var attempts = 0
    /// Whether a server may have acted on one of the sends.
    private(set) var mayHaveBeenProcessed = false
    private var redirects: [HTTPResponse] = []
    /// Whether a redirect has led to another origin.
    private(set) var hasCrossedOrigin = false
    /// How the request has waited for a network. `nil` if it has not.
    private var networkWait: NetworkWait?
    private let context: RequestContext

    /// What follows a response or an error.
    enum Step {
        case redirect(HTTPRequest)
        case retry(after: Duration)
        case waitForNetwork(after: HTTPError)
        case end(HTTPResponse)
    }

    init(_ context: RequestContext) { self.context = context }

    private var mayRetry: Bool { context.settings.retry.mayRetry }

    /// Returns the request with an idempotency key, if the retry policy requires one.
    @inline(never)  // See `Pipeline`.
    func prepared(_ request: HTTPRequest) -> HTTPRequest {
        guard mayRetry else { return request }
        context.settings.retryTokens.withLock { $0.deposit() }
        guard context.settings.retry.sendsIdempotencyKey, !request.headers.contains("Idempotency-Key") else {
            return request
        }
        var request = request
        request.headers["Idempotency-Key"] = UUID.random().uuidString
        return request
    }

    /// Counts an attempt with its sends. A response from a cache has none.
    mutating func add(_ sends: Int, mayHaveBeenProcessed: Bool) {
        self.sends += sends
        if mayHaveBeenProcessed { self.mayHaveBeenProcessed = true }
        attempts += 1
    }

    /// Counts an attempt that has failed. Returns its error, or throws it if the request must not be sent again.
    @inline(never)  // See `Pipeline`.
    mutating func add(failure error: any Error) throws -> any Error {
        if let error = error as? NonRetryableError {
            add(max(1, error.sends), mayHaveBeenProcessed: true)
            throw error.error
        }
        let httpError = error as? HTTPError
        add(httpError?.sends ?? 1, mayHaveBeenProcessed: httpError?.mayHaveBeenProcessed ?? true)
        return error
    }

    /// Returns what follows a response or an error.
    @inline(never)  // See `Pipeline`.
    mutating func step(after outcome: Result<HTTPResponse, any Error>, to request: HTTPRequest) throws -> Step {
        if case .success(let response) = outcome, let target = try redirect(response, request) {
            return .redirect(target)
        }
        let delay: Duration
        switch decision(after: outcome, to: request) {
        case .retry(let after): delay = after
        case .waitForNetwork(let error): return .waitForNetwork(after: error)
        case .end(because: nil): return .end(completed(try outcome.get()))
        case .end(let reason?): return .end(completed(try ended(outcome, request, because: reason)))
        }
        if case .success(let response) = outcome { response.discard() }
        context.log?.log(.retried, request, try? outcome.get(), delay: delay) { event in
            event.attempt = attempts + 1
            if case .failure(let error) = outcome { event.error = error }
        }
        return .retry(after: delay)
    }

    /// Whether the server has refused the request because of its `Expect`. It is then sent again without it (RFC 9110
    /// section 10.1.1), which is no attempt.
    mutating func mustNotExpect(
        after outcome: Result<HTTPResponse, any Error>, to request: HTTPRequest, _ context: RequestContext
    ) -> Bool {
        guard context.transfer.expectsContinue, case .success(let response) = outcome, response.status == 417,
            request.body?.isReadOnce == false
        else { return false }
        response.discard()
        attempts -= 1
        return true
    }

    /// Waits until there is a network, and returns `nil`: what has failed was no attempt. Returns the error after the
    /// limit of the policy, and at the deadline.
    nonisolated(nonsending) mutating func wait(
        _ request: HTTPRequest, after error: HTTPError
    ) async throws -> HTTPError? {
        let start = context.time.now()
        let wait = networkWait ?? NetworkWait()
        networkWait = wait
        let limit = min(
            (context.settings.retry.networkWait ?? .zero) - wait.total, context.remaining ?? .seconds(1 << 40))
        let pause = wait.isNetworkNew ? min(.milliseconds(500), limit) : nil
        context.log?.log(.waitingForNetwork, request, delay: pause ?? limit) { $0.error = error }
        if let pause {
            try await context.time.sleep(pause)
        } else {
            let failure = error.adding(reason: "there was no network for \(limit.logText)")
            do {
                try await leavable(
                    within: limit, context.time, { await NetworkRoute.wait(to: request.origin) }, throwing: { failure })
            } catch is HTTPError {
                wait.isOver = true
                return failure
            }
            wait.networkStart = context.time.now()
        }
        wait.end = context.time.now()
        wait.total += wait.end - start
        attempts -= 1
        return nil
    }

    /// Returns the request that follows a redirect. `nil` if the response is not a redirect, or if the policy does not
    /// follow it.
    private mutating func redirect(_ response: HTTPResponse, _ request: HTTPRequest) throws(HTTPError) -> HTTPRequest? {
        guard (300..<400).contains(response.status) else { return nil }
        let request = try request.relocated(to: response.notes.sentRequest, in: context)
        guard
            let next = try Redirect.next(
                after: response, to: request, count: redirects.count, context.settings.redirects, in: context,
                added: context.credentials(of: response, to: request))
        else { return nil }
        context.log?.log(.redirected, request, response) { $0.next = next }
        redirects.append(.init(status: response.status, headers: response.headers, from: request.address))
        if next.origin != request.origin { hasCrossedOrigin = true }
        attempts -= 1
        return next
    }

    private func decision(after outcome: Result<HTTPResponse, any Error>, to request: HTTPRequest) -> Retry.Decision {
        guard mayRetry else { return .end(because: nil) }
        var policy = context.settings.retry
        if let limit = policy.networkWait, let networkWait, networkWait.isOver || networkWait.total >= limit {
            policy.networkWait = nil
        }
        let retry = Retry(policy: policy, now: context.time.date(), random: context.time.random())
        let decision = retry.decision(
            after: outcome, to: request, attempt: attempts, remaining: context.remaining
        ) { !lacksNetwork(outcome) && NetworkRoute.exists(to: $0) }
        guard case .retry = decision, !context.settings.retryTokens.withLock({ $0.tryTake() }) else { return decision }
        return .end(because: "the client's retryBudget is used up")
    }

    /// Whether a request found no server in the first seconds of a network, so that the network is taken to be incomplete.
    private func lacksNetwork(_ outcome: Result<HTTPResponse, any Error>) -> Bool {
        guard networkWait?.isNetworkNew == true, case .failure(let error as HTTPError) = outcome else { return false }
        return !error.mayHaveBeenProcessed
    }

    /// Returns the response, or throws the error, of a request that is not retried although its policy allows it. Both
    /// say why, and so does the log.
    private func ended(
        _ outcome: Result<HTTPResponse, any Error>, _ request: HTTPRequest, because reason: String
    ) throws -> HTTPResponse {
        context.log?.log(.notRetried, request, try? outcome.get(), note: reason) { event in
            if case .failure(let error) = outcome { event.error = error }
        }
        let reason = "it is not retried: \(reason)"
        switch outcome {
        case .success(var response):
            response.notes.failureReason = reason
            return response
        case .failure(let error): throw (error as? HTTPError)?.adding(reason: reason) ?? error
        }
    }

    /// Returns an error with the request and the number of sends.
    @inline(never)  // See `Pipeline`.
    func completed(_ error: any Error, _ request: HTTPRequest) -> any Error {
        guard let error = error as? HTTPError else { return error }
        let isProcessed = mayHaveBeenProcessed || error.mayHaveBeenProcessed
        return error.adding(request: request, sends: sends).with { $0.mayHaveBeenProcessed = isProcessed }
    }

    /// Returns the last response with the number of sends and the redirects.
    private func completed(_ response: consuming HTTPResponse) -> HTTPResponse {
        // They are set only if they differ, because a change copies the response.
        if response.sendCount != sends { response.sendCount = sends }
        if response.redirects.count != redirects.count { response.redirects = redirects }
        return response
    }
}

/// The waits of one request for a network.
private final class NetworkWait {
    var total = Duration.zero
    /// Whether the limit of the policy is over.
    var isOver = false
    /// When a network came. `nil` before that.
    var networkStart: Duration?
    /// When the last wait ended.
    var end = Duration.zero

    /// Whether the request was sent in the first five seconds of a network, which may have no name servers yet, or no
    /// addresses of one version of IP.
    var isNetworkNew: Bool { networkStart.map { end - $0 < .seconds(5) } ?? false }
}

extension HTTPError {
    /// The number of times that the request was sent, at least one unless a limit refused it.
    var sends: Int { max(kind.isRefusal ? 0 : 1, sendCount) }
}

extension RequestContext {
    /// Returns what the authenticator added to a request. The server may repeat it in a `Location`.
    fileprivate func credentials(of response: HTTPResponse, to request: HTTPRequest) -> AddedCredentials? {
        guard settings.authentication.authenticator != nil, let sent = response.notes.sentRequest,
            request.origin == settings.providerOrigin
        else { return nil }
        return AddedCredentials(request, authenticated: sent)
    }
}

extension HTTPRequest {
    /// Returns the request with the origin to which it was sent. A network interceptor may have changed the origin, and
    /// the redirect is relative to that one.
    fileprivate func relocated(to sent: HTTPRequest?, in context: RequestContext) throws(HTTPError) -> HTTPRequest {
        guard let sent, sent.origin != origin else { return self }
        var moved = self
        try moved.setURL(sent.url)
        return try SecretStripper(original: self, in: context).strippingSecrets(from: moved)
    }
}
