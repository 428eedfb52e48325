public import HalyardFoundation
public import Halyard

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
    /// Returns a response without a body.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - retryAfter: The value of `Retry-After`, in seconds. Defaults to none.
    ///   - headers: The header fields. Defaults to none.
    /// - Returns: The response.
    public static func status(_ status: Int, retryAfter: Int? = nil, headers: HTTPHeaders = [:]) -> MockResponse {
        var all = headers
        if let retryAfter { all[.retryAfter] = String(retryAfter) }
        return MockResponse(.data(Data()), contentType: nil, status: status, headers: all)
    }

    /// Returns a response with a value as JSON, with its members in the order of their names. A value that cannot be
    /// encoded gives a 500 with the reason as its text.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - status: The status. Defaults to 200.
    ///   - headers: The header fields. Defaults to none.
    ///   - mapper: Writes the value. Pass the provider's to write it as the API does. Defaults to
    ///     ``ObjectMapper/standard``.
    /// - Returns: The response.
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
    /// - Parameters:
    ///   - json: The JSON.
    ///   - status: The status. Defaults to 200.
    ///   - headers: The header fields. Defaults to none.
    /// - Returns: The response.
    public static func json(_ json: JSON, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        .data(json.encoded(), contentType: "application/json", status: status, headers: headers)
    }

    /// Returns a response with JSON as text, valid or not.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - status: The status. Defaults to 200.
    ///   - headers: The header fields. Defaults to none.
    /// - Returns: The response.
    public static func json(text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        .data(Data(text.utf8), contentType: "application/json", status: status, headers: headers)
    }

    /// Returns a response with text in UTF-8.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - status: The status. Defaults to 200.
    ///   - headers: The header fields. Defaults to none.
    /// - Returns: The response.
    public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Returns a response with bytes.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - contentType: The value of `Content-Type`. `nil` for none. Defaults to `application/octet-stream`.
    ///   - status: The status. Defaults to 200.
    ///   - headers: The header fields. Defaults to none.
    /// - Returns: The response.
    public static func data(
        _ data: Data, contentType: String? = "application/octet-stream", status: Int = 200, headers: HTTPHeaders = [:]
    ) -> MockResponse {
        MockResponse(.data(data), contentType: contentType, status: status, headers: headers)
    }

    /// Returns a response with a chunked body (RFC 9112 section 7.1).
    ///
    /// A stub joins the chunks. The server does so too for a client of HTTP/1.0, which does not support chunks.
    ///
    /// - Parameters:
    ///   - chunks: The chunks. Empty elements are left out.
    ///   - status: The status. Defaults to 200.
    ///   - headers: The header fields. Defaults to none.
    /// - Returns: The response.
    public static func chunked(_ chunks: [Data], status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(.chunks(chunks), contentType: "application/octet-stream", status: status, headers: headers)
    }

    /// Returns bytes that the server writes as they are before it closes the connection. Use it for broken responses.
    ///
    /// A ``StubTransport`` has no connection, and throws.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The response.
    public static func raw(_ bytes: Data) -> MockResponse {
        MockResponse(.raw(bytes), contentType: nil, status: 0, headers: [:])
    }

    /// Returns text that the server writes as it is before it closes the connection. Use it for broken responses.
    ///
    /// - Parameter text: The text.
    /// - Returns: The response.
    public static func raw(_ text: String) -> MockResponse { raw(Data(text.utf8)) }
}

extension MockResponse {
    /// Returns the same response with a delay, before which nothing is sent.
    ///
    /// The server stops waiting, and sends nothing, if the client closes its side or the server stops.
    ///
    /// - Parameter delay: The delay.
    /// - Returns: The response.
    public func delayed(by delay: Duration) -> MockResponse {
        var copy = self
        copy.delay = delay
        return copy
    }

    /// Returns the same response with `Connection: close`, after which the server closes the connection.
    ///
    /// - Returns: The response.
    public func closingConnection() -> MockResponse {
        var copy = self
        copy.closesConnection = true
        return copy
    }
}
