import Dispatch
import HalyardFoundation
import HalyardHTTP

/// Converts large bodies in a task of its own, so that a cancellation ends the wait at once. Foundation's decoder
/// cannot be interrupted: it finishes, and its result is dropped.
///
/// The task runs outside of the cooperative pool where the system has task executors: conversions that occupy all threads
/// of the pool, and the release of what they have made, would delay the end of a wait.
private enum DetachedDecoding {
    /// The minimum size of a large body, in bytes. Decoding it takes some milliseconds.
    static let minimumBytes = 64 << 10

    static func run(_ convert: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return Task { convert() } }
        return Task(executorPreference: Threads.shared) { convert() }
    }

    /// As many threads as there are processors.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private final class Threads: TaskExecutor {
        static let shared = Threads()

        private let queues = (0..<ProcessInfo.processInfo.activeProcessorCount).map { _ in
            DispatchQueue(label: "Halyard.Decoding")
        }
        /// The number of jobs of each queue.
        private let counts: Lock<[Int]>

        private init() { counts = Lock(queues.map { _ in 0 }) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let index = counts.withLock { counts in
                let index = counts.indices.min { counts[$0] < counts[$1] } ?? 0
                counts[index] += 1
                return index
            }
            queues[index].async {
                job.runSynchronously(on: self.asUnownedTaskExecutor())
                self.counts.withLock { $0[index] -= 1 }
            }
        }
    }

    /// Carries a value from the task that makes it to the task that waits.
    ///
    /// `@unchecked Sendable` is sound: one task makes the value, the other takes it once, and nothing else refers to
    /// it.
    struct SendableBox<Value>: @unchecked Sendable {
        nonisolated(unsafe) let value: Value
    }
}

extension RequestOutcome {
    /// Converts the response of a successful request. `isQuick` says whether the time does not depend on the length of
    /// the body. Defaults to `false`. Throws the error of the request or of `convert`, `CancellationError`, or
    /// ``HTTPError`` of kind `cancelled`.
    package nonisolated(nonsending) func decode<Value>(
        isQuick: Bool = false, _ convert: @escaping @Sendable (HTTPResponse, Codec) throws -> sending Value
    ) async throws -> sending Value {
        let response = try get()
        guard !isQuick, response.data.count >= DetachedDecoding.minimumBytes else {
            do { return try convert(response, codec) } catch HTTPError.cancelled where Task.isCancelled {
                throw CancellationError()  // as at any other time of the request
            }
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
        let id = cancellation?.add { [request] in end(HTTPError(.cancelled, request: request)) }
        defer { if let id { cancellation?.remove(id) } }
        task.withLock { task in
            task = DetachedDecoding.run { [codec] in
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

    package nonisolated(nonsending) func response<Value>(
        decoding serializer: ResponseSerializer<Value>
    ) async -> Response<Value> {
        let result: Result<Value, any Error>
        do { result = .success(try await decode(serializer)) } catch { result = .failure(error) }
        return Response(request: request, response: response, result: result)
    }
}
