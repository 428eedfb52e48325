import CHalyardCurl
import HalyardHTTP

/// A content coding that the engine can decode (RFC 9110 section 8.4.1).
enum ContentCoding: String, CaseIterable {
    case gzip, deflate
    case brotli = "br"
    case zstd

    /// Makes a coding of the name in `Content-Encoding`, in lower case. `nil` for another one, or without its library.
    init?(name: String) {
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
        guard isAvailable else { return nil }
    }

    /// The codings of this machine. They are offered in this order.
    static let available = allCases.filter(\.isAvailable)

    /// The header line that offers them.
    static let acceptEncodingLine = "Accept-Encoding: " + names

    /// The names, for an error.
    static var names: String { available.map(\.rawValue).joined(separator: ", ") }

    /// Loads the libraries, unless they are loaded already.
    static func load() { _ = available }

    /// Whether the machine has the library. libcurl usually depends on all three, which are then loaded with it.
    private var isAvailable: Bool {
        switch self {
        case .gzip, .deflate: Self.hasZlib
        case .brotli: Self.hasBrotli
        case .zstd: Self.hasZstd
        }
    }

    private static let hasZlib = halyard_inflate_load("libz.so.1") == nil
    private static let hasBrotli = halyard_brotli_load("libbrotlidec.so.1") == nil
    private static let hasZstd = halyard_zstd_load("libzstd.so.1") == nil
}

extension ContentCoding {
    /// Makes the state of a decoder. `first` is the first byte of the body. Returns the state. `nil` if there is not
    /// enough memory.
    func makeStream(first: UInt8) -> UnsafeMutableRawPointer? {
        switch self {
        case .gzip: halyard_inflate_create(HALYARD_INFLATE_GZIP)
        // By the standard "deflate" means zlib's format, but many servers send raw deflate. In zlib's format the low four
        // bits of the first byte are 8 (RFC 1950 section 2.2). A raw stream begins so only with a kind of block that no
        // encoder writes first.
        case .deflate: halyard_inflate_create(first & 0x0F == 8 ? HALYARD_INFLATE_ZLIB : HALYARD_INFLATE_RAW)
        case .brotli: halyard_brotli_create()
        case .zstd: halyard_zstd_create()
        }
    }

    /// Decodes bytes. The signature is that of the C functions.
    func decode(
        _ stream: UnsafeMutableRawPointer, _ bytes: UnsafeRawPointer?, _ consumed: inout Int,
        _ buffer: UnsafeMutableRawPointer?, _ produced: inout Int
    ) -> halyard_inflate_result {
        switch self {
        case .gzip, .deflate: halyard_inflate(stream, bytes, &consumed, buffer, &produced)
        case .brotli: halyard_brotli_decode(stream, bytes, &consumed, buffer, &produced)
        case .zstd: halyard_zstd_decode(stream, bytes, &consumed, buffer, &produced)
        }
    }

    /// Prepares the state for another compressed stream after the end of one, if the format allows it. Returns whether
    /// a stream may begin with this byte.
    func beginNext(_ stream: UnsafeMutableRawPointer, first: UInt8) -> Bool {
        switch self {
        case .gzip:
            // A body may consist of several members (RFC 1952 section 2.2).
            guard first == 0x1F else { return false }
            halyard_inflate_reset(stream)
            return true
        case .zstd: return true  // Several frames are a body (RFC 8878 section 3). Other bytes are corrupt.
        case .deflate, .brotli: return false
        }
    }

    func destroy(_ stream: UnsafeMutableRawPointer) {
        switch self {
        case .gzip, .deflate: halyard_inflate_destroy(stream)
        case .brotli: halyard_brotli_destroy(stream)
        case .zstd: halyard_zstd_destroy(stream)
        }
    }
}

/// Decompresses a body.
///
/// libcurl could decompress bodies. But libcurl 7.88 accepts a compressed body that is cut short, and libcurl does not
/// report how many compressed bytes it has received.
struct BodyDecoder {
    private let coding: ContentCoding
    private var stream: UnsafeMutableRawPointer?
    /// Whether a compressed stream has ended. The body may end here, or continue with another one.
    private var isAtStreamEnd = false

    /// Makes a decoder. `nil` for a body without coding. Throws ``HTTPError`` of kind `unsupportedCoding` for a coding
    /// that was not offered.
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

    /// Checks at the end of the body that the compressed data is complete. Throws ``HTTPError`` of kind
    /// `invalidResponse` for a body that was cut short.
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
