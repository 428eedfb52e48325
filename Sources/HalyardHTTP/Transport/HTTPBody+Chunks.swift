import Dispatch
public import HalyardFoundation

extension HTTPBody {
    /// Returns the body in chunks of at most 1 MiB, for transports of your own.
    ///
    /// Files and streams are read when the next chunk is requested. A body with a stream in it can be read once.
    ///
    /// ```swift
    /// for try await chunk in body.chunks(reportingTo: context) { try await connection.write(chunk) }
    /// ```
    ///
    /// - Parameter context: The context of the transfer, which receives the upload's progress. A chunk counts as sent
    ///   when the next one is requested.
    /// - Returns: The chunks. The sequence throws ``HTTPError`` of kind `unreadableFile` for a file that has changed,
    ///   of kind `encoding` for a stream that does not have its announced length, or `bodyConsumed`; what a stream
    ///   throws; `CancellationError`.
    public func chunks(reportingTo context: TransferContext) -> Chunks {
        Chunks(body: self, progress: context.progress)
    }

    /// The chunks of a body. See ``HTTPBody/chunks(reportingTo:)``.
    public struct Chunks: AsyncSequence, Sendable {
        /// Bytes of the body.
        public typealias Element = Data

        fileprivate let body: HTTPBody
        fileprivate let progress: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)?

        /// Starts to read the body.
        public func makeAsyncIterator() -> Iterator {
            Iterator(body.segments, ProgressMeter(.upload, total: body.length, progress))
        }

        /// Reads a body chunk by chunk.
        public struct Iterator: AsyncIteratorProtocol {
            private static let chunkSize = 1 << 20
            private var segments: ArraySlice<Segment>
            /// The position in the first segment.
            private var offset: Int64 = 0
            /// The chunks of a stream, while it is the first segment.
            private var stream: RunningStream?
            private var meter: ProgressMeter
            /// The number of bytes that were returned.
            private var position: Int64 = 0

            fileprivate init(_ segments: [Segment], _ meter: ProgressMeter) {
                self.segments = segments[...]
                self.meter = meter
            }

            /// Returns the next chunk; `nil` at the end. See ``HTTPBody/chunks(reportingTo:)``.
            ///
            /// - Returns: The chunk; `nil` at the end.
            /// - Throws: ``HTTPError`` of kind `unreadableFile` or `bodyConsumed`, and what a stream throws.
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
