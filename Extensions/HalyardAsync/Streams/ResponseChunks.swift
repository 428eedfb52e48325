public import HalyardFoundation
import HalyardHTTP
public import HalyardCodable

extension Request {
    /// The response's body in chunks as they arrive, with backpressure. The request is sent when the loop begins.
    ///
    /// ```swift
    /// for try await chunk in api.request(.dump).chunks { hash.update(chunk) }
    /// ```
    ///
    /// Leaving the loop ends the transfer. The first observer of a request determines the destination of the body: if
    /// another observer keeps it in memory, it arrives as one chunk.
    public var chunks: ResponseChunks { ResponseChunks(request: self) }
}

/// The chunks of a response's body. See ``Request/chunks``.
public struct ResponseChunks: ResponseStream {
    let request: Request

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(request: request) }

    /// Iterates over the chunks.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Phase {
            case cold(Request)
            case open(OpenBody)
            case done
        }

        private var phase: Phase

        init(request: Request) { phase = .cold(request) }

        /// Returns all bytes that have arrived since the last chunk; `nil` at the end.
        ///
        /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
        public mutating func next() async throws -> Data? { try await advance() }

        /// Returns the next chunk. If one is available, the call does not leave the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
            try await advance()
        }

        /// The response, while its body is read.
        var response: HTTPResponse? { if case .open(let body) = phase { body.response } else { nil } }

        /// Returns an error with the request and the response.
        func annotated(_ error: HTTPError) -> HTTPError {
            if case .open(let body) = phase { body.annotated(error) } else { error }
        }

        /// Returns the next element on the caller's actor.
        nonisolated(nonsending) mutating func advance() async throws -> Data? {
            if case .cold(let request) = phase {
                phase = .done
                phase = .open(try await OpenBody.open(request))
            }
            guard case .open(var body) = phase else { return nil }
            // After an error there is nothing more to read.
            phase = .done
            let chunk = try await body.next()
            if chunk != nil { phase = .open(body) }
            return chunk
        }
    }
}
