import HalyardFoundation
import HalyardHTTP

/// The body of a stub's response, as a transport receives it: chunks over time, and an error in place of the rest.
struct StubBody: AsyncSequence, Sendable {
    let chunks: [Data]
    let interval: Duration
    let failure: HTTPError?
    /// The number of bytes before the error. `nil` without an error.
    let failureOffset: Int?
    let clock: any Clock<Duration>

    struct Iterator: AsyncIteratorProtocol {
        let body: StubBody
        var index = 0
        var sent = 0

        mutating func next() async throws -> Data? {
            let rest = body.failureOffset.map { $0 - sent }
            guard index < body.chunks.count, rest != 0 else {
                if rest != nil, let failure = body.failure { throw failure }
                return nil
            }
            if index > 0, body.interval > .zero { try await body.clock.sleep(for: body.interval) }
            let chunk = body.chunks[index].prefix(rest ?? .max)
            index += 1
            sent += chunk.count
            return Data(chunk)
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }
}
