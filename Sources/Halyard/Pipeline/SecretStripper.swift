import HalyardFoundation
import HalyardHTTP

/// Removes the credentials of a request that goes to another origin, after a redirect or after an interceptor has
/// changed its URL. It has no side effects.
///
/// Credentials are what the authenticator added, what the provider added under a name of a secret, and values with
/// one of the ``CredentialNames``. Everything else is the caller's, and is sent.
struct SecretStripper {
    private let request: HTTPRequest
    /// What the provider added to the original request. `nil` for a request outside of one.
    private let provided: (any ProvidedValues)?
    /// Whether credentials in the query are removed as well.
    private let stripsQuery: Bool
    /// Whether a body may have members with one of the ``CredentialNames``.
    private let allowsBody: Bool
    private let names: CredentialNames

    /// Makes a stripper for a request whose URL an interceptor has changed.
    init(original request: HTTPRequest, in context: RequestContext) {
        self.init(request, context.settings.provided, stripsQuery: true, context.settings.redirects)
    }

    /// Makes a stripper for a request that is redirected. Only a request to the provider's origin has the provider's
    /// credentials in its query. The query of another one is the server's: a signed URL may lead to the next one.
    init(
        redirected request: HTTPRequest, _ provided: (any ProvidedValues)?, from origin: Origin?,
        _ policy: RedirectPolicy
    ) {
        self.init(request, provided, stripsQuery: request.origin == origin, policy)
    }

    private init(
        _ request: HTTPRequest, _ provided: (any ProvidedValues)?, stripsQuery: Bool, _ policy: RedirectPolicy
    ) {
        self.request = request
        self.provided = provided
        self.stripsQuery = stripsQuery
        allowsBody = policy.allowsForeignSecrets
        names = CredentialNames(request.secretNames)
    }

    /// Returns a request without the credentials of the original one, if it goes to another origin. A header field that
    /// an interceptor has changed is kept. Throws ``HTTPError`` of kind `foreignSecrets` if the body contains
    /// credentials.
    func strippingSecrets(from next: HTTPRequest) throws(HTTPError) -> HTTPRequest {
        if next.origin == request.origin { return next }
        let pairs = provided?.credentialPairs ?? []
        try checkBody(of: next, pairs)
        var next = next
        let secrets = request.headers.filter(isCredential)
        next.headers.removeAll(where: secrets.contains)
        if let referer = next.headers["Referer"], referer == request.headers["Referer"] {
            next.headers["Referer"] = removingCredentials(from: referer, of: referer, pairs)
        }
        guard stripsQuery else { return next }
        let text = removingCredentials(from: next.address.text, of: request.address.text, pairs)
        if text != next.address.text { try next.setURL(ofText: text) }
        return next
    }

    /// Whether a header field of the request is for its own origin only.
    func isCredential(_ field: HTTPHeaders.Field) -> Bool {
        field.isOfOneOrigin || names.containsField(field.name.rawValue)
            || provided?.headers.contains { $0.name == field.name && SecretNames().containsField($0.name.rawValue) }
                ?? false
    }

    private func removingCredentials(from url: String, of original: String, _ pairs: [String]) -> String {
        let named = Redaction.pairs(ofURL: original).filter { names.containsMember(String($0.prefix { $0 != "=" })) }
        return Redaction.url(url, withoutPairs: pairs + named)
    }

    private func checkBody(of next: HTTPRequest, _ pairs: [String]) throws(HTTPError) {
        guard next.hasBody(of: request) else { return }
        for member in BodyMember.all(of: request) {
            if pairs.contains(member.pair) {
                throw HTTPError(
                    .foreignSecrets("\(next.origin)"),
                    reason: "the body has \(member.name.quoted), which the provider adds")
            }
            guard !allowsBody, !member.value.isEmpty, names.containsMember(member.name) else { continue }
            throw HTTPError(
                .foreignSecrets("\(next.origin)"), reason: "the body has \(member.name.quoted)",
                suggestion: "If that origin may have it, give the route or the client "
                    + ".follow(allowsForeignSecrets: true), or make that origin the provider's baseURL")
        }
    }
}

/// Runs a user's interceptor. If it changes the URL to another origin, the credentials that the request had before
/// are removed, and all that the authenticator added. See ``SecretStripper`` and ``AddedCredentials``.
struct OriginGuard: Interceptor {
    let interceptor: any Interceptor

    init(_ interceptor: any Interceptor) { self.interceptor = interceptor }

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let context = next.context
        let guarded = Chain(
            { changed in
                var changed = try SecretStripper(original: request, in: context).strippingSecrets(from: changed)
                if let credentials = context.settings.credentials, changed.origin != context.settings.providerOrigin {
                    changed = try credentials.removed(from: changed)
                }
                return try await next.proceed(changed)
            }, context)
        return try await interceptor.intercept(request, next: guarded)
    }
}

extension HTTPHeaders.Field {
    /// Whether the field names the origin that a request is for, or comes from.
    fileprivate var isOfOneOrigin: Bool { name.matches("Host") || name.matches("Origin") }
}

extension HTTPRequest {
    /// Whether both requests send the same bytes in memory.
    fileprivate func hasBody(of other: HTTPRequest) -> Bool {
        guard let body, let others = other.body else { return false }
        let bytes = others.bytesInMemory
        return body.bytesInMemory.contains(where: bytes.contains)
    }
}

extension ProvidedValues {
    /// The provider's parameters with names of secrets, as decoded pairs of a query. The provider is where API keys
    /// are, so its own names are judged as a log judges them.
    fileprivate var credentialPairs: [String] {
        params.items.flatMap { item in
            var one = Parameters()
            one.set(item.value, for: item.name)
            // A file is no credential.
            let bytes = (try? QueryEncoder.encode(one, arrays: arrays)) ?? []
            return Redaction.pairs(ofURL: "?" + String(decoding: bytes, as: UTF8.self))
        }.filter {
            let name = String($0.prefix { $0 != "=" })
            return SecretNames().containsParameter(name) || CredentialNames(secretNames).containsMember(name)
        }
    }
}
