public import HalyardFoundation
public import HalyardCodable

// Reading a response with `await`. ``Request/response()`` describes the errors of all of them.
extension Request {
    /// Returns the bytes of the response, none for a response without a body. It throws as ``response()`` does.
    public consuming func data() async throws -> Data { try await outcome().decode(.data) }

    /// Returns the response as text. See ``HTTPResponse/text`` for the character set.
    public consuming func text() async throws -> String { try await outcome().decode(.text) }

    /// Returns the response as ``JSON``. Text that is not JSON is an ``HTTPError`` of kind `decoding`.
    public consuming func json() async throws -> JSON {
        try await outcome().decode(.json)
    }

    /// Decodes the response from JSON. Decoding does not run on the main actor, and the type need not be Sendable.
    ///
    /// ```swift
    /// let user: User = try await api.request(.me).object()
    /// let other = try await api.request(.user("2")).object(User.self)
    /// let all = try await api.request(.all).object([User].self, at: "data.items")
    /// ```
    ///
    /// - Parameter keyPath: The path of the value in the JSON, with dots. Defaults to the whole JSON.
    /// - Throws: ``HTTPError`` of kind `decoding` or `emptyResponse`, or what ``response()`` throws.
    public consuming func object<T: Decodable & SendableMetatype>(
        _ type: T.Type = T.self, at keyPath: String = ""
    ) async throws -> sending T {
        let outcome = await outcome()
        _ = try outcome.get()
        do {
            return try await outcome.decode { response, codec in
                try response.object(type, at: keyPath, by: codec)
            }
        } catch {
            throw outcome.logged(error)
        }
    }

    /// Converts the response with a serializer.
    ///
    /// - Throws: An error of the serializer, ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
    public consuming func value<Value>(_ serializer: ResponseSerializer<Value>) async throws -> Value {
        try await outcome().decode(serializer)
    }

    /// Waits for a successful response, and ignores its body. It throws as ``response()`` does.
    public consuming func void() async throws { _ = try await validated() }

    /// Returns the response itself: status, headers, body.
    ///
    /// - Throws: ``HTTPError``, of kind `stopped` if `shouldContinue` returns `false`, or an error of the provider's
    ///   hooks. Cancelling the task throws `CancellationError` at once, and ends the transfer unless the request has
    ///   other observers. After `request.cancel()` the error is ``HTTPError/cancelled``.
    public consuming func response() async throws -> HTTPResponse { try await validated() }

    private nonisolated(nonsending) consuming func validated() async throws -> HTTPResponse {
        try await outcome().get()
    }
}
