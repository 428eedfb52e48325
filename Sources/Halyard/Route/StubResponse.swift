public import HalyardFoundation
public import HalyardHTTP

/// A response made without a server, for an endpoint's `stub:` in dry mode and for the stubs of HalyardTesting.
///
/// ```swift
/// static let login = Endpoint(.post, "/login", .json(Person.self), returning: User.self) { person in
///     .json(User(id: "1", name: person.name))
/// }
/// stub.on(.post, "/login", .status(503, retryAfter: 2), .json(login, headers: ["Set-Cookie": "a=b"]))
///     .on(.get, "/slow", .text("at last").delayed(by: .seconds(5)))
/// ```
public struct StubResponse: Sendable {
    package enum Content: Sendable {
        case data(Data)
        case chunks([Chunk])
        /// A value that is written when a request is answered.
        case body(RouteBody)
        /// The bytes of a connection, instead of a response.
        case raw(Data)
    }

    /// A piece of a body, and the time before it.
    package struct Chunk: Sendable {
        package var data: Data
        package var wait: Duration

        package init(_ data: Data, after wait: Duration = .zero) { (self.data, self.wait) = (data, wait) }
    }

    /// What happens to the bytes of a response.
    package struct WireFault: Sendable {
        package enum End: Sendable { case reset, stall, halfClose }

        /// The number of bytes of the head and the body before ``end``. `nil` for all.
        package var byteCount: Int?
        package var end = End.reset
        /// The number of bytes in a second. `nil` without a limit.
        package var rate: Int?

        package init() {}
    }

    package let status: Int
    package var headers: HTTPHeaders
    package var content: Content
    package private(set) var delay: Duration = .zero
    /// The error in place of the response, or of the rest of its body.
    package private(set) var failure: HTTPError?
    /// The number of bytes of the body before the error. `nil` for an error in place of the response.
    package private(set) var failureOffset: Int?
    private(set) var uploadReports = 1
    private(set) var uploadInterval: Duration = .zero
    package var closesConnection = false
    package var fault: WireFault?

    package init(_ content: Content, contentType: String? = nil, status: Int = 200, headers: HTTPHeaders = [:]) {
        self.content = content
        self.status = status
        var all = HTTPHeaders()
        all[.contentType] = contentType
        all.merge(headers)
        self.headers = all
    }
}

extension StubResponse {
    /// Returns a response without a body. `retryAfter` is in seconds.
    public static func status(_ status: Int, retryAfter: Int? = nil, headers: HTTPHeaders = [:]) -> StubResponse {
        var all = headers
        if let retryAfter { all["Retry-After"] = String(retryAfter) }
        return StubResponse(.data(Data()), status: status, headers: all)
    }

    /// Returns a response with a value as JSON. A value that cannot be encoded is an ``HTTPError`` of kind `encoding`.
    ///
    /// - Parameter mapper: The mapper that encodes the value. Defaults to the provider's in dry mode, and to
    ///   ``ObjectMapper/standard`` in stubs of HalyardTesting, which do not know the provider.
    public static func json(
        _ value: some Encodable & Sendable, status: Int = 200, headers: HTTPHeaders = [:], mapper: ObjectMapper? = nil
    ) -> StubResponse {
        .json(value, at: "", status: status, headers: headers, mapper: mapper)
    }

    /// Returns a response with the value's JSON at a key path.
    package static func json(
        _ value: some Encodable & Sendable, at keyPath: String, status: Int = 200, headers: HTTPHeaders = [:],
        mapper: ObjectMapper?
    ) -> StubResponse {
        let body = RouteBody { codec in
            do {
                let json = try (mapper ?? codec.mapper).encode(value)
                if keyPath.isEmpty { return (HTTPBody(json), "application/json") }
                return (HTTPBody(JSONPath(keyPath).wrapping(try JSON(parsing: json)).encoded()), "application/json")
            } catch {
                let reason = "StubResponse.json cannot encode a \(type(of: value))"
                throw HTTPError(.encoding("the body"), reason: reason, cause: error)
            }
        }
        return StubResponse(.body(body), contentType: "application/json", status: status, headers: headers)
    }

    /// Returns a response with JSON whose members keep their order: `.json(["data": ["name": "x", "age": 1]])`.
    public static func json(_ json: JSON, status: Int = 200, headers: HTTPHeaders = [:]) -> StubResponse {
        .data(json.encoded(), contentType: "application/json", status: status, headers: headers)
    }

