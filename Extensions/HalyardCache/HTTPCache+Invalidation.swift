import HalyardFoundation
import HalyardHTTP

extension HTTPCache {
    /// Removes the responses that a request with an unsafe method has made invalid (RFC 9111 section 4.4).
    func invalidate(_ request: HTTPRequest, _ response: HTTPResponse) async {
        guard (200..<400).contains(response.status) else { return }
        await store.invalidate(url: CacheKey.text(of: request.address.text))
        for name in ["Location", "Content-Location"] {
            guard let value = response.headers.values(for: name).first,
                let url = URL(string: value, relativeTo: request.url)?.absoluteURL,
                (try? Origin(ofURL: url.absoluteString)) == request.origin
            else { continue }
            await store.invalidate(url: CacheKey.text(of: url.absoluteString))
        }
    }
}
