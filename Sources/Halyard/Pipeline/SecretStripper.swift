import HalyardFoundation
import HalyardHTTP

/// Removes the secrets of a request that goes to another origin, after a redirect or after an interceptor has changed
/// its URL: everything that a log masks. It has no side effects.
struct SecretStripper {
    /// The original request.
    private let request: HTTPRequest
    /// Whether secrets in the query are removed as well.
    private let stripsQuery: Bool

    /// Makes a stripper for a request whose URL an interceptor has changed.
    init(original request: HTTPRequest) {
        self.request = request
        stripsQuery = true
    }

    /// Makes a stripper for a request that is redirected. Only a request to the provider's origin has the provider's
    /// secrets in its query. The query of another one is the server's: a signed URL may lead to the next one.
    init(redirected request: HTTPRequest, providerOrigin: Origin?) {
        self.request = request
        stripsQuery = request.origin == providerOrigin
    }

    /// Returns a request without the secrets of the original one, if it goes to another origin. A header field that an
    /// interceptor has changed is kept.
    ///
    /// - Throws: ``HTTPError`` of kind `foreignSecrets` if the body contains secrets.
    func strippingSecrets(from next: HTTPRequest) throws(HTTPError) -> HTTPRequest {
        if next.origin == request.origin { return next }
        let redaction = Redaction(request)
        guard !next.hasBody(of: request) || !redaction.hidesBody(of: request) else {
            throw HTTPError(.foreignSecrets("\(next.origin)"))
        }
        var next = next
        let secrets = request.headers.filter { $0.isOfOneOrigin || redaction.hides($0) }
        next.headers.removeAll(where: secrets.contains)
        guard stripsQuery else { return next }
        let redacted = redaction.url(next.address.text, without: request.address.text)
        if redacted != next.address.text { try next.setURL(ofText: redacted) }
        return next
    }
}

/// Runs a user's interceptor. If it changes the URL to another origin, the secrets that the request had before
/// are removed, and all that the authenticator added. See ``SecretStripper`` and ``AddedCredentials``.
struct OriginGuard: Interceptor {
    let interceptor: any Interceptor

    init(_ interceptor: any Interceptor) { self.interceptor = interceptor }

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let context = next.context
        let guarded = Chain(
            { changed in
                var changed = try SecretStripper(original: request).strippingSecrets(from: changed)
                if let credentials = context.credentials, changed.origin != context.providerOrigin {
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

extension Redaction {
    /// Whether a log masks something in the body of a request.
    fileprivate func hidesBody(of request: HTTPRequest) -> Bool {
        let bytes = request.body?.bytesInMemory.reduce(into: [UInt8]()) { $0 += $1 } ?? []
        if bytes.isEmpty { return false }
        if let boundary = request.headers.boundary { return multipart(bytes, boundary: boundary) != bytes }
        let text = body(Data(bytes), of: request.headers.mediaType)
        return text.map { !bytes.elementsEqual($0.utf8) } ?? false
    }
}
