package import HalyardFoundation
import HalyardSystem

/// The destination of one response's body.
package struct ResponseSink: Sendable {
    private enum Place: Sendable {
        case memory(expected: Int, limit: Int)
        /// Keeps the first 64 KiB in memory: of a response that is not a 2xx, if the destination is a file or a stream,
        /// and of a redirect that is followed.
        case excerpt
        case file(any DownloadFile)
        case stream(BytePipe)
    }

    private var place: Place
    /// The bytes that are kept in memory. They are not in ``place``, so that they grow without a copy.
    private var body = CollectedBody()

    private init(_ place: Place) { self.place = place }

    /// Keeps only the start of the body.
    package static let excerpt = ResponseSink(.excerpt)

    /// Writes the body to a pipe.
    package static func stream(_ pipe: BytePipe) -> ResponseSink { ResponseSink(.stream(pipe)) }

    /// The pipe of a stream; `nil` for another destination.
    package var pipe: BytePipe? { if case .stream(let pipe) = place { pipe } else { nil } }

    private static let excerptLimit = 64 << 10
    private static let streamCapacity = 1 << 20
    /// The maximum that an engine reads at once.
    private static let streamReserve = 512 << 10

    /// Makes the sink for a request's destination and a response's status and header fields. Throws ``HTTPError`` of
    /// kind `unwritableFile`, or `invalidResponse` for a body that does not fit a download.
    package init(for request: HTTPRequest, status: Int, _ headers: HTTPHeaders) throws(HTTPError) {
        switch request.destination {
        case .memory(let limit): place = .memory(expected: 0, limit: max(0, limit))
        case _ where !(200..<300).contains(status): place = .excerpt
        case .file(let url, _):
            if let partialFile = request.partialFile {
                place = .file(try request.opening(partialFile, status, headers).open())
            } else {
                try request.requireWholeBody(status, headers)
                place = .file(try AtomicFile(url, isHashed: request.hashes(headers)))
            }
        case .stream: place = .stream(BytePipe(capacity: Self.streamCapacity, reserve: Self.streamReserve))
        }
    }

    /// The number of bytes of the body that were there before this response.
    package var offset: Int64 { if case .file(let file) = place { file.offset } else { 0 } }

    /// Refuses a body whose announced length is over the limit, and reserves memory for any other. Throws ``HTTPError``
    /// of kind `bodyTooLarge`.
    package mutating func expect(_ length: Int) throws(HTTPError) {
        guard case .memory(_, let limit) = place else { return }
        guard length <= limit else { throw HTTPError(.bodyTooLarge(limit: limit)) }
        place = .memory(expected: min(length, 1 << 30), limit: limit)
    }

    /// Writes bytes. A stream's reader is woken by ``BytePipe/flush()``. Throws ``HTTPError`` of kind `bodyTooLarge` or
    /// `unwritableFile`.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> BytePipe.WriteResult {
        switch place {
        case .memory(let expected, let limit):
            guard body.count + bytes.count <= limit else { throw HTTPError(.bodyTooLarge(limit: limit)) }
            body.append(bytes, expecting: expected)
        case .excerpt:
            let missing = Self.excerptLimit - body.count
            body.append(UnsafeRawBufferPointer(rebasing: bytes.prefix(missing)), expecting: 0)
            if body.count == Self.excerptLimit { return .enough }
        case .file(let file): try file.write(bytes)
        case .stream(let pipe): return pipe.tryWrite(bytes)
        }
        return .accepted
    }

    /// Removes a file that was begun.
    package func discard() { if case .file(let file) = place { file.discard() } }

    /// Adds the body, or the part of it that has arrived, to a response.
    package func fill(_ response: inout HTTPResponse) {
        switch place {
        case .memory: response.data = body.data
        case .excerpt:
            response.data = body.data
            if body.count == Self.excerptLimit { response.removeCutCharacter() }
        case .file(let file): response.downloadFile = file
        case .stream(let pipe): response.stream = HTTPResponse.Stream(pipe)
        }
    }
}

extension HTTPResponse {
    /// Writes a body that is in memory to the destination of a request, by the same rules as an engine. Throws
    /// ``HTTPError`` of kind `bodyTooLarge` or `unwritableFile`.
    package mutating func deliver(_ body: Data, to request: HTTPRequest) throws {
        var sink = try ResponseSink(for: request, status: status, headers)
        try sink.expect(body.count)
        _ = try body.withUnsafeBytes { try sink.write($0) }
        sink.pipe?.finish()
        sink.fill(&self)
    }
}

/// The bytes of a body that are collected in memory.
struct CollectedBody: Sendable {
    /// Memory for bodies of at least this length is prepared in pieces of this size, ahead of the bytes. Otherwise the
    /// system prepares each page of 4 KiB when it is first written, which takes longer than copying the bytes.
    private static let pieceSize = 256 << 10

    /// The bytes. They are followed by memory without a value if it was reserved for more.
    private var storage = Data()
    private(set) var count = 0
    /// The number of bytes in ``storage`` whose memory is prepared. The maximum means that nothing has to be prepared.
    private var preparedCount = Int.max

    /// The bytes that have arrived.
    var data: Data { storage.count == count ? storage : storage.prefix(count) }

    /// Appends bytes.
    ///
    /// - Parameters:
    ///   - expected: The announced length of the whole body; 0 if it is not known. Memory that is reserved and never
    ///     written costs nothing.
    mutating func append(_ bytes: UnsafeRawBufferPointer, expecting expected: Int) {
        defer { count += bytes.count }
        if count == 0 {
            if bytes.count >= expected {
                storage = Data(bytes)  // Most bodies arrive in one piece.
                return
            }
            reserve(expected)
        }
        guard storage.count - count >= bytes.count else {
            if storage.count > count { storage.removeSubrange(count...) }
            return storage.append(contentsOf: bytes)
        }
        let (offset, end) = (count, count + bytes.count)
        storage.withUnsafeMutableBytes { storage in
            if end > preparedCount {
                preparedCount = min(end + Self.pieceSize, storage.count)
                Self.prepare(UnsafeMutableRawBufferPointer(rebasing: storage[offset..<preparedCount]))
            }
            UnsafeMutableRawBufferPointer(rebasing: storage[offset...]).copyMemory(from: bytes)
        }
    }

    private mutating func reserve(_ length: Int) {
        guard length >= Self.pieceSize else { return storage.reserveCapacity(length) }
        guard let memory = malloc(length) else { return }  // The memory then grows with the bytes that arrive.
        storage = Data(bytesNoCopy: memory, count: length, deallocator: .free)
        preparedCount = 0
    }

    /// Lets the system prepare the pages of memory that is about to be written. It has no other effect.
    private static func prepare(_ memory: UnsafeMutableRawBufferPointer) {
        #if os(Linux)
            guard let start = memory.baseAddress else { return }
            let pageSize = Int(sysconf(CInt(_SC_PAGESIZE)))
            let skipped = -Int(bitPattern: start) & (pageSize - 1)
            // MADV_POPULATE_WRITE, since Linux 5.14. An older system refuses it, which changes nothing.
            if memory.count > skipped { _ = madvise(start + skipped, memory.count - skipped, 23) }
        #endif
    }
}
