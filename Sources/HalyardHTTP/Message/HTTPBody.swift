public import HalyardFoundation

/// The body of a request: bytes, files and streams, which are read while they are sent.
///
/// ```swift
/// let text = HTTPBody(Data("hello".utf8))
/// let file = try HTTPBody(file: URL(filePath: "/tmp/big.bin"))
/// let stream = HTTPBody(stream: chunks)               // sent chunked: its length is not known
/// ```
public struct HTTPBody: Sendable {
    package enum Segment: Sendable {
        case bytes(Data)
        case file(FileSource)
        case stream(BodyStream)
    }

    package let segments: [Segment]

    /// The segments before their compression. `nil` for a body that was not compressed.
    private let plainSegments: [Segment]?

    /// Whether the body was compressed, and has its content coding in the header fields.
    package var isCompressed: Bool { plainSegments != nil }

    /// The body before its compression, in which secrets can be found. A body that was not compressed is itself.
    package var uncompressed: HTTPBody { plainSegments.map { HTTPBody(segments: $0) } ?? self }

    /// The number of bytes; `nil` if a stream's length is not known. HTTP/1.1 then sends the body chunked.
    public let length: Int64?

    /// Creates a body from bytes in memory. They are not copied.
    public init(_ bytes: Data) { self.init(segments: [.bytes(bytes)]) }

    /// Creates a body from the content of a file. The file is opened and measured now, and read while it is sent.
    ///
    /// If the file changes while it is being sent, the request ends with ``HTTPError`` of kind `unreadableFile`.
    ///
    /// - Parameter bytes: The range of the file to send, such as one of several parts of an upload. Defaults to the
    ///   whole file.
    /// - Throws: ``HTTPError`` of kind `unreadableFile` if the file is missing, cannot be read, is not a regular file,
    ///   or does not contain the range.
    public init(file: URL, bytes: Range<Int64>? = nil) throws(HTTPError) {
        self.init(segments: [.file(try FileSource(file, bytes: bytes))])
    }

    /// Creates a body from an asynchronous sequence, which is sent with backpressure: the next element is requested
    /// when there is room.
    ///
    /// The body can be sent only once. A redirect or a retry that needs it again fails with ``HTTPError`` of kind
    /// `bodyConsumed`. An error that the sequence throws ends the request and becomes its error.
    ///
    /// - Parameter length: The number of bytes; `nil`, the default, if it is not known. The request fails if the length
    ///   is negative or the sequence has more or fewer bytes. A sequence of 0 bytes is not run. The last byte is sent
    ///   once the sequence has ended without an error.
    public init<Chunks: AsyncSequence & Sendable>(stream: Chunks, length: Int64? = nil) where Chunks.Element == Data {
        self.init(segments: [.stream(BodyStream(stream, length: length))])
    }

    /// Whether the body holds a stream that cannot be sent again.
    package var isReadOnce: Bool {
        segments.contains { if case .stream(let stream) = $0 { stream.isReadOnce } else { false } }
    }

    /// Makes a body of segments. `plain` is the body that the segments are a compressed form of. Defaults to none.
    package init(segments: [Segment], compressing plain: HTTPBody? = nil) {
        self.segments = segments
        plainSegments = plain?.segments
        length = segments.reduce(Int64?(0)) { total, segment in
            guard let total, let length = segment.length, length >= 0 else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(length)
            return overflow ? nil : sum
        }
    }

    /// Checks that the length is possible. Throws ``HTTPError`` of kind `encoding`.
    func checkLength() throws(HTTPError) {
        guard length == nil else { return }
        let lengths = segments.compactMap(\.length)
        let negative = lengths.first { $0 < 0 }
        guard negative != nil || lengths.count == segments.count else { return }
        let reason = negative.map { "the length of its stream is \($0)" } ?? "it is longer than \(Int64.max) bytes"
        throw HTTPError(.encoding("the body"), reason: reason, suggestion: "Omit the length if it is not known")
    }
}

extension HTTPBody.Segment {
    package var length: Int64? {
        switch self {
        case .bytes(let data): Int64(data.count)
        case .file(let file): file.length
        case .stream(let stream): stream.length
        }
    }
}

extension HTTPBody: SafelyDescribed {
    /// The length of the body.
    public var description: String { length.map { "\($0) bytes" } ?? "a stream" }
}

extension HTTPBody {
    /// The body, if all of it is in memory.
    package var dataInMemory: Data? {
        var data = Data()
        for segment in segments {
            guard case .bytes(let bytes) = segment else { return nil }
            data.append(bytes)
        }
        return data
    }
}