    /// Returns a response with JSON text, which need not be valid.
    public static func json(text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> StubResponse {
        .data(Data(text.utf8), contentType: "application/json", status: status, headers: headers)
    }

    /// Returns a response with text in UTF-8.
    public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> StubResponse {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Returns a response with bytes.
    public static func data(
        _ data: Data, contentType: String? = "application/octet-stream", status: Int = 200, headers: HTTPHeaders = [:]
    ) -> StubResponse {
        StubResponse(.data(data), contentType: contentType, status: status, headers: headers)
    }

    /// Returns a response with a chunked body (RFC 9112 section 7.1).
    ///
    /// A client receives the chunks one by one if there is time between them. For an HTTP/1.0 client, which does not
    /// support chunks, the server joins them. Empty chunks are left out. A stub transport measures the interval with
    /// its clock.
    public static func chunked(
        _ chunks: [Data], every interval: Duration = .zero, status: Int = 200, headers: HTTPHeaders = [:]
    ) -> StubResponse {
        let pieces = chunks.filter { !$0.isEmpty }.enumerated().map { Chunk($1, after: $0 == 0 ? .zero : interval) }
        return StubResponse(
            .chunks(pieces), contentType: "application/octet-stream", status: status, headers: headers)
    }

    /// Returns a response with server-sent events, each in its own chunk.
    ///
    /// ```swift
    /// stub.on(.post, "/chat", .events(["Hel", "lo", "[DONE]"], every: .milliseconds(50)))
    /// ```
    public static func events(
        _ events: [String], every interval: Duration = .zero, status: Int = 200, headers: HTTPHeaders = [:]
    ) -> StubResponse {
        .events(events.map { ServerSentEvent(data: $0) }, every: interval, status: status, headers: headers)
    }

    /// Returns a response with server-sent events that can have a type, an ID or a reconnection time, each in its own
    /// chunk.
    ///
    /// ```swift
    /// let events: [ServerSentEvent] = [.init(data: "1", id: "41"), .init(data: "bye", name: "end", retry: .zero)]
    /// stub.on(.get, "/feed", .events(events))
    /// ```
    @_disfavoredOverload
    public static func events(
        _ events: [ServerSentEvent], every interval: Duration = .zero, status: Int = 200, headers: HTTPHeaders = [:]
    ) -> StubResponse {
        var all = headers
        if !all.contains("Content-Type") { all[.contentType] = "text/event-stream" }
        return .chunked(events.map { Data($0.text.utf8) }, every: interval, status: status, headers: all)
    }

    /// Returns an error in place of a response. A loopback server closes the connection instead, and the client reports
    /// its own error.
    ///
    /// ```swift
    /// stub.on(.get, "/me", .fail(.timedOut), .json(me))
    /// ```
    public static func fail(_ kind: HTTPError.Kind) -> StubResponse { fail(with: HTTPError(kind)) }

    /// Returns an error in place of a response, with its own reason, cause or response. See ``fail(_:)``.
    public static func fail(with error: HTTPError) -> StubResponse {
        var response = StubResponse(.raw(Data()), status: 0)
        response.failure = error
        return response
    }
}

extension StubResponse {
    /// Returns a copy that waits before anything is sent. A stub transport measures the delay with its clock, and dry
    /// mode with the client's.
    ///
    /// A loopback server stops waiting, and sends nothing, if the client closes its side or the server stops.
    public func delayed(by delay: Duration) -> StubResponse {
        var copy = self
        copy.delay = delay
        return copy
    }

    /// Returns a copy that fails with an error after `count` bytes of the body. A loopback server closes the connection
    /// instead; its client treats the response as complete if all bytes of its `Content-Length` were sent.
    public func failing(after count: Int, with error: HTTPError = .connectionLost) -> StubResponse {
        var copy = self
        (copy.failure, copy.failureOffset) = (error, max(count, 0))
        return copy
    }

    /// Returns a copy that reports upload progress several times, in equal steps, before the response. A loopback
    /// server ignores this, because there the engine reports what it has sent.
    ///
    /// A progress handler that is still running receives only the latest report. Leave time between reports to see all
    /// of them.
    public func reportingUpload(times count: Int, every interval: Duration = .zero) -> StubResponse {
        var copy = self
        (copy.uploadReports, copy.uploadInterval) = (max(count, 1), interval)
        return copy
    }
}
