import HalyardCodable
import HalyardFoundation
import HalyardHTTP

/// Finds the elements in the bytes of one body, which arrive in chunks.
protocol BodyParser<Element>: SendableMetatype {
    associatedtype Element: Sendable

    /// The value of `Accept`. `nil` for any format.
    static var mediaTypes: String? { get }

    /// Whether no element follows, so that the rest of the body is not read.
    var isComplete: Bool { get }

    /// Begins with the head of a response. An error refuses the response.
    nonisolated(nonsending) mutating func begin(_ body: OpenBody) async throws

    /// Appends a chunk, after ``next(in:)`` has returned `nil`.
    mutating func append(_ chunk: Data)

    /// Returns the next element; `nil` if it needs more bytes.
    mutating func next(in body: OpenBody) throws -> Element?

    /// Ends the body: ``next(in:)`` then returns the element that only the end completes.
    mutating func finish(in body: OpenBody) throws

    /// Prepares for another body, which continues this one, and returns the place at which this one ended.
    mutating func restart() -> EventPlace
}

extension BodyParser {
    var isComplete: Bool { false }
    nonisolated(nonsending) mutating func begin(_ body: OpenBody) async throws {}
    mutating func finish(in body: OpenBody) throws {}
    mutating func restart() -> EventPlace { EventPlace() }
}

/// Sends a request, and reads the elements of its response with a parser. All streams but pages are read here.
struct BodySource<Parser: BodyParser>: ElementSource {
    /// The request, until it is sent.
    private var request: Request?
    private var parser: Parser
    /// The response, until its last element is read. Releasing the stream ends the transfer.
    private var body: OpenBody?
    private var stream: HTTPResponse.Stream.Iterator?
    /// Whether the body has ended, so that only what the parser still has follows.
    private var isFinished = false
    /// Sends the request again after an interruption.
    private var reconnection: Reconnection?

    init(_ request: Request, _ parser: Parser, reconnection: Reconnection? = nil) {
        (self.request, self.parser, self.reconnection) = (request, parser, reconnection)
    }

    mutating func next() throws -> Parser.Element? {
        guard let body else { return nil }
        return try parse(body) { try $0.next(in: body) }
    }

    nonisolated(nonsending) mutating func read() async throws -> Bool {
        if parser.isComplete || isFinished {
            close()
            return false
        }
        var failure: (any Error)?
        do {
            if let request = request.take() {
                try await open(consume request)
                return true
            }
            if let chunk = try await stream?.advance() {
                parser.append(chunk)
                return true
            }
        } catch { failure = body?.annotated(error) ?? error }
        return try await end(after: failure)
    }

    private nonisolated(nonsending) mutating func open(_ request: consuming Request) async throws {
        try reconnection?.check()
        let opened = try await OpenBody.open(request, of: Parser.mediaTypes)
        do { try await parser.begin(opened) } catch { throw opened.annotated(error) }
        stream = opened.response.stream?.makeAsyncIterator()
        if stream == nil {
            // The request's first observer has put the body in memory.
            let whole = try opened.response.bytes()
            if !whole.isEmpty { parser.append(whole) }
        }
        body = opened
        reconnection?.begin()
    }

    /// Ends the body, with an error if it has failed. Returns `false` if nothing follows.
    private nonisolated(nonsending) mutating func end(after error: (any Error)?) async throws -> Bool {
        let ended = body
        close()
        if reconnection != nil, error != nil || ended != nil {
            let place = parser.restart()
            request = try await reconnection?.request(after: error, of: ended, at: place)
            if request != nil { return true }
        }
        if let error { throw error }
        guard let ended else { return false }
        try parse(ended) { try $0.finish(in: ended) }
        (body, isFinished) = (ended, true)
        return true
    }

    /// Calls the parser. Its error ends the transfer, and gets the request and the response.
    private mutating func parse<Value>(_ body: OpenBody, _ read: (inout Parser) throws -> Value) throws -> Value {
        do { return try read(&parser) } catch {
            close()
            throw body.annotated(error)
        }
    }

    private mutating func close() { (body, stream, isFinished) = (nil, nil, false) }
}

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
        var error = self
        error.reason = reason.map { "\(place): \($0)" } ?? place
        return error
    }
}
