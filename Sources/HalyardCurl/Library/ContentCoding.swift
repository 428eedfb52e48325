import CHalyardCurl

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
    /// Makes the state of a decoder.
    ///
    /// - Parameter first: The first byte of the body.
    /// - Returns: The state. `nil` if there is not enough memory.
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

    /// Prepares the state for another compressed stream after the end of one, if the format allows it.
    ///
    /// - Returns: Whether a stream may begin with this byte.
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
