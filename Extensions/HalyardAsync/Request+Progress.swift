import HalyardHTTP
public import HalyardCodable

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
/// nobody can start any more.
private final class StreamEnd: Sendable {
    let continuation: AsyncStream<TransferProgress>.Continuation

    init(_ continuation: AsyncStream<TransferProgress>.Continuation) { self.continuation = continuation }
    deinit { continuation.finish() }
}
