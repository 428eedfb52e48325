import HalyardCodable
import HalyardFoundation
import HalyardHTTP

/// The body of a response whose head has arrived. It is read once, chunk by chunk.
struct OpenBody {
    let outcome: RequestOutcome
    let response: HTTPResponse
    private var stream: HTTPResponse.Stream.Iterator?
    /// A body in memory, until it is read.
    private var whole: Data?

    /// Sends a request, and waits for the head of a successful response. This leaves the caller's actor, which may be the
    /// main actor.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - mediaType: The value of `Accept`. `nil` for any.
    static func open(_ request: consuming Request, of mediaType: String? = nil) async throws -> OpenBody {
        let outcome = await request.outcome(to: mediaType.map { .stream(of: $0) } ?? .stream)
        return try OpenBody(outcome)
    }

    private init(_ outcome: RequestOutcome) throws {
        self.outcome = outcome
        response = try outcome.get()
        stream = response.stream?.makeAsyncIterator()
        if stream == nil { whole = try response.bytes() }
    }

    /// Returns all bytes that have arrived since the last chunk; `nil` at the end.
    nonisolated(nonsending) mutating func next() async throws -> Data? {
        guard stream != nil else { return whole.take().flatMap { $0.isEmpty ? nil : $0 } }
        return try await stream?.advance()
    }

    /// Returns an error of the body with the request and the response.
    ///
    /// - Parameter excerpt: The first bytes of the body, which become the body of the error's response.
    func error(
        _ kind: HTTPError.Kind, reason: String, suggestion: String? = nil, excerpt: Data? = nil
    ) -> HTTPError {
        var response = excerpt.map(containing)
        response?.removeCutCharacter()
        return annotated(HTTPError(kind, reason: reason, suggestion: suggestion, response: response))
    }

    /// Returns an error with the request, the response, and a suggestion that fits the provider.
    func annotated(_ error: HTTPError) -> HTTPError { outcome.annotated(error) }

    /// Returns the response with a body in memory.
    func containing(_ data: Data) -> HTTPResponse {
        var response = response
        response.stream = nil
        response.data = data
        return response
    }
}

extension OpenBody {
    /// Decodes a value from a part of the body, with the serializers and the mapper of the request.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The bytes of the value.
    ///   - place: The path of the value in the body, for errors. Defaults to none.
    ///   - isJSON: Whether text is a JSON string, whatever the response's content type.
    func value<T: Decodable & SendableMetatype>(
        _ type: T.Type, of data: Data, at place: String = "", isJSON: Bool = false
    ) throws(HTTPError) -> T {
        try containing(data).object(type, ofPartAt: place, isJSON: isJSON, by: outcome.codec)
    }
}

extension HTTPError {
    /// Returns the error with the place in the stream before its reason.
    func inside(_ place: String) -> HTTPError {
        var error = self
        error.reason = reason.map { "\(place): \($0)" } ?? place
        return error
    }
}
