import HalyardHTTP

/// Adds the provider's credentials to each attempt, and responds to a 401 once in each attempt.
///
/// Credentials are sent to the provider's origin only. The stage compares the origin of the request that is about to be
/// sent.
struct Authenticate: Interceptor {
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let context = next.context
        guard let authenticator = context.authentication.authenticator, request.origin == context.home else {
            return try await next.proceed(request)
        }
        let sent = try await authenticated(request, context, attempts: 1)
        var response = try await next.proceed(sent)
        // A network interceptor may have changed the origin. A 401 of another origin is not about these credentials.
        guard response.status == 401, (response.sent?.origin ?? sent.origin) == context.home else { return response }
        do {
            guard try await recovers(authenticator, from: response, to: sent) else { return response }
        } catch let flaw as DigestChallenge.Flaw {
            response.flaw = flaw.reason
            return response
        } catch { throw FinalError(error, attempts: response.attempts) }
        response.discard()
        let again = try await authenticated(request, context, attempts: response.attempts + 1)
        return try await next.proceed(again, again: response.attempts)
    }

    private nonisolated(nonsending) func authenticated(
        _ request: HTTPRequest, _ context: RequestContext, attempts: Int
    ) async throws -> HTTPRequest {
        var request = request
        do { try await context.authentication.authenticate(&request) } catch {
            throw FinalError(error, attempts: attempts)
        }
        return request
    }

    /// Returns whether to send the request again, as the authenticator decides.
    ///
    /// A body that can be read only once is not sent again. The authenticator is called nevertheless, so that it renews
    /// the credentials for the next request.
    private nonisolated(nonsending) func recovers(
        _ authenticator: any Authenticator, from response: HTTPResponse, to sent: HTTPRequest
    ) async throws -> Bool {
        guard sent.body?.isReadOnce == true else { return try await authenticator.recover(from: response, to: sent) }
        _ = try? await authenticator.recover(from: response, to: sent)
        try Task.checkCancellation()
        return false
    }
}

/// An error after which no further attempt is made. ``RetryAndRedirect`` throws the error that it contains.
struct FinalError: Error {
    let error: any Error
    /// The number of times that the request was sent in this attempt.
    let attempts: Int

    init(_ error: any Error, attempts: Int) {
        self.error = error
        self.attempts = attempts
    }
}
