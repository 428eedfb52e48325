package import HalyardFoundation
import HalyardHTTP

/// Runs a request, from its route to its outcome.
enum RequestRunner {
    /// Builds a request, sends it and validates the response.
    ///
    /// - Parameters:
    ///   - destination: Where the body goes. `nil` for memory, with the route's limit.
    ///   - progress: Receives progress reports. `nil` when there is no progress handler.
    /// - Returns: The outcome, without a value.
    nonisolated(nonsending) static func run(
        _ route: Route, of provider: ProviderSnapshot, to destination: BodyDestination?,
        progress: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)?
    ) async -> RequestOutcome {
        var outcome = RequestOutcome(of: provider)
        // Whether `validate` accepted the response.
        var isAccepted = false
        do {
            let built = try RequestBuilder.build(route, of: provider)
            var request = built.request
            destination?.apply(to: &request)
            outcome.request = request
            var transfer = TransferContext()
            transfer.progress = progress
            let context = provider.client.context(
                log: provider.log, options: provider.options, providerOrigin: built.providerOrigin,
                provided: provider, authentication: provider.authentication, transfer: transfer)
            outcome.sends = 1
            var response = try await provider.client.perform(request, context)
            if let mapper = provider.codec.mapper.reference { response.mapper = mapper }
            outcome.sends = response.sendCount
            outcome.response = response
            try await provider.validate(response)
            isAccepted = true
            if let file = response.downloadFile {
                try Task.checkCancellation()
                try file.commit()
            }
        } catch { await fail(&outcome, with: error, isAccepted: isAccepted, route, of: provider) }
        return outcome
    }

    @inline(never)  // See `Pipeline`.
    nonisolated(nonsending) static func fail(
        _ outcome: inout RequestOutcome, with cause: any Error, isAccepted: Bool, _ route: Route,
        of provider: ProviderSnapshot
    ) async {
        let isCancelled = cause is CancellationError || cause == HTTPError.cancelled
        outcome.response?.discard()
        // A download that was accepted or cancelled can be resumed by the next request; one that was refused cannot.
        outcome.response?.downloadFile?.end(isRefused: !isAccepted && !isCancelled && !Task.isCancelled)
        // A limit of the client may refuse a request before it is sent.
        if let error = cause as? HTTPError, error.kind.isRefusal { outcome.sends = error.sends }
        let cause = (cause as? HTTPError).map(outcome.annotated) ?? cause
        outcome.error = cause
        provider.log?.failed(
            outcome.request, outcome.response, cause, of: route.endpointOptions?.declaration ?? "\(route)")
        // The provider's hook is not called for a cancellation.
        if isCancelled { return }
        if await !provider.provider.shouldContinue(with: cause) {
            outcome.error = HTTPError(
                .stopped, request: outcome.request, response: outcome.response, cause: cause, sendCount: outcome.sends)
        }
    }
}

extension ProviderSnapshot {
    /// Validates a response with the provider's hook. Throws an error of the API's own types, if one applies.
    fileprivate nonisolated(nonsending) func validate(_ response: HTTPResponse) async throws {
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
}

/// Where the observer that starts a request wants the body to go, and the format that it reads.
package struct BodyDestination: Sendable {
    private let destination: HTTPRequest.Destination
    /// The media type that the observer reads. `nil` for any.
    private let mediaType: String?

    /// A file. See `HTTPRequest.Destination.file(_:resuming:)`.
    package static func file(_ url: URL, resuming: Bool = false) -> BodyDestination {
        BodyDestination(destination: .file(url, resuming: resuming), mediaType: nil)
    }

    /// A stream of any format.
    package static let stream = BodyDestination(destination: .stream, mediaType: nil)

    /// A stream of a format, which the request asks for with `Accept` unless its route or provider does.
    package static func stream(of mediaType: String) -> BodyDestination {
        BodyDestination(destination: .stream, mediaType: mediaType)
    }

    /// Changes a request as the observer needs it.
    func apply(to request: inout HTTPRequest) {
        request.destination = destination
        guard let mediaType, request.headers["Accept"] ?? "*/*" == "*/*" else { return }
        request.headers["Accept"] = mediaType
    }
}
