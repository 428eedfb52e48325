import Dispatch
import HalyardHTTP
public import HalyardFoundation
public import HalyardCodable

// Bodies that are never held whole.
extension Request {
    /// Puts the response's body into a file as it comes, and gives the file.
    ///
    /// It is written under a temporary name beside its place, whose folders are made, and renamed into it when all of it
    /// is there and the provider's `validate` was content: a file that stood there before is replaced then, or not at
    /// all.
    ///
    /// With `resuming` a body that breaks off is kept beside the file, and the next download of the same URL to it asks for
    /// the rest: `Range` with `If-Range`, where the server gave a strong validator. The response is a 206 then.
    ///
    /// ```swift
    /// let file = try await api.request(.dump).download(to: place, resuming: true)
    /// ```
    ///
    /// - Parameter resuming: whether to go on where an earlier request broke off. False unless given.
    /// - Throws: ``HTTPError`` of kind `unwritableFile`, also where another request still resumes the same file after a second,
    ///   beside what all awaits throw; with `resuming` of kind `invalidResponse` for a part that does not fit.
    public consuming func download(to url: URL, resuming: Bool = false) async throws -> URL {
        let exchange = await outcome(to: .file(url, resuming: resuming))
        return try await exchange.reading(.file(url))
    }

    /// Puts the response's body into a folder, under the name that the server suggests, made safe; gives the file. See
    /// `HTTPResponse.suggestedFilename`.
    ///
    /// A file that stands there is left alone: the new one is called `name 2.txt` then, and so on. Without a name it is
    /// called `download`.
    ///
    /// - Throws: ``HTTPError`` of kind `unwritableFile` beside what all awaits throw. Where only the name could not be given,
    ///   the file is complete, and the error's suggestion tells where it is.
    public consuming func download(into folder: URL) async throws -> URL {
        let place = folder.appending(path: ".halyard-\(UUID.random().uuidString)")
        let exchange = await outcome(to: .file(place))
        _ = try await exchange.reading(.file(place))
        let name = try exchange.get().suggestedFilename ?? "download"
        // It may have to be copied, which no thread of the cooperative pool should do.
        let moved = OneShot<Result<URL, HTTPError>>()
        DispatchQueue.global().async {
            moved.fulfill(Result { () throws(HTTPError) in try place.moved(into: folder, as: name) })
        }
        // The response keeps the file locked, so that no other download takes it for a leftover.
        let result = await moved.take()
        defer { withExtendedLifetime(exchange) {} }
        switch result {
        case .success(let file): return file
        case .failure(let error): throw exchange.completing(error)
        }
    }

    /// The response's body in chunks as they come, with backpressure; the request is sent when the loop begins.
    ///
    /// ```swift
    /// for try await chunk in api.request(.dump).chunks { hash.update(chunk) }
    /// ```
    ///
    /// Leaving the loop ends the transfer. Where the body goes is the first reader's choice: of a request that others
    /// have started this is what they hold in memory, in one chunk.
    public var chunks: ResponseChunks { ResponseChunks(request: self) }

    /// The response's body line by line, as ``chunks`` brings it. Lines end with LF or CR LF, which are not part of them;
    /// they are read as UTF-8, and bytes that are none become U+FFFD.
    ///
    /// A line of more than 16 MiB ends the loop with ``HTTPError`` of kind `bodyTooLarge`.
    public var lines: ResponseLines { ResponseLines(chunks: chunks) }
}

/// A response's body, chunk by chunk. See ``Request/chunks``.
public struct ResponseChunks: AsyncSequence, Sendable {
    let request: Request

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(request: request) }

    /// Gives chunk after chunk.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Phase {
            case cold(Request)
            case streaming(HTTPResponse.Stream.Iterator)
            case done
        }

        private var phase: Phase

        init(request: Request) { phase = .cold(request) }

        /// The next chunk, whatever has come since the last one; nil at the end.
        public mutating func next() async throws -> Data? { try await advance() }

        /// The next chunk, without leaving the actor that asks where a chunk is there already.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
            try await advance()
        }

        /// Leaves the caller's actor: what a request does is not for the main one.
        private static func open(_ request: Request) async throws -> HTTPResponse {
            try await request.outcome(to: .stream).get()
        }

        /// Stays where the caller runs.
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

/// A response's body, line by line. See ``Request/lines``.
public struct ResponseLines: AsyncSequence, Sendable {
    let chunks: ResponseChunks

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

    /// Gives line after line.
    public struct Iterator: AsyncIteratorProtocol {
        private static let limit = 16 << 20

        private var chunks: ResponseChunks.Iterator
        private var splitter = LineSplitter()

        init(chunks: ResponseChunks.Iterator) { self.chunks = chunks }

        /// The next line; nil at the end.
        public mutating func next() async throws -> String? { try await advance() }

        /// The next line, without leaving the actor that asks where a line is there already.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> String? {
            try await advance()
        }

        /// Stays where the caller runs.
        private nonisolated(nonsending) mutating func advance() async throws -> String? {
            while true {
                if let line = splitter.next() { return line }
                guard splitter.pending <= Self.limit else {
                    throw HTTPError(
                        .bodyTooLarge(limit: Self.limit), reason: "a line has no end",
                        suggestion: "Read the response's chunks instead of its lines")
                }
                guard let chunk = try await chunks.advance() else { return splitter.finish() }
                splitter.append(chunk)
            }
        }
    }
}

/// Cuts bytes into lines. Pure.
struct LineSplitter {
    private var bytes: [UInt8] = []
    /// Where the next line starts, and how far it was searched for its end.
    private var start = 0
    private var searched = 0

    /// How many bytes wait for the end of their line.
    var pending: Int { bytes.count - start }

    mutating func append(_ chunk: Data) {
        bytes.removeSubrange(..<start)
        searched -= start
        start = 0
        bytes.append(contentsOf: chunk)
    }

    /// The next whole line.
    mutating func next() -> String? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            return nil
        }
        defer { (start, searched) = (end + 1, end + 1) }
        return text(to: end)
    }

    /// What is left at the end, where the last line has none.
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
