import CHalyardCurl
import HalyardHTTP

/// A body in gzip or deflate on its way to plain bytes, with what libcurl leaves out: whether it was whole.
struct Inflater {
    /// The header line that offers what is understood here.
    static let offer = "Accept-Encoding: gzip, deflate"

    private static let flaw: String? = halyard_inflate_load("libz.so.1").map { String(cString: $0) }

    /// Looks for zlib, once in a process.
    static func load() { _ = flaw }

    /// Whether this machine has zlib; where it has not, nothing is offered.
    static var isAvailable: Bool { flaw == nil }

    private enum Coding { case gzip, deflate }

    private let coding: Coding
    private var stream: UnsafeMutableRawPointer?
    /// One stream has ended: all is well if nothing follows, or another of them.
    private var isWhole = false

    /// `nil` where there is nothing to undo.
    ///
    /// - Parameter codings: those of the body.
    /// - Throws: ``HTTPError`` of kind `unsupportedCoding` for one that was not offered.
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

    /// Reads from `bytes`, writes to `room`. Returns how many of each. While it fills the room it may have more to give,
    /// without reading on.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidResponse` when the bytes are no such stream.
    mutating func inflate(
        _ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws(HTTPError) -> (taken: Int, given: Int) {
        if bytes.isEmpty && (isWhole || stream == nil) { return (0, 0) }
        if isWhole {
            // gzip may be several streams in a row (RFC 1952 section 2.2). Anything else has no business here.
            guard coding == .gzip, bytes[0] == 0x1F else { throw corrupt("something follows its end") }
            halyard_inflate_again(stream)
            isWhole = false
        }
        if stream == nil { stream = halyard_inflate_begin(format(of: bytes[0])) }
        guard let stream else { throw HTTPError(.engineUnavailable, reason: "out of memory") }
        var (taken, given) = (bytes.count, room.count)
        switch halyard_inflate(stream, bytes.baseAddress, &taken, room.baseAddress, &given) {
        case HALYARD_INFLATE_CORRUPT: throw corrupt("it is corrupt")
        case HALYARD_INFLATE_DONE: isWhole = true
        default: break
        }
        return (taken, given)
    }

    /// Checks, when no more comes, that all was there.
    func finish() throws(HTTPError) {
        guard isWhole || stream == nil else { throw corrupt("it was cut short") }
    }

    func free() { halyard_inflate_end(stream) }

    /// "deflate" is zlib's format by the standard, and raw deflate by many servers: the low bits of zlib's first byte
    /// are 8 (RFC 1950 section 2.2), which a raw stream can only begin with in a block that nobody writes.
    private func format(of first: UInt8) -> halyard_inflate_format {
        if coding == .gzip { return HALYARD_INFLATE_GZIP }
        return first & 0x0F == 8 ? HALYARD_INFLATE_ZLIB : HALYARD_INFLATE_RAW
    }

    private func corrupt(_ flaw: String) -> HTTPError {
        HTTPError(.invalidResponse, reason: "its body is sent as \(coding), but \(flaw)")
    }
}
