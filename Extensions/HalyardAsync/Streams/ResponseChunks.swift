import Dispatch
import HalyardHTTP
public import HalyardFoundation
public import HalyardCodable

// Bodies that are not kept in memory as a whole.
extension Request {
    /// Downloads the response's body to a file.
    ///
    /// The body is written to a temporary file in the same folder, which is created if necessary. After the body is
    /// complete and the provider's `validate` has succeeded, the file is renamed. An existing file is replaced only then.
    ///
    /// With `resuming`, an incomplete body is kept in the same folder. The next download of the same URL to the same file
    /// requests the rest with `Range` and `If-Range` if the server has sent a strong validator. The response is then a 206.
    ///
    /// ```swift
    /// let file = try await api.request(.dump).download(to: place, resuming: true)
    /// ```
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - resuming: Whether to continue an earlier incomplete download. Defaults to `false`.
    /// - Returns: The file.
    /// - Throws: ``HTTPError``: of kind `unwritableFile`, also if another request still resumes the same file after a
    ///   second; with `resuming`, of kind `invalidResponse` for a part that does not fit. Or `CancellationError`, or an
    ///   error of the provider's hooks.
    public consuming func download(to url: URL, resuming: Bool = false) async throws -> URL {
        let outcome = await outcome(to: .file(url, resuming: resuming))
        return try await outcome.decode(.file(url))
    }

    /// Downloads the response's body to a folder, under a safe form of the name that the server suggests. See
    /// `HTTPResponse.suggestedFilename`.
    ///
    /// An existing file is not replaced: the new file is then named `name 2.txt`, and so on. Without a suggested name it is
    /// named `download`.
    ///
    /// - Parameter folder: The folder.
    /// - Returns: The file.
    /// - Throws: ``HTTPError`` of kind `unwritableFile` and other kinds, `CancellationError`, or an error of the provider's
    ///   hooks. If only renaming has failed, the file is complete, and the error's suggestion contains its path.
    public consuming func download(into folder: URL) async throws -> URL {
        let place = folder.appending(path: ".halyard-\(UUID.random().uuidString)")
        let outcome = await outcome(to: .file(place))
        _ = try await outcome.decode(.file(place))
        let name = try outcome.get().suggestedFilename ?? "download"
        // The file may have to be copied, which must not block a thread of the cooperative pool.
        let moved = OneShot<Result<URL, HTTPError>>()
        DispatchQueue.global().async {
            moved.fulfill(Result { () throws(HTTPError) in try place.moved(into: folder, as: name) })
        }
        // The response keeps the file locked, so that another download does not remove it as an abandoned file.
        let result = await moved.take()
        defer { withExtendedLifetime(outcome) {} }
        switch result {
        case .success(let file): return file
        case .failure(let error): throw outcome.annotated(error)
        }
    }

    /// The response's body in chunks as they arrive, with backpressure. The request is sent when the loop begins.
    ///
    /// ```swift
    /// for try await chunk in api.request(.dump).chunks { hash.update(chunk) }
    /// ```
    ///
    /// Leaving the loop ends the transfer. The first observer of a request determines the destination of the body: if another
    /// observer keeps it in memory, it arrives as one chunk.
    public var chunks: ResponseChunks { ResponseChunks(request: self) }

    /// The response's body line by line as it arrives, with backpressure. See ``chunks``.
    ///
    /// Lines end with LF or CR LF, which are not included. They are decoded as UTF-8, and invalid bytes become U+FFFD. A
    /// line of more than 16 MiB ends the loop with ``HTTPError`` of kind `bodyTooLarge`.
    public var lines: ResponseLines { ResponseLines(chunks: chunks) }
}

/// The chunks of a response's body. See ``Request/chunks``.
public struct ResponseChunks: AsyncSequence, Sendable {
    let request: Request

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(request: request) }

    /// Iterates over the chunks.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Phase {
            case cold(Request)
            case streaming(HTTPResponse.Stream.Iterator)
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

        /// Starts the request. This leaves the caller's actor, which may be the main actor.
        private static func open(_ request: Request) async throws -> HTTPResponse {
            try await request.outcome(to: .stream).get()
        }

        /// Returns the next element on the caller's actor.
        fileprivate nonisolated(nonsending) mutating func advance() async throws -> Data? {
            if case .cold(let request) = phase {
                phase = .done
                let response = try await Self.open(request)
                guard let stream = response.stream else {
                    let data = try response.bytes()
                    return data.isEmpty ? nil : data
                }
                phase = .streaming(stream.makeAsyncIterator())
            }
            guard case .streaming(let iterator) = phase else { return nil }
            let chunk = try await iterator.advance()
            phase = chunk == nil ? .done : .streaming(iterator)
            return chunk
        }
    }
}

/// The lines of a response's body. See ``Request/lines``.
public struct ResponseLines: AsyncSequence, Sendable {
    let chunks: ResponseChunks

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

    /// Iterates over the lines.
    public struct Iterator: AsyncIteratorProtocol {
        private static let limit = 16 << 20

        private var chunks: ResponseChunks.Iterator
        private var splitter = LineSplitter()

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
                if let line = splitter.next() { return line }
                guard splitter.pending <= Self.limit else {
                    throw HTTPError(
                        .bodyTooLarge(limit: Self.limit), reason: "a line is longer than the limit",
                        suggestion: "Read the response's chunks instead of its lines")
                }
                guard let chunk = try await chunks.advance() else { return splitter.finish() }
                splitter.append(chunk)
            }
        }
    }
}

/// Splits bytes into lines.
struct LineSplitter {
    private var bytes: [UInt8] = []
    /// The start of the next line, and the end of the bytes that were searched for a line break.
    private var start = 0
    private var searched = 0

    /// The number of bytes of an incomplete line.
    var pending: Int { bytes.count - start }

    /// Appends bytes.
    mutating func append(_ chunk: Data) {
        bytes.removeSubrange(..<start)
        searched -= start
        start = 0
        bytes.append(contentsOf: chunk)
    }

    /// Returns the next complete line; `nil` if there is none.
    mutating func next() -> String? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            return nil
        }
        defer { (start, searched) = (end + 1, end + 1) }
        return text(to: end)
    }

    /// Returns the last line if it has no line break.
    mutating func finish() -> String? {
        guard start < bytes.count else { return nil }
        defer { (start, searched) = (bytes.count, bytes.count) }
        return text(to: bytes.count)
    }

    private func text(to end: Int) -> String {
        let hasReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
        return String(decoding: bytes[start..<(hasReturn ? end - 1 : end)], as: UTF8.self)
    }
}
