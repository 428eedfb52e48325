package import HalyardFoundation
package import HalyardHTTP

// Running a request, from its route to its outcome.
extension ProviderSnapshot {
    /// Builds a request, sends it and checks the response. Returns the outcome, without a value. `client` defaults to
    /// the provider's, and the destination to memory. `isUpgrade` says whether the response must switch the protocol;
    /// `validate` is not called then. `progress` is `nil` when there is no progress handler.
    nonisolated(nonsending) func run(
        _ route: Route, over client: HTTPClient? = nil, to destination: BodyDestination? = nil,
        isUpgrade: Bool = false, progress: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)? = nil
    ) async -> RequestOutcome {
        var outcome = RequestOutcome(of: self)
        var isAccepted = false
        do {
            let (request, chain) = try prepare(route, client ?? self.client, destination, progress)
            outcome.request = request
            outcome.sends = 1
            let response = received(try await chain.proceed(request), &outcome)
            if isUpgrade { try requireUpgrade(response) } else { try await validate(response) }
            if let file = response.downloadFile { try await accept(file, of: outcome, destination, &isAccepted) }
        } catch { await fail(&outcome, with: error, isAccepted: isAccepted, route) }
        return outcome
    }

    /// Builds a request, and returns it with the stages that it passes.
    @inline(never)  // See `Pipeline`.
    private func prepare(
        _ route: Route, _ client: HTTPClient, _ destination: BodyDestination?,
        _ progress: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)?
    ) throws -> (HTTPRequest, Chain) {
        let built = try RequestBuilder.build(route, of: self)
        var request = built.request
        destination?.apply(to: &request)
        var transfer = TransferContext()
        transfer.progress = progress
        let chain = client.chain(
            for: request, log: log, options: options, providerOrigin: built.providerOrigin, provided: self,
            authentication: authentication, transfer: transfer)
        return (request, chain)
    }

    /// Adds a response to an outcome. Returns it with what its body says about a failure.
    @inline(never)  // See `Pipeline`.
    private func received(_ response: consuming HTTPResponse, _ outcome: inout RequestOutcome) -> HTTPResponse {
        if let mapper = codec.mapper.reference { response.notes.mapper = mapper }
        outcome.sends = response.sendCount
        outcome.response = response
        if !response.isSuccessful { response.noteProblem() }
        return response
    }

    /// Compares a complete file with the digest of the caller, or else of the server, and renames it to its target.
    /// Throws ``HTTPError`` of kind `digestMismatch`.
    @inline(never)  // See `Pipeline`.
    private nonisolated(nonsending) func accept(
        _ file: any DownloadFile, of outcome: RequestOutcome, _ destination: BodyDestination?, _ isAccepted: inout Bool
    ) async throws {
        try await outcome.response?.requireDigest(destination?.digest, of: file, outcome.request)
        isAccepted = true
        try Task.checkCancellation()
        try file.commit()
    }

    @inline(never)  // See `Pipeline`.
    private nonisolated(nonsending) func fail(
        _ outcome: inout RequestOutcome, with cause: any Error, isAccepted: Bool, _ route: Route
    ) async {
        let isCancelled = cause is CancellationError || cause == HTTPError.cancelled
        outcome.response?.discard()
        // A download that was accepted or cancelled can be resumed by the next request; one that was refused cannot.
        outcome.response?.downloadFile?.end(isRefused: !isAccepted && !isCancelled && !Task.isCancelled)
        // A limit of the client may refuse a request before it is sent.
        if let error = cause as? HTTPError, error.kind.isRefusal { outcome.sends = error.sends }
        let cause = (cause as? HTTPError).map(outcome.annotated) ?? cause
        outcome.error = cause
        log?.failed(outcome.request, outcome.response, cause, of: route.endpointOptions?.declaration ?? "\(route)")
        // The provider's hook is not called for a cancellation.
        if isCancelled { return }
        if await !provider.shouldContinue(with: cause) {
            outcome.error = HTTPError(
                .stopped, request: outcome.request, response: outcome.response, cause: cause, sendCount: outcome.sends)
        }
    }

    /// Validates a response with the provider's hook. Throws an error of the API's own types, if one applies.
    private nonisolated(nonsending) func validate(_ response: HTTPResponse) async throws {
        do { try await provider.validate(response) } catch let error as HTTPError where !failures.isEmpty {
            throw typed(error, response)
        }
    }

    /// Returns the error of the API's own types for a status, if one applies.
    @inline(never)  // See `Pipeline`.
    private func typed(_ error: HTTPError, _ response: HTTPResponse) -> any Error {
        guard case .status = error.kind else { return error }
        return failures.error(for: error, response, codec)
    }

    private func requireUpgrade(_ response: HTTPResponse) throws {
        if response.status == 101 { return }
        guard response.status >= 300 else {
            throw HTTPError(
                .invalidResponse, reason: "the server answered \(response.status), and did not switch the protocol",
                suggestion: "Check the path: this may be a plain HTTP resource", response: response)
        }
        let error = HTTPError(.status(response.status), reason: response.notes.failureReason, response: response)
        throw typed(error, response)
    }
}

