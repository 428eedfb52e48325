import HalyardFoundation
import HalyardHAR

/// How fast a ``Cassette`` replays the body of a stream.
public struct CassetteTiming: Sendable {
    let clock: (any Clock<Duration>)?

    /// At once.
    public static let immediate = CassetteTiming(clock: nil)

    /// As it was recorded.
    public static let recorded = recorded(by: ContinuousClock())

    /// Returns the timing of the recording, by another clock.
    ///
    /// - Parameter clock: The clock, such as a ``ManualClock``.
    public static func recorded(by clock: any Clock<Duration>) -> CassetteTiming { CassetteTiming(clock: clock) }
}

/// The body of a recorded response, in the recorded pieces.
struct CassetteBody: AsyncSequence, Sendable {
    private let data: Data
    private let chunks: [HAREntry.Chunk]
    private let clock: (any Clock<Duration>)?

    init(_ data: Data, _ chunks: [HAREntry.Chunk]?, _ timing: CassetteTiming) {
        self.data = data
        // Masked secrets may have changed the length. The last piece has the rest.
        self.chunks = chunks ?? [HAREntry.Chunk(time: 0, size: data.count)]
        clock = timing.clock
    }

    struct Iterator: AsyncIteratorProtocol {
        /// A day, in milliseconds.
        private static let longestWait = 86_400_000.0

        private let body: CassetteBody
        private var index = 0
        private var rest: Data
        private var time = 0.0

        init(_ body: CassetteBody) {
            self.body = body
            rest = body.data
        }

        mutating func next() async throws -> Data? {
            guard !rest.isEmpty else { return nil }
            let isLast = index >= body.chunks.count - 1
            let size = isLast ? rest.count : Swift.max(0, body.chunks[index].size)
            if let clock = body.clock, index < body.chunks.count {
                // A file may have any number: a Duration of more than 2^67 seconds traps.
                let wait = Swift.min(body.chunks[index].time - time, Self.longestWait)
                time = body.chunks[index].time
                if wait > 0 { try await clock.sleep(for: .milliseconds(wait)) }
            }
            index += 1
            let piece = rest.prefix(size)
            rest = rest.dropFirst(size)
            return Data(piece)
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }
}
