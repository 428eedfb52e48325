import HalyardFoundation
import HalyardHTTP

/// What an authenticator added to a request, whatever the names of the fields and parameters. It is removed when an
/// interceptor then changes the URL to another origin, and when a redirect that repeats it leads there. It has no side
/// effects.
struct AddedCredentials: Sendable {
    private let fields: [HTTPHeaders.Field]
    /// The pairs of the query, decoded.
    private let pairs: [String]
    private let body: [Data]
    /// The path with its credentials. `nil` if the authenticator did not change the path.
    private let path: String?

    /// Compares a request before and after the authenticator.
    init(_ request: HTTPRequest, authenticated: HTTPRequest) {
        fields = authenticated.headers.filter { field in !request.headers.contains { $0 == field } }
        let (text, authenticatedText) = (request.address.text, authenticated.address.text)
        if text == authenticatedText {
            (pairs, path) = ([], nil)
        } else {
            let before = Redaction.pairs(ofURL: text)
            pairs = Redaction.pairs(ofURL: authenticatedText).filter { !before.contains($0) }
            let newPath = authenticated.url.path
            path = newPath == request.url.path ? nil : newPath
        }
        let before = request.body?.bytesInMemory ?? []
        body = authenticated.body?.bytesInMemory.filter { !before.contains($0) } ?? []
    }

    /// Returns a request without the credentials.
    ///
    /// - Throws: ``HTTPError`` of kind `foreignSecrets` if they are in the path or in the body, from which they cannot
    ///   be removed.
    func removed(from request: HTTPRequest) throws(HTTPError) -> HTTPRequest {
        let isInBody = request.body?.bytesInMemory.contains(where: body.contains) ?? false
        guard !isInBody, path != request.url.path else {
            throw HTTPError(
                .foreignSecrets("\(request.origin)"),
                reason: "the authenticator has changed the \(isInBody ? "body" : "path")")
        }
        var request = request
        request.headers.removeAll(where: fields.contains)
        try request.removePairs(pairs)
        return request
    }
}

extension HTTPRequest {
    /// Removes pairs from the query.
    fileprivate mutating func removePairs(_ pairs: [String]) throws(HTTPError) {
        let text = Redaction.url(address.text, withoutPairs: pairs)
        if text != address.text { try setURL(ofText: text) }
    }

    /// Changes the URL to a text without the secrets that it had.
    mutating func setURL(ofText text: String) throws(HTTPError) {
        guard let url = URL(string: text) else { throw HTTPError(.invalidURL(text)) }
        try setURL(url)
    }
}

extension HTTPBody {
    /// The segments in memory that are not empty, before their compression.
    var bytesInMemory: [Data] {
        uncompressed.segments.compactMap { if case .bytes(let data) = $0, !data.isEmpty { data } else { nil } }
    }
}
