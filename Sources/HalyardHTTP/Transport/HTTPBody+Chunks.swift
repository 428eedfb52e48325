import Dispatch
public import HalyardFoundation

extension HTTPBody {
    /// Returns the whole body in memory: for a signature, a recording, or a stub.
    ///
    /// A body with a stream can be read only once. To send it after this call, create another one: `HTTPBody(data)`.
    /// - Throws: The errors of ``chunks(reportingTo:)``.
    public func data() async throws -> Data {
        if let dataInMemory { return dataInMemory }
        var data = Data()
        if let length { data.reserveCapacity(Int(clamping: length)) }
        for try await chunk in chunks(reportingTo: TransferContext()) { data.append(chunk) }
        return data
    }

    /// Returns the body in chunks of at most 1 MiB, for custom transports.
    ///
    /// Files and streams are read when the next chunk is requested. A body with a stream can be read only once.
    ///
    /// ```swift
    /// for try await chunk in body.chunks(reportingTo: context) { try await connection.write(chunk) }
    /// ```
    ///
    /// - Parameter context: The context of the transfer, which receives the upload's progress. A chunk counts as sent
    ///   when the next one is requested.
    /// - Returns: The chunks. The sequence throws ``HTTPError`` of kind `unreadableFile` if a file has changed, of kind
    ///   `encoding` if a stream does not have its announced length, or `bodyConsumed`; errors that a stream throws; and
    ///   `CancellationError`.
    public func chunks(reportingTo context: TransferContext) -> Chunks {
        Chunks(self, context)
    }

    /// The chunks of a body. See ``HTTPBody/chunks(reportingTo:)``.
    public struct Chunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
        private static let chunkSize = 1 << 20
        private var segments: ArraySlice<Segment>
        /// The position in the first segment.
        private var offset: Int64 = 0
        /// The chunks of a stream, while it is the first segment.
        private var stream: RunningStream?
        private var meter: ProgressMeter
        /// The number of bytes that were returned.
        private var position: Int64 = 0

        fileprivate init(_ body: HTTPBody, _ context: TransferContext) {
            segments = body.segments[...]
            meter = ProgressMeter(.upload, total: body.length, context.progress)
        }

        /// Starts reading the body.
        public func makeAsyncIterator() -> Chunks { self }

        /// Returns the next chunk; `nil` at the end. See ``HTTPBody/chunks(reportingTo:)``.
        public mutating func next() async throws -> Data? {
            if position > 0 { meter.advance(to: position) }
            do {
                while let segment = segments.first {
                    try Task.checkCancellation()
                    if let chunk = try await nextChunk(of: segment) {
                        offset += Int64(chunk.count)
                        position += Int64(chunk.count)
                        return chunk
                    }
                    segments.removeFirst()
                    (offset, stream) = (0, nil)
                }
            } catch {
                segments = []
                throw error
            }
            meter.finish()
            return nil
        }

        private mutating func nextChunk(of segment: Segment) async throws -> Data? {
            switch segment {
            case .bytes(let data):
                let rest = data.dropFirst(Int(offset)).prefix(Self.chunkSize)
                return rest.isEmpty ? nil : rest
            case .file(let file):
                guard offset < file.length else { return nil }
                return try await blocking { [offset] in try file.data(at: offset, atMost: Self.chunkSize) }
            case .stream(let source):
                let running = stream ?? RunningStream(source)
                stream = running
                let chunk = try await running.next()
                if let length = source.length {
                    let count = offset + Int64(chunk?.count ?? 0)
                    guard chunk == nil ? count == length : count <= length else { throw source.wrongLength }
                }
                return chunk
            }
        }
    }
}

/// A stream of a body whose sequence runs in a task. Releasing it cancels the task.
private final class RunningStream: Sendable {
    private let pipe = BytePipe(capacity: 256 << 10)
    private let task: Task<Void, Never>

    init(_ stream: BodyStream) { task = Task { [pipe] in await stream.run(into: pipe) } }

    deinit {
        pipe.close()
        task.cancel()
    }

    func next() async throws -> Data? { try await pipe.read() }
}

/// A position in a request's body, for an engine that reads it piece by piece.
package struct BodyCursor: Sendable {
    private let segments: [HTTPBody.Segment]
    private var pipes: ArraySlice<BytePipe>
    private var index = 0
    /// The position in the current segment.
    private var offset: Int64 = 0
    /// The number of bytes that were read in all.
    package private(set) var position: Int64 = 0
    private let readFile: FileReading?

    /// Reads bytes of a file at an offset, or returns `nil` if they have not arrived yet.
    package typealias FileReading =
        @Sendable (FileSource, _ offset: Int64, UnsafeMutableRawBufferPointer) throws -> Int?

    /// Makes a cursor at the start of a body.
    ///
    /// - Parameters:
    ///   - pipes: The pipes that the body's streams are written into, one for each stream, in order.
    ///   - readFile: Reads files without waiting for the disk. Defaults to none: the cursor waits.
    package init(_ body: HTTPBody, pipes: [BytePipe], readFile: FileReading? = nil) {
        segments = body.segments
        self.pipes = pipes[...]
        self.readFile = readFile
    }

    /// Fills a buffer as far as bytes are available, across segments. Throws ``HTTPError`` of kind `unreadableFile`,
    /// `encoding` or `bodyConsumed`, or what a stream throws.
    package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BytePipe.ReadResult {
        var filled = 0
        while filled < buffer.count, index < segments.count {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            switch try readSegment(into: room) {
            case .bytes(let count):
                filled += count
                offset += Int64(count)
            case .nothingYet:
                position += Int64(filled)
                return filled > 0 ? .bytes(filled) : .nothingYet
            case .end:
                index += 1
                offset = 0
            }
        }
        position += Int64(filled)
        return filled > 0 ? .bytes(filled) : .end
    }

    private mutating func readSegment(into buffer: UnsafeMutableRawBufferPointer) throws -> BytePipe.ReadResult {
        switch segments[index] {
        case .bytes(let data):
            let start = data.startIndex + Int(offset)
            let count = data.copyBytes(to: buffer, from: start..<min(start + buffer.count, data.endIndex))
            return count > 0 ? .bytes(count) : .end
        case .file(let file):
            guard offset < file.length else { return .end }
            guard let readFile else { return .bytes(try file.read(at: offset, into: buffer)) }
            return try readFile(file, offset, buffer).map { .bytes($0) } ?? .nothingYet
        case .stream(let stream):
            return try read(stream, into: buffer)
        }
    }

    private mutating func read(
        _ stream: BodyStream, into buffer: UnsafeMutableRawBufferPointer
    ) throws -> BytePipe.ReadResult {
        guard let pipe = pipes.first else { return .end }
        do {
            let reading = try pipe.tryRead(buffer, announced: stream.length.map { $0 - offset })
            if case .end = reading { pipes = pipes.dropFirst() }
            return reading
        } catch is BytePipe.LengthMismatch { throw stream.wrongLength }
    }

    /// Moves to another position. Returns false when a stream comes before it, which cannot be read again.
    package mutating func rewind(to place: Int64) -> Bool {
        guard !segments.contains(where: \.isStream) else { return position == place }
        (index, offset, position) = (0, place, place)
        while index < segments.count, let length = segments[index].length, offset >= length {
            offset -= length
            index += 1
        }
        return true
    }
}

extension HTTPBody.Segment {
    fileprivate var isStream: Bool { if case .stream = self { true } else { false } }
}
