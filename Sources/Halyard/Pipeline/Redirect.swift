import HalyardFoundation
import HalyardHTTP

/// Decides whether a redirect is followed, and makes the next request. It has no side effects, and follows the Fetch
/// standard (section 4.4, HTTP-redirect fetch).
struct Redirect {
    /// Header fields that describe a body, and are removed with it.
    static let bodyFieldNames = [
        "Content-Encoding", "Content-Language", "Content-Location", "Content-Type", "Content-Length",
        "Content-Digest", "Repr-Digest", "Content-MD5", "Digest",
    ]
    /// Returns the request that follows. `nil` if there is nothing to follow. `added` is what the authenticator added
    /// to the request that the server has answered. `nil` for nothing. Throws ``HTTPError`` of kind `tooManyRedirects`,
    /// `insecureRedirect`, `invalidURL`, `bodyConsumed` or `foreignSecrets`.
    static func next(
        after response: HTTPResponse, to request: HTTPRequest, count: Int, _ policy: RedirectPolicy,
        in context: RequestContext = .standard, added: AddedCredentials? = nil
    ) throws(HTTPError) -> HTTPRequest? {
        guard policy.limit > 0, let location = response.headers.redirection(of: response.status) else { return nil }
        guard count < policy.limit else { throw HTTPError(.tooManyRedirects(limit: policy.limit), response: response) }
        var next = try target(of: location, from: request, response)
        if let hsts = context.settings.hsts { next = try hsts.secured(next, context.time.date()) }
        guard policy.allowsDowngrade || request.origin.scheme == "http" || next.origin.scheme == "https" else {
            throw HTTPError(.insecureRedirect("\(next.origin)"), response: response)
        }
        let stripper = SecretStripper(
            redirected: request, context.settings.provided, from: context.settings.providerOrigin, policy)
        do throws(HTTPError) {
            let next = try stripper.strippingSecrets(from: adapted(next, from: request, response))
            guard let added, next.origin != request.origin else { return next }
            return try added.removed(from: next)
        } catch { throw error.adding(request: request, response: response) }
    }

    /// Returns the same request at another URL.
    private static func target(
        of location: String, from request: HTTPRequest, _ response: HTTPResponse
    ) throws(HTTPError) -> HTTPRequest {
        let text = Location.resolve(location, against: request.address.text)
        var next = request
        do throws(HTTPError) {
            guard let url = URL(string: text) else { throw HTTPError(.invalidURL(text)) }
            try next.setURL(url)
        } catch {
            throw HTTPError(
                .invalidURL(text), reason: "the response's Location" + (error.reason.map { ": \($0)" } ?? ""),
                suggestion: "Report it to the operator of the server, or give the route the redirect policy .never",
                response: response)
        }
        return next
    }

    private static func adapted(
        _ next: HTTPRequest, from request: HTTPRequest, _ response: HTTPResponse
    ) throws(HTTPError) -> HTTPRequest {
        var next = next
        let becomesGet =
            switch response.status {
            case 301, 302: request.method == .post
            case 303: request.method != .get && request.method != .head
            default: false
            }
        if becomesGet {
            next.method = .get
            next.body = nil
            for name in bodyFieldNames { next.headers[name] = nil }
        } else if request.body?.isReadOnce == true {
            throw HTTPError(
                .bodyConsumed,
                reason: "the server redirects the request, but its body is a stream, which can be sent only once",
                suggestion: "Send a file or bytes in memory", response: response)
        }
        return next
    }
}
