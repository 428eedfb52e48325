import HalyardHTTP

extension RequestBuilder.Built {
    /// Returns the request without the secrets of the route that has led to it, if it goes to another origin.
    ///
    /// - Throws: ``HTTPError`` of kind `insecureRedirect` for a URL that leads from https to http.
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
