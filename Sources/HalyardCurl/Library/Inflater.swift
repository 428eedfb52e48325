import CHalyardCurl
import HalyardHTTP

/// Decompresses a body in gzip or deflate.
///
/// libcurl could decompress bodies. But libcurl 7.88 accepts a compressed body that is cut short, and libcurl does not
/// report how many compressed bytes it has received.
struct Inflater {
    /// The header line that offers the supported codings.
    static let acceptEncodingLine = "Accept-Encoding: gzip, deflate"

    private static let loadError: String? = halyard_inflate_load("libz.so.1").map { String(cString: $0) }

    /// Loads zlib, unless it is loaded already.
    static func load() { _ = loadError }

    /// Whether this machine has zlib. Without zlib the engine offers no coding.
    static var isAvailable: Bool { loadError == nil }

    private enum Coding { case gzip, deflate }

    private let coding: Coding
    private var stream: UnsafeMutableRawPointer?
    /// Whether a compressed stream has ended. The body may end here, or continue with another gzip member.
    private var isAtStreamEnd = false

    /// Makes a decompressor.
    ///
    /// - Parameter codings: The content codings of the body.
    /// - Returns: `nil` for a body without coding.
    /// - Throws: ``HTTPError`` of kind `unsupportedCoding` for a coding that was not offered.
    init?(_ codings: [String]) throws(HTTPError) {
        switch codings {
        case []: return nil
        case ["gzip"], ["x-gzip"]: coding = .gzip
        case ["deflate"]: coding = .deflate
        default:
            throw HTTPError(
                .unsupportedCoding(codings.joined(separator: ", ")), reason: "gzip and deflate were offered")
        }
    }

    /// Decompresses bytes into a buffer.
    ///
    /// - Parameters:
    ///   - bytes: Compressed bytes. May be empty, to get output that did not fit before.
    ///   - buffer: Receives the decompressed bytes.
    /// - Returns: The number of bytes consumed and produced. If the buffer is full, there may be more output, even if
    ///   all input was consumed.
    /// - Throws: ``HTTPError`` of kind `invalidResponse` for bytes that are not in the announced coding.
    mutating func inflate(
        _ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
    ) throws(HTTPError) -> (consumed: Int, produced: Int) {
        if bytes.isEmpty && (isAtStreamEnd || stream == nil) { return (0, 0) }
        if isAtStreamEnd {
            // A gzip body may consist of several members (RFC 1952 section 2.2). Other trailing bytes are an error.
            guard coding == .gzip, bytes[0] == 0x1F else { throw corrupt("there are bytes after its end") }
            halyard_inflate_reset(stream)
            isAtStreamEnd = false
        }
        if stream == nil { stream = halyard_inflate_create(format(of: bytes[0])) }
        guard let stream else { throw HTTPError(.engineUnavailable, reason: "out of memory") }
        var (consumed, produced) = (bytes.count, buffer.count)
        switch halyard_inflate(stream, bytes.baseAddress, &consumed, buffer.baseAddress, &produced) {
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

    /// Frees zlib's state. Nothing else may be called afterwards.
    func free() { halyard_inflate_destroy(stream) }

    /// Returns the format of a compressed stream by its first byte.
    ///
    /// By the standard "deflate" means zlib's format, but many servers send raw deflate. In zlib's format the low four
    /// bits of the first byte are 8 (RFC 1950 section 2.2). A raw stream begins so only with a kind of block that no
    /// encoder writes first.
    private func format(of first: UInt8) -> halyard_inflate_format {
        if coding == .gzip { return HALYARD_INFLATE_GZIP }
        return first & 0x0F == 8 ? HALYARD_INFLATE_ZLIB : HALYARD_INFLATE_RAW
    }

    private func corrupt(_ problem: String) -> HTTPError {
        HTTPError(.invalidResponse, reason: "its body is sent as \(coding), but \(problem)")
    }
}
