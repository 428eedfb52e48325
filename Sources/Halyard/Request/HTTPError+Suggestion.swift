import HalyardHTTP

extension HTTPError {
    /// Returns the error with a suggestion that names settings of routes, providers and clients.
    func withSuggestion(for options: RequestOptions) -> HTTPError {
        guard suggestion == nil, let text = timeoutSuggestion(options) ?? kind.routeSuggestion else { return self }
        var error = self
        error.suggestion = text
        return error
    }

    private func timeoutSuggestion(_ options: RequestOptions) -> String? {
        guard timeLimit == .request else { return nil }
        if options.timeout != nil { return "Raise the route's timeout, or try again later" }
        return "Raise the timeout of the client's configuration, set one on the route, or try again later"
    }
}

extension HTTPError.Kind {
    fileprivate var routeSuggestion: String? {
        switch self {
        case .bodyTooLarge: "Raise the memoryLimit of the route or of the client's configuration, or download to a file"
        case .insecureRedirect: "If that is intended, give the route or the client .follow(allowsDowngrade: true)"
        case .foreignSecrets: "Make that origin the provider's baseURL, or send the request to it by Route(url:)"
        case .insecureCredentials: "Use https; if http is intended, give the provider's authentication allowsHTTP: true"
        case .shutDown: "Make a new client, or shut it down later"
        case .emptyResponse: "If the server may send no body, use void() or an optional type"
        default: nil
        }
    }
}
