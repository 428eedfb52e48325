package import HalyardFoundation

extension HTTPResponse {
    /// The body of a response that is still being received, in chunks. You can read it once.
    ///
    /// The stream applies backpressure: if you read more slowly than the server sends, it buffers about a megabyte and
    /// then pauses the transfer. Leaving the loop, cancelling its task or releasing the stream ends the transfer.
    public struct Stream: Sendable {
        private let pipe: BytePipe
        /// The only reader, until an iterator takes it. Copies of a stream share it: releasing the last copy of a stream
        /// that was never read releases it too.
        private let reading: Lock<Reading?>
        private var check: Check?

        /// Receives each chunk, and then `nil`. Its error is thrown in place of the chunk or the end.
        package typealias Check = @Sendable (Data?) throws -> Void

        package init(_ pipe: BytePipe) {
            self.pipe = pipe
            reading = Lock(Reading(pipe))
        }

        /// Returns the same stream with a check of what is read.
        package func checked(by check: @escaping Check) -> Stream {
            var stream = self
            stream.check = check
            return stream
        }

        func close() { pipe.close() }

        /// Ends the transfer. A reader receives the error.
        package func cancel(throwing error: any Error) { pipe.close(throwing: error) }

        /// The trailers: headers that follow the body. Empty until the last chunk has been read.
        public var trailers: HTTPHeaders { pipe.ending.trailers }
        /// The times and sizes of the whole transfer; `nil` until the last chunk has been read.
        public var metrics: TransferMetrics? { pipe.ending.metrics }

        /// Starts reading. A second iterator over the same stream throws ``HTTPError`` of kind `bodyConsumed`.
        public func makeAsyncIterator() -> Iterator { Iterator(reading: reading.withLock { $0.take() }, check: check) }

        /// Reads the stream chunk by chunk.
        public struct Iterator {
            let reading: Reading?
            let check: Check?
        }

        /// Reads the pipe. Releasing it ends the transfer.
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
