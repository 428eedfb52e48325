import CHalyardZlib
import HalyardFoundation
import HalyardHTTP

/// Compresses bytes into the format gzip (RFC 1952).
final class Deflater {
    /// The name of zlib on Linux and Android. On Apple's systems it is linked.
    #if os(Android)
        static let libraryName = "libz.so"
    #else
        static let libraryName = "libz.so.1"
    #endif

    private static let loadError = problem(ofLoading: libraryName)

    private let stream: UnsafeMutableRawPointer
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// Begins a stream. Throws ``HTTPError`` of kind `encoding` if zlib is missing.
    init() throws(HTTPError) {
        if let error = Self.loadError { throw error }
        guard let stream = halyard_deflate_create() else {
            throw HTTPError(.encoding("the body"), reason: "out of memory")
        }
        self.stream = stream
    }

    deinit {
        halyard_deflate_destroy(stream)
        room.deallocate()
    }

    /// Loads zlib. Returns the error of a library that is missing.
    static func problem(ofLoading name: String) -> HTTPError? {
        halyard_deflate_load(name).map {
            HTTPError(
                .encoding("the body"), reason: "gzip needs zlib, which cannot be loaded: \(String(cString: $0))",
                suggestion:
                    "Install zlib, as with `apt-get install zlib1g`, or link it with the package trait LinkedCurl."
                    + " Without it, send the body with .compressed(.none)")
        }
    }

    /// Compresses the next bytes. Returns the output so far, which may be empty, unless the bytes are the last ones.
    func compress(_ bytes: Data, isLast: Bool) throws(HTTPError) -> Data {
        var (rest, output) = (bytes, Data())
        while true {
            var (consumed, produced) = (rest.count, room.count)
            let result = rest.withUnsafeBytes {
                halyard_deflate(stream, $0.baseAddress, &consumed, room.baseAddress, &produced, isLast ? 1 : 0)
            }
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: room.prefix(produced)))
            rest = rest.dropFirst(consumed)
            switch result {
            case HALYARD_DEFLATE_DONE: return output
            case HALYARD_DEFLATE_FAILED: throw HTTPError(.encoding("the body"), reason: "zlib cannot compress it")
            // With room left in the buffer, zlib has no more output.
            default: if !isLast, rest.isEmpty, produced < room.count { return output }
            }
        }
    }
}
