import HalyardFoundation
import HalyardHTTP

/// What stays behind when a request that was made for one origin goes to another, by a redirect or by an interceptor that
/// changes its URL: whatever a log masks. Pure.
struct Departure {
    /// The request as it was made for its origin.
    private let request: HTTPRequest
    /// The provider's origin, where the request has one: the secrets of its query belong to the provider.
    private let home: Origin?

    init(from request: HTTPRequest, home: Origin?) {
        self.request = request
        self.home = home
    }

    /// The next request without the secrets that it has from this one. A field that an interceptor has set anew stays.
    ///
    /// - Throws: ``HTTPError`` of kind `foreignSecrets` where the body holds some: it cannot be sent in part.
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
    /// Whether it sends bytes in memory that another request sends as well.
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
