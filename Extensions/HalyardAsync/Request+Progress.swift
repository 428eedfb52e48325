public import HalyardCodable

extension Request {
    /// How the request's or the response's body moves, until the request is over. Iterating starts the request, where
    /// nobody else does within a twentieth of a second: whoever begins to read it at the same time says where the body
    /// goes.
    ///
    /// ```swift
    /// let request = api.request(.picture)
    /// async let file = request.download(to: place)
    /// for await progress in request.progress(.download) { print(progress.fraction ?? 0) }
    /// try await file
    /// ```
    ///
    /// Read after the loop, or later than that, the body is one that is held in memory. A handler of `downloadProgress`
    /// starts nothing, however late the reader comes.
    ///
    /// A loop that is slower than the network gets the newest report, and always the last. Leaving it cancels nothing:
    /// the request goes on. Nor does the loop keep going what others started, and then do not want any more.
    public func progress(_ direction: TransferProgress.Direction) -> ProgressSequence {
        ProgressSequence(request: self, direction: direction)
    }
}

/// The reports of one direction of a request. See ``Request/progress(_:)``.
public struct ProgressSequence: AsyncSequence, Sendable {
    let request: Request
    let direction: TransferProgress.Direction

    /// Begins a loop, and the request if nobody has.
    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream.makeStream(
            of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
        request.watch(direction, onEnd: { continuation.finish() }) { continuation.yield($0) }
        request.startSoon()
        return Iterator(stream: stream.makeAsyncIterator())
    }

    /// Gives report after report.
    public struct Iterator: AsyncIteratorProtocol {
        var stream: AsyncStream<TransferProgress>.Iterator

        /// The newest report; nil when the request is over.
        public mutating func next() async -> TransferProgress? { await stream.next() }
    }
}
