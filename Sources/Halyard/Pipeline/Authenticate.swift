import HalyardHTTP

/// Adds the provider's credentials to the request, and responds to a 401, or another status that the authenticator
/// names, once. It runs again for each retry and redirect.
///
/// Credentials are sent to the provider's origin only. The stage compares the origin of the request that is about to be
/// sent.
struct Authenticate: Interceptor {
    /// Whether network interceptors get the request afterwards. If one changes the origin, what the authenticator added
    /// is removed; see ``AddedCredentials``.
    let recordsCredentials: Bool

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        guard let authenticator = next.context.settings.authentication.authenticator,
            request.origin == next.context.settings.providerOrigin
        else { return try await next.proceed(request) }
        return try await authenticated(request, next, by: authenticator)
    }

    /// Sends a request with credentials, and again with new ones if the server refuses them.
    @inline(never)  // See `Pipeline`.
    private nonisolated(nonsending) func authenticated(
        _ request: HTTPRequest, _ next: Chain, by authenticator: any Authenticator
    ) async throws -> HTTPResponse {
        let context = next.context
        let sent = try await addingCredentials(to: request, context, sends: 1)
        var response = try await recording(next, request, sent).proceed(sent)
        // A network interceptor may have changed the origin. A 401 of another origin is not about these credentials.
        guard authenticator.recoverableStatuses.contains(response.status),
            (response.notes.sentRequest?.origin ?? sent.origin) == context.settings.providerOrigin
        else {
            return response
        }
        do {
            guard try await shouldResend(authenticator, from: response, to: sent, context) else { return response }
        } catch let problem as DigestChallenge.Problem {
            response.notes.failureReason = problem.reason
            return response
        } catch { throw NonRetryableError(error: error, sends: response.sendCount) }
        response.discard()
        let renewed = try await addingCredentials(to: request, context, sends: response.sendCount + 1)
        return try await recording(next, request, renewed).proceed(renewed, afterSends: response.sendCount)
    }

    private func recording(_ next: Chain, _ request: HTTPRequest, _ authenticated: HTTPRequest) -> Chain {
        guard recordsCredentials else { return next }
        let added = AddedCredentials(request, authenticated: authenticated)
        return next.with(next.context.with { $0.credentials = added })
    }

    private nonisolated(nonsending) func addingCredentials(
        to request: HTTPRequest, _ context: RequestContext, sends: Int
    ) async throws -> HTTPRequest {
        let authentication = context.settings.authentication
        do {
            return try await untilDeadline(authentication, context, sends: sends) {
                var request = request
                try await authentication.authenticate(&request)
                return request
            }
        } catch let error as HTTPError where error.fields.timeLimit == .request { throw error } catch {
            throw NonRetryableError(error: error, sends: sends)
        }
    }

    /// Calls an authenticator. It cannot see the deadline, and may ignore its cancellation. Then it is left behind.
    private nonisolated(nonsending) func untilDeadline<Value: Sendable>(
        _ authentication: Authentication, _ context: RequestContext, sends: Int,
        _ call: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard authentication.mayWait else { return try await call() }
        return try await leavable(within: context.remaining, context.time, call) {
            sends == 1 ? context.timeoutError.with { $0.mayHaveBeenProcessed = false } : context.timeoutError
        }
    }

    /// Returns whether to send the request again, as the authenticator decides.
    ///
    /// A body that can be read only once is not sent again. The authenticator is called nevertheless, so that it renews
    /// the credentials for the next request.
    private nonisolated(nonsending) func shouldResend(
        _ authenticator: any Authenticator, from response: HTTPResponse, to sent: HTTPRequest, _ context: RequestContext
    ) async throws -> Bool {
        let isRenewed = try await untilDeadline(
            context.settings.authentication, context, sends: response.sendCount + 1
        ) {
            try await authenticator.recover(from: response, to: sent)
        }
        return isRenewed && sent.body?.isReadOnce != true
    }
}

/// An error after which the request is not sent again. ``RetryAndRedirect`` throws the error that it contains.
struct NonRetryableError: Error {
    let error: any Error
    /// The number of times that the request was sent since ``RetryAndRedirect`` passed it on.
    let sends: Int
}
