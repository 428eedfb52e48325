import CHalyardCurl
import HalyardHTTP

/// Decompresses a body.
///
/// libcurl could decompress bodies. But libcurl 7.88 accepts a compressed body that is cut short, and libcurl does not
/// report how many compressed bytes it has received.
struct BodyDecoder {
    private let coding: ContentCoding
    private var stream: UnsafeMutableRawPointer?
    /// Whether a compressed stream has ended. The body may end here, or continue with another one.
    private var isAtStreamEnd = false

    /// Makes a decoder.
    ///
    /// - Returns: `nil` for a body without coding.
    /// - Throws: ``HTTPError`` of kind `unsupportedCoding` for a coding that was not offered.
    init?(_ codings: [String]) throws(HTTPError) {
        guard let first = codings.first else { return nil }
        guard codings.count == 1, let coding = ContentCoding(name: first) else {
            throw HTTPError(
                .unsupportedCoding(codings.joined(separator: ", ")), reason: "\(ContentCoding.names) were offered")
        }
        self.coding = coding
    }

    /// Decompresses bytes into a buffer.
    ///
    /// - Parameters:
    ///   - bytes: Compressed bytes. May be empty, to get output that did not fit before.
    ///   - buffer: Receives the decompressed bytes.
    /// - Returns: The number of bytes consumed and produced. If the buffer is full, there may be more output, even if
    ///   all input was consumed.
    /// - Throws: ``HTTPError`` of kind `invalidResponse` for bytes that are not in the announced coding.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
    ) throws(HTTPError) -> (consumed: Int, produced: Int) {
        if bytes.isEmpty && (isAtStreamEnd || stream == nil) { return (0, 0) }
        if isAtStreamEnd, let stream {
            guard coding.beginNext(stream, first: bytes[0]) else { throw corrupt("there are bytes after its end") }
            isAtStreamEnd = false
        }
        if stream == nil { stream = coding.makeStream(first: bytes[0]) }
        guard let stream else { throw HTTPError(.engineUnavailable, reason: "out of memory") }
        var (consumed, produced) = (bytes.count, buffer.count)
        switch coding.decode(stream, bytes.baseAddress, &consumed, buffer.baseAddress, &produced) {
        case HALYARD_INFLATE_CORRUPT: throw corrupt("it is corrupt")
        case HALYARD_INFLATE_DONE: isAtStreamEnd = true
        default: break
        }
        return (consumed, produced)
    }

    /// Checks at the end of the body that the compressed data is complete.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidResponse` for a body that was cut short.
    func finish() throws(HTTPError) {
        guard isAtStreamEnd || stream == nil else { throw corrupt("it was cut short") }
    }

    /// Frees the state of the library. Nothing else may be called afterwards.
    func free() {
        if let stream { coding.destroy(stream) }
    }

    private func corrupt(_ problem: String) -> HTTPError {
        HTTPError(.invalidResponse, reason: "its body is sent as \(coding), but \(problem)")
    }
}
