#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A sequence of chunks to send, whatever its type. It is run once.
package final class BodyStream: Sendable {
    package let length: Int64?
    /// Nil once it runs: the task that runs it is the last to hold the user's sequence.
    private let pour: Lock<(@Sendable (BytePipe) async throws -> Void)?>

    package init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64?) where Chunks.Element == Data {
        self.length = length
        pour = Lock { pipe in
            for try await chunk in chunks {
                guard await pipe.write(chunk) else { return }
            }
        }
    }

    /// Fills a pipe with the chunks, each when there is room, until they end, fail, or the pipe's reader has left.
    package func run(into pipe: BytePipe) async {
        guard let pour = pour.withLock({ $0.take() }) else {
            return pipe.finish(
                throwing: Fault(.bodyConsumed, reason: "a stream can be sent once, and this one was sent before"))
        }
        do {
            try await pour(pipe)
            pipe.finish()
        } catch { pipe.finish(throwing: error) }
    }
}
