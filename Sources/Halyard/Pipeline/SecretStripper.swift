import HalyardFoundation
import HalyardHTTP

/// Removes the secrets of a request that goes to another origin, after a redirect or after an interceptor has changed
/// its URL: everything that a log masks. It has no effects.
struct Departure {
    /// The request to the first origin.
    private let request: HTTPRequest
    /// The provider's origin. Secrets in the query of a request to it are the provider's. `nil` for a request that is
    /// not for it.
    private let home: Origin?

    init(from request: HTTPRequest, home: Origin?) {
        self.request = request
        self.home = home
    }

    /// Returns the next request without the secrets of this one. A header field that an interceptor has changed is
    /// kept.
    ///
    /// - Throws: ``HTTPError`` of kind `foreignSecrets` if the body contains secrets.
    func left(by next: HTTPRequest) throws(HTTPError) -> HTTPRequest {
        if next.origin == request.origin { return next }
        let redaction = Redaction(request)
        guard !next.hasBody(of: request) || !redaction.hidesBody(of: request) else {
            throw HTTPError(.foreignSecrets("\(next.origin)"))
        }
        var next = next
        let secrets = request.headers.filter { $0.isOfOneOrigin || redaction.hides($0) }
        next.headers.removeAll(where: secrets.contains)
        guard request.origin == home else { return next }
        let (text, shown) = (next.address.text, redaction.url(next.address.text, without: request.address.text))
        guard text != shown else { return next }
        guard let url = URL(string: shown) else { throw HTTPError(.invalidURL(shown)) }
        try next.setURL(url)
        return next
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
    fileprivate var bytesInMemory: [Data] {
        segments.compactMap { if case .bytes(let data) = $0, !data.isEmpty { data } else { nil } }
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
