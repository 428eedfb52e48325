public import HalyardFoundation
public import Halyard

/// A canned answer, for ``LoopbackServer`` and ``StubTransport`` alike.
///
/// ```swift
/// let server = try LoopbackServer()
///     .on(.get, "/me", .json(User(id: "1", name: "Ann")))
///     .on(.post, "/login", .status(503, retryAfter: 2), .json(login, headers: ["Set-Cookie": "a=b"]))
///     .on(.get, "/slow", .text("at last").delayed(by: .seconds(5)))
///     .on(.get, "/broken", .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"))
/// ```
///
/// What frames the message is added (`Content-Length` or `Transfer-Encoding`) unless the answer's own headers have
/// it: a length that lies is sent as it is. No `Date` is sent, so that an answer is the same bytes every time.
public struct MockResponse: Sendable {
    enum Content: Sendable {
        case data(Data)
        case chunks([Data])
        /// Not a response but the bytes of the connection.
        case raw(Data)
    }

    let status: Int
    let headers: HTTPHeaders
    let content: Content
    private(set) var delay: Duration = .zero
    private(set) var closesConnection = false

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
    /// A status without a body.
    ///
    /// - Parameter retryAfter: seconds, sent as `Retry-After`.
    public static func status(_ status: Int, retryAfter: Int? = nil, headers: HTTPHeaders = [:]) -> MockResponse {
        var all = headers
        if let retryAfter { all[.retryAfter] = String(retryAfter) }
        return MockResponse(.data(Data()), contentType: nil, status: status, headers: all)
    }

    /// A value as JSON, its members in order of their names.
    ///
    /// A value that cannot be encoded makes this a 500 whose text says why.
    ///
    /// - Parameter mapper: how the API writes it, the provider's for one. Dates as milliseconds since 1970, keys as they
    ///   are written, unless given.
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

    /// JSON, its members in the order of the literal: `.json(["data": ["name": "x", "age": 1]])`.
    public static func json(_ json: JSON, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        .data(json.encoded(), contentType: "application/json", status: status, headers: headers)
    }

    /// JSON as it is written here, valid or not.
    public static func json(text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        .data(Data(text.utf8), contentType: "application/json", status: status, headers: headers)
    }

    /// Text in UTF-8.
    public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Bytes.
    ///
    /// - Parameter contentType: `nil` sends none.
    public static func data(
        _ data: Data, contentType: String? = "application/octet-stream", status: Int = 200, headers: HTTPHeaders = [:]
    ) -> MockResponse {
        MockResponse(.data(data), contentType: contentType, status: status, headers: headers)
    }

    /// A body in chunks (RFC 9112 section 7.1), one for each element that is not empty.
    ///
    /// A stub joins them; so does the server for a client of HTTP/1.0, which knows no chunks.
    public static func chunked(_ chunks: [Data], status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(.chunks(chunks), contentType: "application/octet-stream", status: status, headers: headers)
    }

    /// Bytes that the server writes exactly as they are, before it closes the connection: for broken responses.
    ///
    /// A ``StubTransport`` has no wire and throws.
    public static func raw(_ bytes: Data) -> MockResponse {
        MockResponse(.raw(bytes), contentType: nil, status: 0, headers: [:])
    }

    /// Text that the server writes exactly as it is, before it closes the connection: for broken responses.
    public static func raw(_ text: String) -> MockResponse { raw(Data(text.utf8)) }
}

extension MockResponse {
    /// The same answer, later: nothing of it is sent before `delay` has passed.
    ///
    /// The server stops waiting, and answers nothing, as soon as the client has closed its side or the server stops.
    public func delayed(by delay: Duration) -> MockResponse {
        var copy = self
        copy.delay = delay
        return copy
    }

    /// The same answer with `Connection: close`, after which the server closes the connection.
    public func closingConnection() -> MockResponse {
        var copy = self
        copy.closesConnection = true
        return copy
    }
}
