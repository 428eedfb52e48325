package import HalyardFoundation

/// An asynchronous sequence of chunks to send. It runs once, unless it was made of a body that can be read again.
package final class BodyStream: Sendable {
    package let length: Int64?
    package let isReadOnce: Bool
    /// `nil` once a stream runs that is read once, so that the task that runs it holds the last reference to the user's
    /// sequence.
    private let writeChunks: Lock<(@Sendable (BytePipe) async throws -> Void)?>

    /// Makes a stream.
    ///
    /// - Parameters:
    ///   - length: The number of bytes. `nil` if it is not known.
    ///   - isReadOnce: Whether the sequence can be iterated only once. Defaults to `true`.
    package init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, length: Int64?, isReadOnce: Bool = true
    ) where Chunks.Element == Data {
        self.length = length
        self.isReadOnce = isReadOnce
        writeChunks = Lock { pipe in
            for try await chunk in chunks {
                guard await pipe.write(chunk) else { return }
            }
        }
    }

    /// The error of a sequence with more or fewer bytes than it announced.
    package var wrongLength: HTTPError {
        HTTPError(.encoding("the body"), reason: "its stream does not have the \(length ?? 0) bytes that it announced")
    }

    /// Writes the chunks into a pipe as it has room, until the sequence ends or fails or the pipe's reader closes it.
    package func run(into pipe: BytePipe) async {
        guard let writeChunks = writeChunks.withLock({ isReadOnce ? $0.take() : $0 }) else {
            return pipe.finish(
                throwing: HTTPError(.bodyConsumed, reason: "a stream can be sent only once, and it was sent before"))
        }
        do {
            try await writeChunks(pipe)
            pipe.finish()
        } catch { pipe.finish(throwing: error) }
    }
}
