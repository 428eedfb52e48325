public import HalyardCodable

extension Request {
    /// Returns the progress of the request's or the response's body, until the request ends.
    ///
    /// Iterating starts the request after 50 milliseconds, unless another observer starts it first. An observer that is
    /// added within this time determines the destination of the body.
    ///
    /// ```swift
    /// let request = api.request(.picture)
    /// async let file = request.download(to: place)
    /// for await progress in request.progress(.download) { print(progress.fraction ?? 0) }
    /// try await file
    /// ```
    ///
    /// If the first observer comes later than that, the body is kept in memory. A `downloadProgress` handler does not
    /// start the request, so with it the observer may come at any time.
    ///
    /// A loop that is slower than the network receives the newest report, and always the last one. Leaving the loop
    /// does not cancel the request. The loop is not an observer: if all observers are cancelled, the request is
    /// cancelled.
    ///
    /// - Parameter direction: Upload or download.
    /// - Returns: The reports.
    public func progress(_ direction: TransferProgress.Direction) -> ProgressSequence {
        ProgressSequence(request: self, direction: direction)
    }
}

/// The progress reports of one direction of a request. See ``Request/progress(_:)``.
public struct ProgressSequence: AsyncSequence, Sendable {
    let request: Request
    let direction: TransferProgress.Direction

    /// Begins a loop, and starts the request soon afterwards if nothing else does.
    ///
    /// - Returns: The iterator.
    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream.makeStream(
            of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
        request.addProgressHandler(direction, onEnd: { continuation.finish() }) { continuation.yield($0) }
        request.startSoon()
        return Iterator(stream: stream.makeAsyncIterator())
    }

    /// Iterates over the reports.
    public struct Iterator: AsyncIteratorProtocol {
        var stream: AsyncStream<TransferProgress>.Iterator

        /// Returns the newest report; `nil` after the request has ended.
        ///
        /// - Returns: The report.
        public mutating func next() async -> TransferProgress? { await stream.next() }
    }
}
