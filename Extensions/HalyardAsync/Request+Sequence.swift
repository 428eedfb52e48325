public import HalyardCodable
import HalyardHTTP

extension Request {
    /// Returns an asynchronous sequence of one decoded value, for code that expects a sequence, as with Rx or Combine.
    ///
    /// ```swift
    /// for try await user in api.request(.me).sequence(of: User.self) { show(user) }
    /// ```
    ///
    /// The sequence is cold: iterating starts the request. Every loop over the same request receives the same value. A
    /// Combine publisher can be made from a future:
    ///
    /// ```swift
    /// Deferred { Combine.Future { promise in
    ///     api.request(.me).responseValue(.object(User.self), on: .global()) { promise($0.result) }
    /// } }
    /// ```
    ///
    /// - Parameter keyPath: The path of the value in the JSON, with dots. Defaults to the whole JSON.
    public func sequence<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = ""
    ) -> ResponseSequence<T> {
        sequence(.object(type, at: keyPath))
    }

    /// Returns an asynchronous sequence of one value, the result of a serializer.
    public func sequence<Value>(_ serializer: ResponseSerializer<Value>) -> ResponseSequence<Value> {
        ResponseSequence { _ in ValueSource(request: self, serializer: serializer) }
    }
}

/// The value of a response.
private struct ValueSource<Element: Sendable>: ElementSource {
    var request: Request?
    let serializer: ResponseSerializer<Element>
    var value: Element?

    mutating func next() -> Element? { value.take() }

    nonisolated(nonsending) mutating func read() async throws -> Bool {
        guard let request = request.take() else { return false }
        value = try await request.value(serializer)
        return true
    }
}

extension Request {
    /// Returns the progress of the request's or the response's body, until the request ends. It does not start the
    /// request.
    ///
    /// ```swift
    /// let request = api.request(.picture)
    /// async let file = request.download(to: place)
    /// for await progress in request.progress(.download) { print(progress.fraction ?? 0) }
    /// try await file
    /// ```
    ///
    /// A loop that is slower than the network receives the newest report, and always the last one. Leaving the loop
    /// does not cancel the request. The loop is not an observer: if all observers are cancelled, the request is
    /// cancelled. It also ends if the request is released without a start.
    public func progress(_ direction: TransferProgress.Direction) -> AsyncStream<TransferProgress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
        let end = StreamEnd(continuation)
        addProgressHandler(direction) { end.continuation.yield($0) }
        return stream
    }
}

/// Ends a stream when the progress handler that refers to it is released: after its last report, or with a request that
/// is released without a start.
private final class StreamEnd: Sendable {
    let continuation: AsyncStream<TransferProgress>.Continuation

    init(_ continuation: AsyncStream<TransferProgress>.Continuation) { self.continuation = continuation }
    deinit { continuation.finish() }
}
