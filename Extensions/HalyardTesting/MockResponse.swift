public import Halyard
public import HalyardFoundation

/// A response of a ``LoopbackServer`` or a ``StubTransport``.
///
/// ```swift
/// let server = try LoopbackServer()
///     .on(.get, "/me", .json(User(id: "1", name: "Ann")))
///     .on(.post, "/login", .status(503, retryAfter: 2), .json(login, headers: ["Set-Cookie": "a=b"]))
///     .on(.get, "/slow", .text("at last").delayed(by: .seconds(5)))
///     .on(.get, "/broken", .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"))
/// ```
///
/// `Content-Length` or `Transfer-Encoding` is added, unless the header fields have one. A wrong length is sent as it
/// is. No `Date` is sent, so that a response is the same bytes every time.
public struct MockResponse: Sendable {
    enum Content: Sendable {
        case data(Data)
        case chunks([Data])
        /// The bytes of the connection, instead of a response.
        case raw(Data)
    }

    let status: Int
    let headers: HTTPHeaders
    let content: Content
    private(set) var delay: Duration = .zero
    /// The time between two chunks.
    private(set) var interval: Duration = .zero
    /// The error in place of the response, or of the rest of its body.
    private(set) var failure: HTTPError?
    /// The number of bytes of the body before the error. `nil` for an error in place of the response.
    private(set) var failureOffset: Int?
    /// The number of reports of upload progress.
    private(set) var uploadReports = 1
    private(set) var uploadInterval: Duration = .zero
    private(set) var closesConnection = false
    /// A fault of the network.
    var fault: WireFault?

    private init(_ content: Content, contentType: String?, status: Int, headers: HTTPHeaders) {
        self.content = content
        self.status = status
        var all = HTTPHeaders()
        all[.contentType] = contentType
        all.merge(headers)
        self.headers = all
    }
}

extension MockResponse {
    /// Returns a response without a body.
    ///
    /// - Parameter retryAfter: The value of `Retry-After`, in seconds. Defaults to none.
    public static func status(_ status: Int, retryAfter: Int? = nil, headers: HTTPHeaders = [:]) -> MockResponse {
        var all = headers
        if let retryAfter { all[.retryAfter] = String(retryAfter) }
        return MockResponse(.data(Data()), contentType: nil, status: status, headers: all)
    }

    /// Returns a response with a value as JSON, with its members in the order of their names. A value that cannot be
    /// encoded gives a 500 with the reason as its text.
    ///
    /// - Parameters:
    ///   - status: The status. Defaults to 200.
    ///   - mapper: Writes the value. Pass the provider's to write it as the API does. Defaults to
    ///     ``ObjectMapper/standard``.
    public static func json(
        _ value: some Encodable, status: Int = 200, headers: HTTPHeaders = [:], mapper: ObjectMapper = .standard
    ) -> MockResponse {
        do {
            let body = try mapper.encode(value)
            return .data(body, contentType: "application/json", status: status, headers: headers)
        } catch {
            return .text("MockResponse.json cannot encode a \(type(of: value)): \(error)\n", status: 500)
        }
    }

    /// Returns a response with JSON, whose members keep their order: `.json(["data": ["name": "x", "age": 1]])`.
    ///
    /// - Parameter status: The status. Defaults to 200.
    public static func json(_ json: JSON, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        .data(json.encoded(), contentType: "application/json", status: status, headers: headers)
    }

    /// Returns a response with JSON as text, valid or not.
    ///
    /// - Parameter status: The status. Defaults to 200.
    public static func json(text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        .data(Data(text.utf8), contentType: "application/json", status: status, headers: headers)
    }

    /// Returns a response with text in UTF-8.
    ///
    /// - Parameter status: The status. Defaults to 200.
    public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Returns a response with bytes.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - contentType: The value of `Content-Type`. `nil` for none. Defaults to `application/octet-stream`.
    ///   - status: The status. Defaults to 200.
    public static func data(
        _ data: Data, contentType: String? = "application/octet-stream", status: Int = 200, headers: HTTPHeaders = [:]
    ) -> MockResponse {
        MockResponse(.data(data), contentType: contentType, status: status, headers: headers)
    }

    /// Returns a response with a chunked body (RFC 9112 section 7.1).
    ///
    /// A client receives the chunks one by one if there is time between them. The server joins them for a client of
    /// HTTP/1.0, which does not support chunks.
    ///
    /// - Parameters:
    ///   - chunks: The chunks. Empty elements are left out.
    ///   - interval: The time between two chunks. Defaults to none. A ``StubTransport`` measures it with its clock.
    ///   - status: The status. Defaults to 200.
    public static func chunked(
        _ chunks: [Data], every interval: Duration = .zero, status: Int = 200, headers: HTTPHeaders = [:]
    ) -> MockResponse {
        var response = MockResponse(
            .chunks(chunks), contentType: "application/octet-stream", status: status, headers: headers)
        response.interval = interval
        return response
    }

