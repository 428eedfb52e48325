import HalyardCodable
import HalyardFoundation
import HalyardHTTP

/// A response whose head has arrived, with what is needed to decode parts of its body.
final class OpenBody: Sendable {
    let outcome: RequestOutcome
    let response: HTTPResponse
    private let time: PipelineTime

    private init(_ outcome: RequestOutcome, _ time: PipelineTime) throws {
        (self.outcome, self.time) = (outcome, time)
        response = try outcome.get()
    }

    /// Sends a request, and waits for the head of a successful response. This leaves the caller's actor, which may be the
    /// main actor. The media type is the value of `Accept`.
    static func open(_ request: consuming Request, of mediaType: String?) async throws -> OpenBody {
        let time = request.time
        return try OpenBody(await request.outcome(to: mediaType.map { .stream(of: $0) } ?? .stream), time)
    }

    /// Returns an error with the request, the response, and a suggestion that fits the provider.
    func annotated(_ error: any Error) -> any Error {
        (error as? HTTPError).map(outcome.annotated) ?? error
    }

    /// Returns the response with a part of its body as the whole.
    func containing(_ data: Data) -> HTTPResponse {
        var response = response
        response.stream = nil
        response.data = data
        return response
    }

    /// Decodes a value from a part of the body. With `isJSON` text is a JSON string, whatever the content type.
    func value<T: Decodable & SendableMetatype>(
        _ type: T.Type, of data: Data, at place: String = "", isJSON: Bool = false
    ) throws(HTTPError) -> T {
        try containing(data).object(type, ofPartAt: place, isJSON: isJSON, by: outcome.codec)
    }

    /// Returns the first bytes of the body; `nil` if they do not arrive within a second. The transfer may end.
    func excerpt() async -> Data? {
        guard let stream = response.stream else { return response.data.prefix(64 << 10) }
        let timer = Task { [time] in
            try await time.sleep(.seconds(1))
            stream.cancel(throwing: HTTPError.timedOut)
        }
        defer { timer.cancel() }
        return try? await stream.makeAsyncIterator().advance().map { Data($0.prefix(64 << 10)) }
    }
}

extension HTTPError {
    /// Returns the error with the place in the stream before its reason.
    func inside(_ place: String) -> HTTPError {
        with { $0.reason = $0.reason.map { "\(place): \($0)" } ?? place }
    }
}
