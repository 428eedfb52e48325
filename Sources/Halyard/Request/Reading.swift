import HalyardFoundation
package import HalyardHTTP

/// Making a value of a body that is long enough to take a while: in a task of its own, so that cancelling ends the wait
/// for it at once. Foundation's decoder cannot be broken off: it then runs to its end, and its value is dropped.
private enum Reading {
    /// The least bytes of a body that takes a while: some milliseconds.
    static let leastBytes = 64 << 10

    /// Carries a value from the task that made it to the one that waits.
    ///
    /// Unchecked, and sound: it is made by the one and taken by the other, once; nobody else has it.
    struct Made<Value>: @unchecked Sendable {
        nonisolated(unsafe) let value: Value
    }
}

extension Exchange {
    /// What is made of the response of a success.
    ///
    /// - Parameters:
    ///   - isQuick: whether it takes no time, however long the body is.
    ///   - make: what makes it.
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
        // Before the task begins: what it makes may cancel the request.
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

    /// The value that a serializer makes of a success. Cancelling the task, or the request, ends the wait at once.
    package nonisolated(nonsending) func reading<Value>(_ serializer: ResponseSerializer<Value>) async throws -> Value {
        _ = try get()
        do {
            return try await reading(isQuick: serializer.isQuick) { try serializer.value($0, $1) }
        } catch { throw failed(error) }
    }

    /// The response with the value that a serializer makes of it.
    package nonisolated(nonsending) func response<Value>(
        reading serializer: ResponseSerializer<Value>
    ) async -> Response<Value> {
        let result: Result<Value, any Error>
        do { result = .success(try await reading(serializer)) } catch { result = .failure(error) }
        return Response(request: request, response: response, result: result)
    }
}
