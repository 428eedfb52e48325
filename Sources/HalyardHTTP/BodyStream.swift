#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A sequence of chunks to send, whatever its type. It is run once.
package final class BodyStream: Sendable {
    package let length: Int64?
    private let pour: @Sendable (BytePipe) async throws -> Void
    private let isSpent = Lock(false)

    package init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64?) where Chunks.Element == Data {
        self.length = length
        pour = { pipe in
            for try await chunk in chunks {
                guard await pipe.write(chunk) else { return }
            }
        }
    }

    /// Fills a pipe with the chunks, each when there is room, until they end, fail, or the pipe's reader has left.
    package func run(into pipe: BytePipe) async {
        let isFirst = isSpent.withLock { isSpent in
            defer { isSpent = true }
            return !isSpent
        }
        guard isFirst else {
            return pipe.finish(
                throwing: HTTPError(.bodyConsumed, reason: "a stream can be sent once, and this one was sent before"))
        }
        do {
            try await pour(pipe)
            pipe.finish()
        } catch { pipe.finish(throwing: error) }
    }
}
