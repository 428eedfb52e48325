import HalyardFoundation
import HalyardHTTP

extension HTTPBody {
    /// Returns the body in the format gzip. `nil` if it is in memory and would not become smaller.
    ///
    /// - Throws: ``HTTPError`` of kind `encoding` if zlib is missing.
    func gzipped() throws(HTTPError) -> HTTPBody? {
        let deflater = try Deflater()
        var isInMemory = true
        var bytes = Data()
        for segment in segments {
            guard case .bytes(let data) = segment else {
                isInMemory = false
                break
            }
            bytes.append(data)
        }
        guard isInMemory else {
            let stream = BodyStream(CompressedChunks(body: self), length: nil, isReadOnce: isReadOnce)
            return HTTPBody(segments: [.stream(stream)], compressing: self)
        }
        let compressed = try deflater.compress(bytes, isLast: true)
        return compressed.count < bytes.count
            ? HTTPBody(segments: [.bytes(compressed)], compressing: self) : nil
    }
}

/// The bytes of a body in the format gzip. Each iterator reads the body again.
private struct CompressedChunks: AsyncSequence, Sendable {
    let body: HTTPBody

    func makeAsyncIterator() -> Iterator { Iterator(body) }

    struct Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPBody.Chunks.Iterator
        /// `nil` until the first chunk is requested, and after the last.
        private var deflater: Deflater?
        private var isStarted = false

        init(_ body: HTTPBody) { chunks = body.chunks(reportingTo: TransferContext()).makeAsyncIterator() }

        mutating func next() async throws -> Data? {
            if !isStarted {
                isStarted = true
                deflater = try Deflater()
            }
            while let deflater {
                guard let chunk = try await chunks.next() else {
                    self.deflater = nil
                    return try deflater.compress(Data(), isLast: true)
                }
                let output = try deflater.compress(chunk, isLast: false)
                if !output.isEmpty { return output }
            }
            return nil
        }
    }
}