extension HTTPProvider {
    /// Sends the request of a route through the pipeline over another transport, which switches to another protocol.
    ///
    /// Errors are those of a request: they have the request, are logged, are of the API's failure types, and reach
    /// `shouldContinue(with:)`. `route` is the route. `ws` and `wss` URLs, of the route or the provider, are read as
    /// `http` and `https`. Returns a response with the status 101. Throws what a request throws. ``HTTPError`` of kind
    /// `status` for a 3xx, 4xx or 5xx, and `invalidResponse` for another status than 101.
    package nonisolated(nonsending) func upgrade(
        _ route: Route, over transport: (any Transport) -> any Transport
    ) async throws -> RequestOutcome {
        var route = route
        if case .absolute(let url) = route.target { route.target = .absolute(url.withHTTPScheme) }
        let base = baseURL.absoluteString
        let provider = ProviderSnapshot(
            self, for: route, baseURL: base.hasPrefix("ws") ? URL(string: base.withHTTPScheme) : nil)
        let client = provider.client.sending(over: transport(provider.client.transport))
        let outcome = await provider.run(route, over: client, isUpgrade: true)
        if let error = outcome.error { throw error }
        return outcome
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

/// Where the observer that starts a request wants the body to go, and the format that it reads.
///
/// It is a class, so that the frames of a request hold one reference.
package final class BodyDestination: Sendable {
    private let destination: HTTPRequest.Destination
    /// The media type that the observer reads. `nil` for any.
    private let mediaType: String?
    /// The SHA-256 that a file must have. `nil` for any.
    fileprivate let digest: Data?

    private init(_ destination: HTTPRequest.Destination, mediaType: String? = nil, digest: Data? = nil) {
        self.destination = destination
        self.mediaType = mediaType
        self.digest = digest
    }

    /// A file. See `HTTPRequest.Destination.file(_:resuming:)`.
    package static func file(_ url: URL, resuming: Bool = false, digest: Data? = nil) -> BodyDestination {
        BodyDestination(.file(url, resuming: resuming), digest: digest)
    }

    /// A stream of any format.
    package static let stream = BodyDestination(.stream)

    /// A stream of a format, which the request asks for with `Accept` unless its route or provider does.
    package static func stream(of mediaType: String) -> BodyDestination {
        BodyDestination(.stream, mediaType: mediaType)
    }

    /// Changes a request as the observer needs it.
    func apply(to request: inout HTTPRequest) {
        request.destination = destination
        if digest != nil { request.isHashed = true }
        guard let mediaType, request.headers["Accept"] ?? "*/*" == "*/*" else { return }
        request.headers["Accept"] = mediaType
    }
}
