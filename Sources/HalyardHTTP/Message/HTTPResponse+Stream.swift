import HalyardFoundation

extension HTTPResponse {
    /// The body of a response that is still being received, in chunks. It is read once.
    ///
    /// It has backpressure: if the reader is slower than the server, about a megabyte is buffered, and then the
    /// transfer pauses. Leaving the loop, cancelling its task, and releasing the stream all end the transfer.
    public struct Stream: Sendable {
        let source: Source

        package init(_ pipe: BytePipe) { source = Source(pipe) }

        func close() { source.close() }

        /// Ends the transfer. A reader receives the error.
        package func cancel(throwing error: any Error) { source.cancel(throwing: error) }

        /// The header fields after the body; empty until the last chunk has been read.
        public var trailers: HTTPHeaders { source.ending.trailers }
        /// Times and sizes of the whole transfer; `nil` until the last chunk has been read.
        public var metrics: TransferMetrics? { source.ending.metrics }

        /// Reads the stream chunk by chunk.
        public struct Iterator {
            let reading: Reading?

            init(_ source: Source) { reading = source.claim() }
        }

        /// The state that copies of a stream share. Releasing the last copy of a stream that was never read ends the
        /// transfer.
        final class Source: Sendable {
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

        /// The only reader. Releasing it ends the transfer.
        final class Reading: Sendable {
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

    /// Discards the body: removes its file and ends its transfer. The response stays valid.
    package func discard() {
        downloadFile?.discard()
        stream?.close()
    }
}
