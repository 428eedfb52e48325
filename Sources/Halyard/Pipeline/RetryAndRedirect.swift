import HalyardFoundation
import HalyardHTTP

/// Makes the attempts of a request: follows redirects, and retries after temporary failures. ``Redirect`` and ``Retry``
/// decide about the next attempt.
struct RetryAndRedirect: Interceptor {
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let context = next.context
        var attempts = Attempts(context)
        var (request, next) = (attempts.prepared(request), next)
        while true {
            do {
                let outcome = try await result(of: request, next, &attempts)
                if case .success(let response) = outcome, let target = try attempts.redirect(response, request) {
                    if attempts.hasLeft { next = next.with(context.withoutCredentials) }
                    request = target
                } else if let delay = attempts.delay(after: outcome, to: request) {
                    if case .success(let response) = outcome { response.discard() }
                    context.log?.retried(request, outcome, attempt: attempts.count + 1, after: delay)
                    try await context.time.sleep(delay)
                } else {
                    return attempts.completed(try outcome.get())
                }
            } catch let error as HTTPError { throw error.of(request, attempts: attempts.count) }
        }
    }

    /// Makes one attempt.
    ///
    /// - Returns: Its response, or an error after which another attempt may be made.
    /// - Throws: An error after which no other attempt is made.
    private nonisolated(nonsending) func result(
        of request: HTTPRequest, _ next: Chain, _ attempts: inout Attempts
    ) async throws -> Result<HTTPResponse, any Error> {
        do {
            let response = try await next.proceed(request)
            attempts.add(response.attempts)
            return .success(response)
        } catch let error as FinalError {
            attempts.add(error.attempts)
            throw error.error
        } catch {
            attempts.add((error as? HTTPError)?.attempts ?? 1)
            return .failure(error)
        }
    }
}

/// The attempts of one request so far.
private struct Attempts {
    /// The number of times that the request was passed to the transport.
    private(set) var count = 0
    /// The number of attempts that count for the retry policy. Attempts after a redirect or with renewed credentials do
    /// not count.
    private var tries = 0
    private var redirects: [HTTPResponse.Redirection] = []
    /// Whether a redirect has led to another origin.
    private(set) var hasLeft = false
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    private var mayRetry: Bool { context.retry.attempts > 1 }

    /// Returns the request with an idempotency key, if the retry policy requires one.
    func prepared(_ request: HTTPRequest) -> HTTPRequest {
        guard mayRetry else { return request }
        context.account.deposit()
        guard context.retry.sendsIdempotencyKey, !request.headers.contains("Idempotency-Key") else { return request }
        var request = request
        request.headers["Idempotency-Key"] = UUID.random().uuidString
        return request
    }

    /// Counts one attempt, in which the request was sent once or more.
    mutating func add(_ sent: Int) {
        count += max(1, sent)
        tries += 1
    }

    /// Returns the request that follows a redirect. `nil` if the response is not a redirect, or if the policy does not
    /// follow it.
    mutating func redirect(_ response: HTTPResponse, _ request: HTTPRequest) throws(HTTPError) -> HTTPRequest? {
        guard (300..<400).contains(response.status) else { return nil }
        let asked = try request.movedAsSent(response.sent, home: context.home)
        guard
            let next = try Redirect.next(
                after: response, to: asked, count: redirects.count, context.redirects, home: context.home)
        else { return nil }
        context.log?.redirected(asked, response, to: next)
        redirects.append(.init(status: response.status, from: asked.url, to: next.url, secretNames: asked.secretNames))
        if next.origin != asked.origin { hasLeft = true }
        tries -= 1
        return next
    }

    /// Returns the delay before the next attempt. `nil` for no further attempt.
    func delay(after outcome: Result<HTTPResponse, any Error>, to request: HTTPRequest) -> Duration? {
        guard mayRetry else { return nil }
        let retry = Retry(policy: context.retry, now: context.time.date(), chance: context.time.chance())
        guard let delay = retry.delay(after: outcome, to: request, attempt: tries, remaining: context.remaining),
            context.account.withdraw()
        else { return nil }
        return delay
    }

    /// Returns the last response with the number of attempts and the redirects.
    func completed(_ response: consuming HTTPResponse) -> HTTPResponse {
        // They are set only if they differ, because a change copies the response.
        if response.attempts != count { response.attempts = count }
        if response.redirects != redirects { response.redirects = redirects }
        return response
    }
}

extension HTTPRequest {
    /// Returns the request with the origin to which it was sent. A network interceptor may have changed the origin, and
    /// the redirect is relative to that one.
    fileprivate func movedAsSent(_ sent: HTTPRequest?, home: Origin?) throws(HTTPError) -> HTTPRequest {
        guard let sent, sent.origin != origin else { return self }
        var moved = self
        try moved.setURL(sent.url)
        return try Departure(from: self, home: home).left(by: moved)
    }
}
