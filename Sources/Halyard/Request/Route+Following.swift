import HalyardHTTP

extension Route {
    /// A route whose response has named the URL of another route. It is a class, because a route cannot contain one.
    package final class Source: Sendable {
        let route: Route

        fileprivate init(_ route: Route) { self.route = route }
    }

    /// Returns the route to a URL that a response to this route has named, such as the next page of a list.
    ///
    /// It is a GET with the options and header fields of this route, except those that describe its body. Its URL has
    /// all parameters. At another origin than this route's, the request has no secrets, as after a redirect; see
    /// ``SecretStripper``.
    package func following(_ url: String) -> Route {
        var route = self
        route.target = .absolute(url)
        if method != .get || body != nil || multipart != nil {
            Redirect.bodyFieldNames.forEach { route.headers[$0] = nil }
        }
        route.method = .get
        (route.params, route.body, route.multipart, route.encoding) = ([:], nil, nil, nil)
        // The URL has the whole query.
        route.endpointOptions?.query = [:]
        route.endpointOptions?.hasFields = false
        route.source = Source(bodiless)
        return route
    }

    /// The same route without bodies, which may be readable only once.
    private var bodiless: Route {
        var route = self
        (route.body, route.multipart) = (nil, nil)
        if params.holdFile { route.params = [:] }
        return route
    }
}

extension RequestBuilder.Built {
    /// Returns the request without the secrets of the route that has led to it, if it goes to another origin. Throws
    /// ``HTTPError`` of kind `insecureRedirect` for a URL that leads from https to http.
    func withoutSecrets(of source: Route.Source, _ provider: ProviderSnapshot) throws -> Self {
        let original = try RequestBuilder.build(source.route, of: provider)
        guard request.origin != original.request.origin else { return self }
        guard request.origin.scheme == "https" || original.request.origin.scheme == "http" else {
            throw HTTPError(
                .insecureRedirect("\(request.origin)"),
                reason: "the next page is on http, and the first one is on https",
                suggestion: "Report it to the operator of the server", request: request)
        }
        let stripper = SecretStripper(
            redirected: original.request, provider, from: original.providerOrigin, .follow)
        var next = try stripper.strippingSecrets(from: request)
        if !isAtProviderOrigin {
            // The client may have a secret that the provider's field of the same name replaces at its own origin.
            next.headers.removeAll(where: stripper.isCredential)
        }
        return Self(request: next, isAtProviderOrigin: isAtProviderOrigin)
    }
}
