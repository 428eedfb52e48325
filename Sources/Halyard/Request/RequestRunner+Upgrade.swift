import HalyardFoundation
package import HalyardHTTP

extension HTTPProvider {
    /// Sends the request of a route through the pipeline over another transport, which switches to another protocol.
    ///
    /// Errors are those of a request: they have the request, are logged, are of the API's failure types, and reach
    /// `shouldContinue(with:)`.
    ///
    /// - Parameter route: The route. `ws` and `wss` URLs, of the route or the provider, are read as `http` and `https`.
    /// - Returns: A response with the status 101.
    /// - Throws: What a request throws. ``HTTPError`` of kind `status` for a 3xx, 4xx or 5xx, and `invalidResponse` for
    ///   another status than 101.
    package nonisolated(nonsending) func upgrade(
        _ route: Route, over transport: (any Transport) -> any Transport
    ) async throws -> RequestOutcome {
        var route = route
        if case .absolute(let url) = route.target { route.target = .absolute(url.withHTTPScheme) }
        let base = baseURL.absoluteString
        let provider = ProviderSnapshot(
            self, for: route, baseURL: base.hasPrefix("ws") ? URL(string: base.withHTTPScheme) : nil)
        let client = provider.client.sending(over: transport(provider.client.transport))
        let outcome = await RequestRunner.upgrade(route, of: provider, over: client)
        if let error = outcome.error { throw error }
        return outcome
    }
}

extension RequestRunner {
    fileprivate nonisolated(nonsending) static func upgrade(
        _ route: Route, of provider: ProviderSnapshot, over client: HTTPClient
    ) async -> RequestOutcome {
        var outcome = RequestOutcome(of: provider)
        do {
            let built = try RequestBuilder.build(route, of: provider)
            outcome.request = built.request
            let context = client.context(
                log: provider.log, options: provider.options, providerOrigin: built.providerOrigin,
                provided: provider, authentication: provider.authentication)
            outcome.sends = 1
            let response = try await client.perform(built.request, context)
            outcome.sends = response.sendCount
            outcome.response = response
            guard response.status == 101 else { throw provider.refusal(response) }
        } catch { await fail(&outcome, with: error, isAccepted: false, route, of: provider) }
        return outcome
    }
}

extension ProviderSnapshot {
    /// The error for a response to an upgrade that is no 101.
    fileprivate func refusal(_ response: HTTPResponse) -> any Error {
        guard response.status >= 300 else {
            return HTTPError(
                .invalidResponse, reason: "the server answered \(response.status), and did not switch the protocol",
                suggestion: "Check the path: this may be a plain HTTP resource", response: response)
        }
        let error = HTTPError(.status(response.status), reason: response.failureReason, response: response)
        return failures.isEmpty ? error : failures.error(for: error, response, codec)
    }
}

extension String {
    /// The URL with the scheme http in place of ws, and https in place of wss.
    fileprivate var withHTTPScheme: String {
        let lowercased = prefix(6).lowercased()
        if lowercased.hasPrefix("ws://") { return "http" + dropFirst(2) }
        return lowercased.hasPrefix("wss://") ? "https" + dropFirst(3) : self
    }
}
