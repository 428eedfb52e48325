import HalyardFoundation
import HalyardHTTP

/// Sends a request, follows it where it is sent on to, and tries again what may pass: one attempt after the other, until
/// there is an answer. What to do is decided by ``Redirect`` and ``Retry``.
struct Attempts {
    private let chain: Chain
    private var plan: Plan { chain.plan }

    /// None once a redirect has led away from the provider's origin, and for the rest of the way.
    private var authentication: Authentication
    private var mayRecover = true
    /// Why the challenge of a 401 was not answered.
    private var flaw: String?
    private var redirects: [HTTPResponse.Redirection] = []
    /// All that were made, and those that count for the retry policy.
    private var (count, tries) = (0, 0)

    init(_ chain: Chain) {
        self.chain = chain
        authentication = chain.plan.authentication
    }

    nonisolated(nonsending) mutating func send(_ first: HTTPRequest) async throws -> HTTPResponse {
        var request = prepared(first)
        while true {
            (count, tries) = (count + 1, tries + 1)
            do {
                let sent = try await toBeSent(request)
                let outcome = await result(of: sent)
                guard let next = try await next(after: outcome, to: request, sent) else {
                    return completed(try outcome.get())
                }
                request = next
            } catch let error as HTTPError { throw error.of(request, attempts: count) }
        }
    }

    /// With the range of what is not there yet, and credentials, which may sign it.
    private nonisolated(nonsending) func toBeSent(_ request: HTTPRequest) async throws -> HTTPRequest {
        let isAuthenticated = authentication.authenticator != nil && request.origin == plan.home
        guard isAuthenticated || request.part != nil else { return request }
        var request = request
        request.addRange()
        if isAuthenticated { try await authentication.authenticate(&request) }
        return request
    }

    /// What is to be sent next; nil when this was the last of it.
    ///
    /// - Parameter sent: the request with its credentials.
    private nonisolated(nonsending) mutating func next(
        after outcome: Result<HTTPResponse, any Error>, to request: HTTPRequest, _ sent: HTTPRequest
    ) async throws -> HTTPRequest? {
        if case .success(let response) = outcome {
            if response.status == 416, request.part?.startOver() == true {
                tries -= 1  // it was not the server's being in trouble
                return request
            }
            if response.status == 401, try await recovers(from: response, to: sent) { return request }
            if let next = try redirected(response, request) { return next }
        }
        guard let delay = delay(after: outcome, to: request) else { return nil }
        if case .success(let response) = outcome { response.discard() }
        plan.log?.retried(request, outcome, attempt: count + 1, after: delay)
        try await plan.time.sleep(delay)
        return request
    }

    private nonisolated(nonsending) func result(of request: HTTPRequest) async -> Result<HTTPResponse, any Error> {
        do {
            return .success(try request.withWholeBody(try await chain.attempt(request)))
        } catch { return .failure(request.explaining(error)) }
    }

    private func completed(_ response: consuming HTTPResponse) -> HTTPResponse {
        // Only where it says otherwise: the response is copied to be changed.
        if response.attempts != count { response.attempts = count }
        if response.redirects != redirects { response.redirects = redirects }
        if let flaw { response.flaw = flaw }
        return response
    }
}

// What leads to one more attempt.
extension Attempts {
    private var mayRetry: Bool { plan.retry.attempts > 1 }

    private func prepared(_ request: HTTPRequest) -> HTTPRequest {
        guard mayRetry else { return request }
        plan.account.deposit()
        guard plan.retry.sendsIdempotencyKey, !request.headers.contains("Idempotency-Key") else { return request }
        var request = request
        request.headers["Idempotency-Key"] = UUID().uuidString
        return request
    }

    /// Whether there are better credentials to send it with: asked once. A body that cannot be sent again keeps nobody
    /// from renewing them: the next request has them.
    private nonisolated(nonsending) mutating func recovers(from response: HTTPResponse, to sent: HTTPRequest)
        async throws -> Bool
    {
        // An interceptor may have asked another origin, whose 401 is not about these credentials.
        let asked = response.sent?.origin ?? sent.origin
        guard mayRecover, let authenticator = authentication.authenticator, asked == plan.home else { return false }
        mayRecover = false
        if sent.body?.isReadOnce == true {
            // The 401 is what it comes to, whatever becomes of the credentials.
            _ = try? await authenticator.recover(from: response, to: sent)
            try Task.checkCancellation()
            return false
        }
        do {
            guard try await authenticator.recover(from: response, to: sent) else { return false }
        } catch let error as DigestChallenge.Flaw {
            flaw = error.reason
            return false
        }
        response.discard()
        tries -= 1  // it was not the server's being in trouble
        return true
    }

    private mutating func redirected(
        _ response: HTTPResponse, _ request: HTTPRequest
    ) throws(HTTPError) -> HTTPRequest? {
        guard (300..<400).contains(response.status) else { return nil }
        let request = try request.asAsked(response.sent, home: plan.home)
        guard
            let next = try Redirect.next(
                after: response, to: request, count: redirects.count, plan.redirects, home: plan.home)
        else { return nil }
        plan.log?.redirected(request, response, to: next)
        redirects.append(
            .init(status: response.status, from: request.url, to: next.url, secretNames: request.secretNames))
        if next.origin != request.origin { authentication = .none }
        tries -= 1  // it was not the server's being in trouble
        return next
    }

    private func delay(after outcome: Result<HTTPResponse, any Error>, to request: HTTPRequest) -> Duration? {
        guard mayRetry else { return nil }
        let retry = Retry(policy: plan.retry, now: plan.time.date(), chance: plan.time.chance())
        guard let delay = retry.delay(after: outcome, to: request, attempt: tries, remaining: plan.remaining),
            plan.account.withdraw()
        else { return nil }
        return delay
    }
}

extension HTTPRequest {
    /// The request at the origin that was asked, where a network interceptor has chosen another: a redirect leads on from
    /// there.
    fileprivate func asAsked(_ sent: HTTPRequest?, home: Origin?) throws(HTTPError) -> HTTPRequest {
        guard let sent, sent.origin != origin else { return self }
        var moved = self
        try moved.setURL(sent.url)
        return try Departure(from: self, home: home).left(by: moved)
    }
}
