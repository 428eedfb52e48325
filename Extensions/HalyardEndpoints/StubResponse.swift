public import HalyardFoundation
public import HalyardCodable

/// What an endpoint answers in dry mode.
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

    /// An answer of any status, header fields and body.
    public init(status: Int = 200, headers: HTTPHeaders = [:], body: RouteBody? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A value as the provider's mapper writes it.
    public static func json(_ value: some Encodable & Sendable, status: Int = 200) -> StubResponse {
        StubResponse(status: status, body: .json(value))
    }

    /// JSON, its members in the order of the literal: `.json(["data": ["name": "x", "age": 1]])`.
    public static func json(_ json: JSON, status: Int = 200) -> StubResponse {
        StubResponse(status: status, body: .json(json))
    }

    /// Text.
    public static func text(_ text: String, status: Int = 200) -> StubResponse {
        StubResponse(status: status, body: .text(text))
    }

    /// Bytes.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", status: Int = 200
    ) -> StubResponse {
        StubResponse(status: status, body: .data(data, contentType: contentType))
    }

    /// A value as the provider's serializers write it.
    public static func value(_ value: some Sendable, status: Int = 200) -> StubResponse {
        StubResponse(status: status, body: .value(value))
    }

    /// A status alone.
    public static func status(_ status: Int) -> StubResponse { StubResponse(status: status) }

    func response(to request: HTTPRequest, _ codec: Codec) async throws -> HTTPResponse {
        var response = HTTPResponse(status: status, headers: headers, from: request.address)
        guard let (body, contentType) = try body?.make(codec) else { return response }
        if !response.headers.contains("Content-Type") { response.headers["Content-Type"] = contentType }
        response.data = try await body.data()
        return response
    }
}
