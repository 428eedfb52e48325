import HalyardHTTP

extension ClientPolicy {
    /// Sends requests over https to hosts that have asked for it with `Strict-Transport-Security` in a response over
    /// https (RFC 6797).
    ///
    /// An `http` URL becomes `https`, and port 80 becomes 443, before cookies and credentials are added, also in a
    /// redirect. Credentials of a provider with an `http` base URL are sent to the same host over https.
    ///
    /// - Parameter store: The hosts that have asked for https. Defaults to a store in memory, which ends with the program.
    public static func hsts(_ store: HSTSStore = HSTSStore()) -> ClientPolicy {
        ClientPolicy([(.upgrade, UpgradeToHTTPS(store: store)), (.learning, LearnSecureHosts(store: store))])
    }
}

/// Changes the origins of a request and of its provider. ``Redirect`` changes those of redirects, before it compares
/// origins.
private struct UpgradeToHTTPS: Interceptor {
    let store: HSTSStore

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let now = next.context.time.date()
        let context = next.context.with { settings in
            settings.hsts = store
            settings.providerOrigin = settings.providerOrigin.map { store.secured($0, now) }
        }
        return try await next.with(context).proceed(store.secured(request, now))
    }
}

private struct LearnSecureHosts: Interceptor {
    let store: HSTSStore

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let response = try await next.proceed(request)
        await store.learn(from: response, next.context.time.date())
        return response
    }
}
