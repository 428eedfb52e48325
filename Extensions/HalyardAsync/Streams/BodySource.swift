import HalyardCodable
import HalyardFoundation
import HalyardHTTP

/// Finds the elements in the bytes of one body, which arrive in chunks.
protocol BodyParser<Element>: SendableMetatype {
    associatedtype Element: Sendable

    /// The value of `Accept`. `nil` for any format.
    var mediaTypes: String? { get }

    /// Whether no element follows, so that the rest of the body is not read.
    var isComplete: Bool { get }

    /// Whether the body may be continued by another one, of a request that is sent again.
    var isContinuable: Bool { get }

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
    var isContinuable: Bool { true }
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
        let opened = try await OpenBody.open(request, of: parser.mediaTypes)
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
        if reconnection != nil, parser.isContinuable, error != nil || ended != nil {
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
