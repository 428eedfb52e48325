#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import HalyardHTTP

/// Sends a request, follows it where it is sent on to, and tries again what may pass: one attempt after the other, until
/// there is an answer. What to do is decided by ``Redirect`` and ``Retry``.
struct Attempts {
    private let plan: Plan
    private let attempt: (HTTPRequest) async throws -> HTTPResponse

    init(_ plan: Plan, _ attempt: @escaping (HTTPRequest) async throws -> HTTPResponse) {
        self.plan = plan
        self.attempt = attempt
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        var request = request
        if plan.retry.attempts > 1 {
            plan.account.deposit()
            if plan.retry.sendsIdempotencyKey, !request.headers.contains("Idempotency-Key") {
                request.headers["Idempotency-Key"] = UUID().uuidString
            }
        }
        var (count, tries, redirects) = (0, 0, [HTTPResponse.Redirection]())
        while true {
            (count, tries) = (count + 1, tries + 1)
            do {
                let outcome = await result(of: request)
                if case .success(var response) = outcome {
                    if let next = try next(after: response, to: request, redirects.count) {
                        redirects.append(.init(status: response.status, from: request.url, to: next.url))
                        plan.log?.redirected(request, response, to: next)
                        (request, tries) = (next, 0)
                        continue
                    }
                    if !mayRetry {
                        response.attempts = count
                        response.redirects = redirects
                        return response
                    }
                }
                guard let delay = delay(after: outcome, to: request, tries) else {
                    var response = try outcome.get()
                    response.attempts = count
                    response.redirects = redirects
                    return response
                }
                if case .success(let response) = outcome { response.discard() }
                plan.log?.retried(request, outcome, attempt: count + 1, after: delay)
                try await plan.time.sleep(delay)
            } catch let error as HTTPError { throw error.of(request, attempts: count) }
        }
    }

    private var mayRetry: Bool { plan.retry.attempts > 1 }

    private func result(of request: HTTPRequest) async -> Result<HTTPResponse, any Error> {
        do { return .success(try await attempt(request)) } catch { return .failure(error) }
    }

    private func next(
        after response: HTTPResponse, to request: HTTPRequest, _ count: Int
    ) throws(HTTPError) -> HTTPRequest? {
        guard (300..<400).contains(response.status) else { return nil }
        return try Redirect.next(after: response, to: request, count: count, plan.redirects)
    }

    private func delay(
        after outcome: Result<HTTPResponse, any Error>, to request: HTTPRequest, _ tries: Int
    ) -> Duration? {
        guard mayRetry else { return nil }
        let retry = Retry(policy: plan.retry, now: plan.time.date(), chance: plan.time.chance())
        guard let delay = retry.delay(after: outcome, to: request, attempt: tries, remaining: plan.remaining),
            plan.account.withdraw()
        else { return nil }
        return delay
    }
}
