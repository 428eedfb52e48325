package import HalyardFoundation
import HalyardSystem

/// The SHA-256 of a file that is written from its start to its end.
struct RunningDigest: Sendable {
    private var digest = SHA256Digest()
    /// The number of bytes that it includes.
    private var length: Int64 = 0

    /// The 32 bytes of the digest.
    var value: Data { digest.finish() }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        digest.update(bytes)
        length += Int64(bytes.count)
    }

    /// Returns the digest of the first bytes of a file. It reads them, unless it is their digest already. Throws
    /// ``HTTPError`` of kind `unreadableFile`.
    func reaching(_ end: Int64, of path: String) throws(HTTPError) -> RunningDigest {
        if length == end { return self }
        var new = RunningDigest()
        let file = try FileSource(URL(filePath: path), bytes: 0..<end)
        try file.forEachPiece { new.add($0) }
        return new
    }
}

extension SHA256Digest {
    /// Returns the digest of a file, which is read in pieces. Throws ``HTTPError`` of kind `unreadableFile`.
    package static func hash(ofFileAt path: String) throws(HTTPError) -> Data {
        var digest = SHA256Digest()
        try FileSource(URL(filePath: path)).forEachPiece { digest.update($0) }
        return digest.finish()
    }

    /// Reads a digest of 64 hexadecimal digits, such as a publisher of files shows it. Throws ``HTTPError`` of kind
    /// `configuration`.
    package static func parse(_ text: String) throws(HTTPError) -> Data {
        let digits = text.utf8.compactMap(\.hexValue)
        guard digits.count == 64, text.utf8.count == 64 else {
            throw HTTPError(
                .configuration("sha256"), reason: "\(text.quoted) is not a SHA-256, which has 64 hexadecimal digits",
                suggestion: "Give the digest as `sha256sum` prints it, without the name of the file")
        }
        return Data(stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }
}

extension HTTPHeaders {
    /// The SHA-256 of the whole file that a response states as `Repr-Digest` (RFC 9530). `nil` if it states none, and
    /// for a compressed body: its digest is that of the compressed bytes.
    package var fileDigest: Data? {
        guard contains("Repr-Digest"), contentCodings.isEmpty,
            let digest = (try? structuredDictionary("Repr-Digest"))?["sha-256"]?.value?.bytes, digest.count == 32
        else { return nil }
        return digest
    }
}

extension HTTPError {
    /// Compares the digests of a file. Throws an error of kind `digestMismatch`.
    package static func require(_ expected: Data, _ actual: Data) throws(HTTPError) {
        guard actual != expected else { return }
        throw HTTPError(.digestMismatch(expected: expected.hexadecimal, actual: actual.hexadecimal))
    }
}

extension FileSource {
    /// Reads all bytes in pieces of 256 KiB. Throws ``HTTPError`` of kind `unreadableFile`.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) -> Void) throws(HTTPError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while offset < length {
            let count = try read(at: offset, into: buffer)
            body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
    }
}
