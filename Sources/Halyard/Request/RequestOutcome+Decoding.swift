import HalyardFoundation
package import HalyardHTTP

/// Converts large bodies in a task of its own, so that a cancellation ends the wait at once. Foundation's decoder
/// cannot be interrupted: it finishes, and its result is dropped.
private enum Reading {
    /// The minimum size of a large body, in bytes. Decoding it takes some milliseconds.
    static let leastBytes = 64 << 10

    /// Carries a value from the task that made it to the task that waits.
    ///
    /// `@unchecked Sendable` is sound: one task makes the value, the other takes it once, and nobody else refers to it.
    struct Made<Value>: @unchecked Sendable {
        nonisolated(unsafe) let value: Value
    }
}

extension Exchange {
    /// Converts the response of a successful request.
    ///
    /// - Parameters:
    ///   - isQuick: Whether the time does not depend on the length of the body. Defaults to `false`.
    ///   - make: Converts the response.
    /// - Returns: The result of `make`.
    /// - Throws: The error of the request or of `make`, `CancellationError`, or ``HTTPError`` of kind `cancelled`.
    package nonisolated(nonsending) func reading<Value>(
        isQuick: Bool = false, _ make: @escaping @Sendable (HTTPResponse, Codec) throws -> sending Value
    ) async throws -> sending Value {
        let response = try get()
        guard !isQuick, response.data.count >= Reading.leastBytes else { return try make(response, codec) }
        let answer = OneShot<Result<Reading.Made<Value>, any Error>>()
        let task = Lock<Task<Void, Never>?>(nil)
        let end = { @Sendable (error: any Error) in
            answer.fulfill(.failure(error))
            task.withLock { $0 }?.cancel()
        }
        // This is before the start of the task, because `make` may cancel the request.
        let id = core?.beginReading { [request] in end(HTTPError(.cancelled, request: request)) }
        defer { if let id { core?.endReading(id) } }
        task.withLock { task in
            task = Task { [codec] in answer.fulfill(Result { Reading.Made(value: try make(response, codec)) }) }
        }
        return try await withTaskCancellationHandler {
            try await answer.take().get().value
        } onCancel: {
            end(CancellationError())
        }
    }

    /// Converts the response with a serializer. Cancelling the task, or the request, ends the wait at once.
    package nonisolated(nonsending) func reading<Value>(_ serializer: ResponseSerializer<Value>) async throws -> Value {
        _ = try get()
        do {
            return try await reading(isQuick: serializer.isQuick) { try serializer.value($0, $1) }
        } catch { throw failed(error) }
    }

    /// Returns the response with the result of a serializer.
    package nonisolated(nonsending) func response<Value>(
        reading serializer: ResponseSerializer<Value>
    ) async -> Response<Value> {
        let result: Result<Value, any Error>
        do { result = .success(try await reading(serializer)) } catch { result = .failure(error) }
        return Response(request: request, response: response, result: result)
    }
}
