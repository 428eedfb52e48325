package import HalyardFoundation

/// An asynchronous sequence of chunks to send. It runs once.
package final class BodyStream: Sendable {
    package let length: Int64?
    /// `nil` once it runs, so that the task that runs it holds the last reference to the user's sequence.
    private let writeChunks: Lock<(@Sendable (BytePipe) async throws -> Void)?>

    package init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64?) where Chunks.Element == Data {
        self.length = length
        writeChunks = Lock { pipe in
            for try await chunk in chunks {
                guard await pipe.write(chunk) else { return }
            }
        }
    }

    /// The error of a sequence with more or fewer bytes than it announced.
    package var wrongLength: Fault {
        Fault(.encoding("the body"), reason: "its stream does not have the \(length ?? 0) bytes that it announced")
    }

    /// Writes the chunks into a pipe as it has room, until the sequence ends or fails or the pipe's reader closes it.
    package func run(into pipe: BytePipe) async {
        guard let writeChunks = writeChunks.withLock({ $0.take() }) else {
            return pipe.finish(
                throwing: Fault(.bodyConsumed, reason: "a stream can be sent only once, and it was sent before"))
        }
        do {
            try await writeChunks(pipe)
            pipe.finish()
        } catch { pipe.finish(throwing: error) }
    }
}
