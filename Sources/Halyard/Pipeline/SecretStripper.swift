import HalyardFoundation
import HalyardHTTP

/// Removes the secrets of a request that goes to another origin, after a redirect or after an interceptor has changed
/// its URL: everything that a log masks. It has no effects.
struct SecretStripper {
    /// The original request.
    private let request: HTTPRequest
    /// The provider's origin. Secrets in the query of a request to it are the provider's. `nil` for a request that is
    /// not for it.
    private let providerOrigin: Origin?

    init(original request: HTTPRequest, providerOrigin: Origin?) {
        self.request = request
        self.providerOrigin = providerOrigin
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
        guard request.origin == providerOrigin else { return next }
        let (text, redacted) = (next.address.text, redaction.url(next.address.text, without: request.address.text))
        guard text != redacted else { return next }
        guard let url = URL(string: redacted) else { throw HTTPError(.invalidURL(redacted)) }
        try next.setURL(url)
        return next
    }
}

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

extension HTTPBody {
    /// The bytes in memory, before their compression.
    fileprivate var bytesInMemory: [Data] {
        uncompressed.segments.compactMap { if case .bytes(let data) = $0, !data.isEmpty { data } else { nil } }
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
