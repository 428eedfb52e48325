import HalyardHTTP

/// Runs a user's interceptor. If it changes the URL to another origin, the secrets that the request had before
/// are removed. See ``SecretStripper``.
struct OriginGuard: Interceptor {
    let interceptor: any Interceptor

    init(_ interceptor: any Interceptor) { self.interceptor = interceptor }

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let context = next.context
        let guarded = Chain(
            { changed in
                let stripper = SecretStripper(original: request, providerOrigin: context.providerOrigin)
                return try await next.proceed(stripper.strippingSecrets(from: changed))
            }, context)
        return try await interceptor.intercept(request, next: guarded)
    }
}
