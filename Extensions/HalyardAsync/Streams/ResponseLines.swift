import HalyardHTTP
public import HalyardCodable

extension Request {
    /// The response's body line by line as it arrives, with backpressure. See ``chunks``.
    ///
    /// Lines end with LF or CR LF, which are not included. They are decoded with the charset of Content-Type, as
    /// `HTTPResponse.text` is, unless it is UTF-16. A byte order mark at the start is no part of the first line. A line of more than 16 MiB ends the loop with ``HTTPError`` of kind `bodyTooLarge`.
    public var lines: ResponseLines { ResponseLines(chunks: chunks) }
}

/// The lines of a response's body. See ``Request/lines``.
public struct ResponseLines: ResponseStream {
    let chunks: ResponseChunks

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

    /// Iterates over the lines.
    public struct Iterator: AsyncIteratorProtocol {
        private static let limit = 16 << 20

        private var chunks: ResponseChunks.Iterator
        private var splitter = LineSplitter()
        /// The charset of the response. `nil` for one that is not known.
        private var charset: Charset? = .utf8

        init(chunks: ResponseChunks.Iterator) { self.chunks = chunks }

        /// Returns the next line; `nil` at the end.
        ///
        /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
        public mutating func next() async throws -> String? { try await advance() }

        /// Returns the next line. If one is available, the call does not leave the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> String? {
            try await advance()
        }

        /// Returns the next element on the caller's actor.
        private nonisolated(nonsending) mutating func advance() async throws -> String? {
            while true {
                if let line = splitter.next() { return try text(line) }
                try check(splitter.pending)
                guard let chunk = try await chunks.advance() else { return try splitter.finish().map(text) }
                if let response = chunks.response { charset = response.declaredCharset }
                splitter.append(chunk)
            }
        }

        private func text(_ line: ArraySlice<UInt8>) throws(HTTPError) -> String {
            try check(line.count)
            return charset?.text(line) ?? Charset.ascii(line)
        }

        private func check(_ count: Int) throws(HTTPError) {
            guard count > Self.limit else { return }
            throw chunks.annotated(
                HTTPError(
                    .bodyTooLarge(limit: Self.limit), reason: "a line is longer than the limit",
                    suggestion: "Read the response's chunks instead of its lines"))
        }
    }
}
