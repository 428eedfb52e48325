public import HalyardFoundation
public import HalyardCodable

/// The response of an endpoint in dry mode.
///
/// ```swift
/// static let login = Endpoint(.post, "/login", .json(Person.self), returning: User.self) { person in
///     .json(User(id: "1", name: person.name))
/// }
/// ```
public struct StubResponse: Sendable {
    private let status: Int
    private let headers: HTTPHeaders
    private let body: RouteBody?

    /// Makes a response.
    ///
    /// - Parameter status: The status. Defaults to 200.
    public init(status: Int = 200, headers: HTTPHeaders = [:], body: RouteBody? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns a response with a value as JSON, written by the provider's mapper.
    ///
    /// - Parameter status: The status. Defaults to 200.
    public static func json(_ value: some Encodable & Sendable, status: Int = 200) -> StubResponse {
        StubResponse(status: status, body: .json(value))
    }

    /// Returns a response with JSON, whose members keep their order: `.json(["data": ["name": "x", "age": 1]])`.
    ///
    /// - Parameter status: The status. Defaults to 200.
    public static func json(_ json: JSON, status: Int = 200) -> StubResponse {
        StubResponse(status: status, body: .json(json))
    }

    /// Returns a response with text in UTF-8.
    ///
    /// - Parameter status: The status. Defaults to 200.
    public static func text(_ text: String, status: Int = 200) -> StubResponse {
        StubResponse(status: status, body: .text(text))
    }

    /// Returns a response with bytes.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - contentType: The value of `Content-Type`. Defaults to `application/octet-stream`.
    ///   - status: The status. Defaults to 200.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", status: Int = 200
    ) -> StubResponse {
        StubResponse(status: status, body: .data(data, contentType: contentType))
    }

    /// Returns a response with server-sent events, for an endpoint that is read with `events(_:until:)`.
    ///
    /// - Parameters:
    ///   - events: The data of each event, such as its JSON.
    ///   - status: The status. Defaults to 200.
    public static func events(_ events: [String], status: Int = 200) -> StubResponse {
        .events(events.map { ServerSentEvent(data: $0) }, status: status)
    }

    /// Returns a response with server-sent events that have a type, an ID or a reconnection time.
    ///
    /// - Parameter status: The status. Defaults to 200.
    @_disfavoredOverload
    public static func events(_ events: [ServerSentEvent], status: Int = 200) -> StubResponse {
        let text = events.map(\.text).joined()
        return StubResponse(status: status, body: .text(text, contentType: "text/event-stream"))
    }

    /// Returns a response with a value, written by the provider's serializers.
    ///
    /// - Parameter status: The status. Defaults to 200.
    public static func value(_ value: some Sendable, status: Int = 200) -> StubResponse {
        StubResponse(status: status, body: .value(value))
    }

    /// Returns a response without a body.
    public static func status(_ status: Int) -> StubResponse { StubResponse(status: status) }

    func response(to request: HTTPRequest, _ codec: Codec) async throws -> HTTPResponse {
        var response = HTTPResponse(status: status, headers: headers, from: request.address)
        guard let (body, contentType) = try body?.make(codec) else { return response }
        if !response.headers.contains("Content-Type") { response.headers["Content-Type"] = contentType }
        response.data = try await body.data()
        return response
    }
}