    /// Returns a response with server-sent events, each in a chunk of its own.
    ///
    /// ```swift
    /// stub.on(.post, "/chat", .events(["Hel", "lo", "[DONE]"], every: .milliseconds(50)))
    /// ```
    ///
    /// - Parameters:
    ///   - events: The data of each event, such as its JSON. It may have several lines.
    ///   - interval: The time between two events. Defaults to none.
    public static func events(
        _ events: [String], every interval: Duration = .zero, headers: HTTPHeaders = [:]
    ) -> MockResponse {
        .events(events.map { ServerSentEvent(data: $0) }, every: interval, headers: headers)
    }

    /// Returns a response with server-sent events that have a type, an ID or a reconnection time, each in a chunk of
    /// its own.
    ///
    /// ```swift
    /// let events: [ServerSentEvent] = [.init(data: "1", id: "41"), .init(data: "bye", name: "end", retry: .zero)]
    /// stub.on(.get, "/feed", .events(events))
    /// ```
    ///
    /// - Parameter interval: The time between two events. Defaults to none.
    @_disfavoredOverload
    public static func events(
        _ events: [ServerSentEvent], every interval: Duration = .zero, headers: HTTPHeaders = [:]
    ) -> MockResponse {
        var all = headers
        if !all.contains("Content-Type") { all[.contentType] = "text/event-stream" }
        return .chunked(events.map { Data($0.text.utf8) }, every: interval, headers: all)
    }

    /// Returns an error in place of a response. A ``StubTransport`` throws it. The server closes the connection, and the
    /// client's own error follows.
    ///
    /// ```swift
    /// stub.on(.get, "/me", .fail(.timedOut), .json(me))
    /// ```
    ///
    /// - Parameter kind: What goes wrong.
    public static func fail(_ kind: HTTPError.Kind) -> MockResponse { fail(with: HTTPError(kind)) }

    /// Returns a response that is an error with a reason, a cause or a response of its own. See ``fail(_:)``.
    public static func fail(with error: HTTPError) -> MockResponse {
        var response = MockResponse(.raw(Data()), contentType: nil, status: 0, headers: [:])
        response.failure = error
        return response
    }

    /// Returns bytes that the server writes as they are before it closes the connection. Use it for broken responses.
    ///
    /// A ``StubTransport`` has no connection, and throws.
    public static func raw(_ bytes: Data) -> MockResponse {
        MockResponse(.raw(bytes), contentType: nil, status: 0, headers: [:])
    }

    /// Returns text that the server writes as it is before it closes the connection. Use it for broken responses.
    public static func raw(_ text: String) -> MockResponse { raw(Data(text.utf8)) }
}

extension MockResponse {
    /// Returns the same response with a delay, before which nothing is sent.
    ///
    /// The server stops waiting, and sends nothing, if the client closes its side or the server stops.
    public func delayed(by delay: Duration) -> MockResponse {
        var copy = self
        copy.delay = delay
        return copy
    }

    /// Returns the same response with an error in place of the rest of the body. A ``StubTransport`` throws it. The
    /// server closes the connection. For its client the response is complete if all bytes of its `Content-Length` were
    /// sent.
    ///
    /// - Parameters:
    ///   - count: The number of bytes of the body before the error.
    ///   - error: The error. Defaults to `HTTPError.connectionLost`.
    public func failing(after count: Int, with error: HTTPError = .connectionLost) -> MockResponse {
        var copy = self
        (copy.failure, copy.failureOffset) = (error, max(count, 0))
        return copy
    }

    /// Returns the same response with several reports of upload progress before it. A server does not use it: there the
    /// engine reports what it has sent.
    ///
    /// A progress handler that is still running receives only the latest report. Leave time between reports to see all.
    ///
    /// - Parameters:
    ///   - count: The number of reports, at equal distances. Less than 1 counts as 1.
    ///   - interval: The time between two reports, by the transport's clock. Defaults to none.
    public func reportingUpload(times count: Int, every interval: Duration = .zero) -> MockResponse {
        var copy = self
        (copy.uploadReports, copy.uploadInterval) = (max(count, 1), interval)
        return copy
    }

    /// Returns the same response with `Connection: close`, after which the server closes the connection.
    public func closingConnection() -> MockResponse {
        var copy = self
        copy.closesConnection = true
        return copy
    }
}

/// What a server does to the bytes of a response.
struct WireFault: Sendable {
    enum End: Sendable { case reset, stall, halfClose }

    /// The number of bytes of the head and the body before ``end``. `nil` for all.
    var byteCount: Int?
    var end = End.reset
    /// The number of bytes in a second. `nil` without a limit.
    var rate: Int?
}
