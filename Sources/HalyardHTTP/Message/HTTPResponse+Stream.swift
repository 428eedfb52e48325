#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension HTTPResponse {
    /// The body of a response that is still coming, in chunks, read once.
    ///
    /// There is backpressure: while nobody asks for the next chunk, about a megabyte waits, and the server is
    /// held back. Leaving the loop, cancelling its task, and letting the stream go all end the transfer.
    public struct Stream: AsyncSequence, Sendable {
        private let source: Source

        package init(_ pipe: BytePipe) { source = Source(pipe) }

        fileprivate func close() { source.close() }

        /// Ends the transfer, and the reading of whoever reads, with an error.
        package func cancel(throwing error: any Error) { source.cancel(throwing: error) }

        /// The header fields that came after the body; empty until the last chunk has come.
        public var trailers: HTTPHeaders { source.ending.trailers }
        /// What the whole transfer took; `nil` until the last chunk has come.
        public var metrics: TransferMetrics? { source.ending.metrics }

        /// Starts to read. A second reading of the same stream throws ``HTTPError`` of kind `bodyConsumed`.
        public func makeAsyncIterator() -> Iterator { Iterator(source) }

        /// Reads chunk by chunk.
        public struct Iterator: AsyncIteratorProtocol {
            private let reading: Reading?

            fileprivate init(_ source: Source) { reading = source.claim() }

            /// The next chunk, whatever has come since the last one; nil at the end.
            ///
            /// Of a body that comes fast, in large pieces, it is what came in about a millisecond.
            ///
            /// - Throws: ``HTTPError`` for a body that breaks off or takes too long, `CancellationError` when the task
            ///   is cancelled.
            public mutating func next() async throws -> Data? { try await advance() }

            /// The next chunk, without leaving the actor that asks where a chunk is there already.
            @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
                try await advance()
            }

            /// Stays where the caller runs.
            package nonisolated(nonsending) func advance() async throws -> Data? {
                guard let reading else { throw HTTPError(.bodyConsumed, reason: "a stream is read once") }
                return try await reading.next()
            }
        }

        /// What the copies of a stream share. A stream that nobody reads ends the transfer when the last copy goes.
        fileprivate final class Source: Sendable {
            private let pipe: BytePipe
            private let isClaimed = Lock(false)

            init(_ pipe: BytePipe) { self.pipe = pipe }

            deinit {
                if !isClaimed.withLock({ $0 }) { pipe.close() }
            }

            func close() { pipe.close() }
            func cancel(throwing error: any Error) { pipe.close(throwing: error) }
            var ending: BytePipe.Ending { pipe.ending }

            func claim() -> Reading? {
                isClaimed.withLock { isClaimed in
                    defer { isClaimed = true }
                    return isClaimed ? nil : Reading(pipe)
                }
            }
        }

        /// The one reading there is; the transfer ends with it.
        fileprivate final class Reading: Sendable {
            private let pipe: BytePipe

            init(_ pipe: BytePipe) { self.pipe = pipe }
            deinit { pipe.close() }

            nonisolated(nonsending) func next() async throws -> Data? {
                do { return try await pipe.read() } catch {
                    pipe.close()
                    throw error
                }
            }
        }
    }

    /// Lets a body go that nobody is to have, though the response lives on: its file is removed, its transfer ends.
    package func discard() {
        sink?.discard()
        stream?.close()
    }

    private static let elsewhere =
        "Let the first reader of the request want bytes, and a validate look at the file or stream before it asks for them"

    /// The body in memory, for whoever wants its bytes.
    ///
    /// - Throws: ``HTTPError`` of kind `bodyConsumed` when it went to a file or a stream.
    package func bytes() throws(HTTPError) -> Data {
        guard stream == nil && sink == nil else {
            throw HTTPError(
                .bodyConsumed, reason: "it went to a file or a stream", suggestion: Self.elsewhere, response: self)
        }
        return data
    }
}
