import HalyardHTTP

/// Converts large bodies in a task of its own, so that a cancellation ends the wait at once. Foundation's decoder
/// cannot be interrupted: it finishes, and its result is dropped.
private enum DetachedDecoding {
    /// The minimum size of a large body, in bytes. Decoding it takes some milliseconds.
    static let minimumBytes = 64 << 10

    /// Carries a value from the task that makes it to the task that waits.
    ///
    /// `@unchecked Sendable` is sound: one task makes the value, the other takes it once, and nothing else refers to
    /// it.
    struct SendableBox<Value>: @unchecked Sendable {
        nonisolated(unsafe) let value: Value
    }
}

extension RequestOutcome {
    /// Converts the response of a successful request.
    ///
    /// - Parameters:
    ///   - isQuick: Whether the time does not depend on the length of the body. Defaults to `false`.
    ///   - convert: Converts the response.
    /// - Returns: The result of `convert`.
    /// - Throws: The error of the request or of `convert`, `CancellationError`, or ``HTTPError`` of kind `cancelled`.
    package nonisolated(nonsending) func decode<Value>(
        isQuick: Bool = false, _ convert: @escaping @Sendable (HTTPResponse, Codec) throws -> sending Value
    ) async throws -> sending Value {
        let response = try get()
        guard !isQuick, response.data.count >= DetachedDecoding.minimumBytes else {
            return try convert(response, codec)
        }
        return try await decodeDetached(response, convert)
    }

    /// Converts a large body in a task of its own.
    @inline(never)  // See `Pipeline`.
    private nonisolated(nonsending) func decodeDetached<Value>(
        _ response: HTTPResponse, _ convert: @escaping @Sendable (HTTPResponse, Codec) throws -> sending Value
    ) async throws -> sending Value {
        let waiter = CancellableWaiter<DetachedDecoding.SendableBox<Value>>()
        let task = Lock<Task<Void, Never>?>(nil)
        let end = { @Sendable (error: any Error) in
            waiter.end(with: .failure(error))
            task.withLock { $0 }?.cancel()
        }
        // This is before the start of the task, because `convert` may cancel the request.
        let id = core?.addCancellationHandler { [request] in end(HTTPError(.cancelled, request: request)) }
        defer { if let id { core?.removeCancellationHandler(id) } }
        task.withLock { task in
            task = Task { [codec] in
                waiter.end(with: Result { DetachedDecoding.SendableBox(value: try convert(response, codec)) })
            }
        }
        return try await waiter.value { end(CancellationError()) }.value
    }

    /// Converts the response with a serializer. Cancelling the task, or the request, ends the wait at once.
    package nonisolated(nonsending) func decode<Value>(_ serializer: ResponseSerializer<Value>) async throws -> Value {
        _ = try get()
        do {
            return try await decode(isQuick: serializer.isQuick) { try serializer.value($0, $1) }
        } catch { throw logged(error) }
    }

    /// Returns the response with the result of a serializer.
    package nonisolated(nonsending) func response<Value>(
        decoding serializer: ResponseSerializer<Value>
    ) async -> Response<Value> {
        let result: Result<Value, any Error>
        do { result = .success(try await decode(serializer)) } catch { result = .failure(error) }
        return Response(request: request, response: response, result: result)
    }
}
