public import HalyardFoundation

extension HTTPResponse.Stream: AsyncSequence {
    /// Starts to read. A second iterator over the same stream throws ``HTTPError`` of kind `bodyConsumed`.
    public func makeAsyncIterator() -> Iterator { Iterator(source) }
}

extension HTTPResponse.Stream.Iterator: AsyncIteratorProtocol {
    /// Returns the next chunk: all bytes that have arrived since the last one; `nil` at the end.
    ///
    /// While a large body arrives quickly, a chunk has the bytes of about a millisecond.
    ///
    /// - Returns: The chunk; `nil` at the end.
    /// - Throws: ``HTTPError`` for a body that breaks off or takes too long, `CancellationError` when the task is
    ///   cancelled.
    public mutating func next() async throws -> Data? { try await advance() }

    /// Returns the next chunk; stays on the caller's actor where a chunk is available.
    ///
    /// - Parameter actor: The actor to run on.
    /// - Returns: The chunk; `nil` at the end.
    /// - Throws: The same errors as ``next()``.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
        try await advance()
    }

    /// Returns the next chunk; runs on the caller's executor.
    package nonisolated(nonsending) func advance() async throws -> Data? {
        guard let reading else { throw HTTPError(.bodyConsumed, reason: "a stream can be read only once") }
        return try await reading.next()
    }
}

extension HTTPResponse {
    /// Requires a 2xx status.
    ///
    /// - Throws: ``HTTPError`` of kind `status`, with this response.
    public func requireSuccess() throws(HTTPError) {
        if isSuccessful { return }
        let failure = bodyFailure as? HTTPError
        throw HTTPError(.status(status), reason: failureReason ?? failure?.headline, response: self, cause: failure)
    }

    /// Whether the body has no content: nothing, or only blanks, which some frameworks send in place of nothing.
    package var isBlank: Bool { data.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) } }

    /// The body in memory.
    ///
    /// - Throws: ``HTTPError`` of kind `bodyConsumed` when the body went to a file or a stream. The error of a body that
    ///   cannot be decoded.
    package func bytes() throws(HTTPError) -> Data {
        if let error = bodyFailure as? HTTPError { throw error }
        guard stream == nil && downloadFile == nil else {
            throw HTTPError(
                .bodyConsumed, reason: "it went to a file or a stream",
                suggestion: "Read the file or the stream, or request the body in memory", response: self)
        }
        return data
    }
}
