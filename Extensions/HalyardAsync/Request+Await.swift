public import HalyardFoundation
public import HalyardCodable

// Awaits. Cancelling the task throws `CancellationError` at once, and ends the transfer unless others read it too;
// `request.cancel()` throws `HTTPError.cancelled`.
// All throw ``HTTPError``, or what the provider's hooks threw; `HTTPError.stopped` when `shouldContinue` said no.
extension Request {
    /// The bytes of the response, empty when there are none.
    public consuming func data() async throws -> Data { try await outcome().reading(.data) }

    /// The response as text; see ``HTTPResponse/text`` for its charset.
    public consuming func text() async throws -> String { try await outcome().reading(.text) }

    /// The response as ``JSON``, of any kind: an object, a list, a lone string.
    public consuming func json() async throws -> JSON {
        try await outcome().reading(.json)
    }

    /// The response decoded from JSON, off the main actor. Its type need not be Sendable.
    ///
    /// ```swift
    /// let user: User = try await api.request(.me).object()
    /// let other = try await api.request(.user("2")).object(User.self)
    /// let all = try await api.request(.all).object([User].self, at: "data.items")
    /// ```
    public consuming func object<T: Decodable & SendableMetatype>(
        _ type: T.Type = T.self, at keyPath: String = ""
    ) async throws -> sending T {
        let exchange = await outcome()
        do {
            return try await exchange.reading { response, codec in
                try response.object(type, at: keyPath, by: codec)
            }
        } catch {
            throw (error as? HTTPError).map(exchange.completing) ?? error
        }
    }

    /// What a serializer makes of the response; what it throws is the error.
    public consuming func value<Value>(_ serializer: ResponseSerializer<Value>) async throws -> Value {
        try await outcome().reading(serializer)
    }

    /// Success or an error: the body is not looked at.
    public consuming func void() async throws { _ = try await validated() }

    /// The response itself: status, headers, body.
    public consuming func response() async throws -> HTTPResponse { try await validated() }

    private nonisolated(nonsending) consuming func validated() async throws -> HTTPResponse {
        try await outcome().get()
    }
}
