#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HTTPResponse {
    /// The body of a response that is still coming, in chunks, read once.
    ///
    /// There is backpressure: while nobody asks for the next chunk, about a megabyte waits, and the server is
    /// held back. Leaving the loop, cancelling its task, and letting the stream go all end the transfer.
    public struct Stream: Sendable {
        let source: Source

        package init(_ pipe: BytePipe) { source = Source(pipe) }

        func close() { source.close() }

        /// Ends the transfer, and the reading of whoever reads, with an error.
        package func cancel(throwing error: any Error) { source.cancel(throwing: error) }

        /// The header fields that came after the body; empty until the last chunk has come.
        public var trailers: HTTPHeaders { source.ending.trailers }
        /// What the whole transfer took; `nil` until the last chunk has come.
        public var metrics: TransferMetrics? { source.ending.metrics }

        /// Reads chunk by chunk.
        public struct Iterator {
            let reading: Reading?

            init(_ source: Source) { reading = source.claim() }
        }

        /// What the copies of a stream share. A stream that nobody reads ends the transfer when the last copy goes.
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

        /// The one reading there is; the transfer ends with it.
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

    /// Lets a body go that nobody is to have, though the response lives on: its file is removed, its transfer ends.
    package func discard() {
        sink?.discard()
        stream?.close()
    }
}
