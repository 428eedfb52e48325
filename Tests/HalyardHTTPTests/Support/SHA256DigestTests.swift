import CHalyardZlib
import Foundation
import HalyardHTTP
import TestSupport
import Testing

/// The digest with and without the processor's instructions. The published values are in the tests of digest
/// authentication.
@Suite(.serialized)
struct SHA256DigestTests {
    @Test("every length has the same digest in one part and in several, with and without instructions")
    func parts() {
        var random = Seeded(7)
        let bytes = Data((0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) })
        defer { _ = halyard_sha256_use_instructions(1) }
        for count in Array(0..<200) + [1000, 4096, 5000] {
            let digests = [Int32(0), 1].map { uses in
                _ = halyard_sha256_use_instructions(uses)
                return SHA256Digest.hash(bytes.prefix(count))
            }
            var (digest, rest) = (SHA256Digest(), bytes.prefix(count))
            while !rest.isEmpty {
                let part = rest.prefix(Int.random(in: 0...150, using: &random))
                digest.update(part)
                rest = rest.dropFirst(part.count)
            }
            #expect(digests[0] == digests[1] && digest.finish() == digests[0], "\(count) bytes")
            // The digest so far does not end it.
            digest.update(Data([1]))
            #expect(digest.finish() == SHA256Digest.hash(bytes.prefix(count) + [1]))
        }
    }
}
