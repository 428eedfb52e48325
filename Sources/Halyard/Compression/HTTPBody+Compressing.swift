import HalyardFoundation
import HalyardHTTP

extension HTTPBody {
    /// Returns the body in the format gzip. `nil` if it is in memory and would not become smaller. Throws ``HTTPError``
    /// of kind `encoding` if zlib is missing.
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
        private var chunks: HTTPBody.Chunks
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

/// How the body of a request is compressed.
///
/// ```swift
/// static let report = Route(path: "/reports", method: .post, body: .file(log)).compressed()
/// let client = HTTPClient(configuration: .init(compression: .gzip))
/// ```
///
/// A compressed body has the header field `Content-Encoding` (RFC 9110 section 8.4). The server must support it: HTTP
/// has no way to ask in advance. A server that does not usually responds with 415.
///
/// - Data in memory is compressed when the request is built, and has a length. It is sent as it is if compression does
///   not make it smaller.
/// - A file, a form with a file, and a stream are compressed while they are sent, in constant memory. Their length is
///   then unknown, so that HTTP/1.1 sends them chunked.
/// - Compression does not affect whether a body can be sent again after a redirect, for a retry, or with new
///   credentials.
/// - A request that has a `Content-Encoding` of its own is sent as it is.
///
/// Interceptors, authenticators and ``HTTPBody/data()`` have the compressed bytes, and so sign what is sent. Upload
/// progress counts compressed bytes. Logs and curl commands show the body before its compression, without secrets.
public struct BodyCompression: Sendable, Equatable {
    private enum Coding { case identity, gzip }

    private let coding: Coding

    /// Bodies are sent as they are.
    public static let none = BodyCompression(coding: .identity)
    /// The content coding `gzip` (RFC 9110 section 8.4.1.3). It needs zlib, which is a part of most systems. Without
    /// zlib the request fails with ``HTTPError`` of kind `encoding`.
    public static let gzip = BodyCompression(coding: .gzip)
}

extension BodyCompression: CustomStringConvertible {
    /// The name of the coding: `gzip` or `none`.
    public var description: String { self == .gzip ? "gzip" : "none" }
}
