#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The body of a request: pieces in memory, of files and of streams, read as they are sent and never held whole.
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

    /// Why it cannot be sent.
    private let flaw: String?

    /// How many bytes there are; `nil` when a stream does not say. Then HTTP/1.1 sends it chunked.
    public let length: Int64?

    /// A body of bytes in memory. They are not copied.
    public init(_ bytes: Data) { self.init(segments: [.bytes(bytes)]) }

    /// The content of a file, which is opened and measured now, and read while it is sent.
    ///
    /// - Throws: ``HTTPError`` of kind `unreadableFile` when it is missing, may not be read, or is no regular file.
    ///   A file that shrinks while it is sent ends the request with the same kind.
    init(opening file: URL) throws(Fault) { self.init(segments: [.file(try FileSource(opening: file))]) }

    /// What a sequence gives, sent as it comes, with backpressure: the next element is asked for when there is room.
    ///
    /// It can be sent once: a redirect or a retry that needs it again is an error. An error that it throws ends the
    /// request, and is the request's error.
    ///
    /// - Parameter length: bytes, where they are known; a negative one fails the request. A sequence that gives more or fewer fails the request, but that of
    ///   0 bytes is not asked. The last byte is sent when the sequence has ended well: one that never ends has not told
    ///   that it gives no more.
    public init<Chunks: AsyncSequence & Sendable>(stream: Chunks, length: Int64? = nil) where Chunks.Element == Data {
        self.init(segments: [.stream(BodyStream(stream, length: length))])
    }

    /// Whether a stream is in it, which cannot be sent again.
    package var isReadOnce: Bool { segments.contains { if case .stream = $0 { true } else { false } } }

    package init(segments: [Segment]) {
        self.segments = segments
        var total: Int64? = 0
        var flaw: String?
        for segment in segments {
            guard let length = segment.length else {
                total = nil
                continue
            }
            if length < 0 { flaw = "the length of its stream is \(length)" }
            guard let sum = total?.addingReportingOverflow(length) else { continue }
            if sum.overflow { flaw = flaw ?? "it is longer than \(Int64.max) bytes" }
            total = sum.overflow ? nil : sum.partialValue
        }
        length = flaw == nil ? total : nil
        self.flaw = flaw
    }

    /// Refuses a body whose length cannot be one. Nothing is sent.
    func checkLength() throws(Fault) {
        guard let flaw else { return }
        throw Fault(
            .encoding("the body"), reason: flaw, suggestion: "Leave the length out where it is not known")
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

extension HTTPBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length.
    public var description: String { length.map { "\($0) bytes" } ?? "a stream" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}
