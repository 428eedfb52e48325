// A stub of Apple's CryptoKit, with the declarations that the sources need.
import Foundation

public struct SHA256Digest: Sequence, Sendable {
    public func makeIterator() -> IndexingIterator<[UInt8]> { [].makeIterator() }
}

public enum SHA256 {
    public static func hash(data: some DataProtocol) -> SHA256Digest { SHA256Digest() }
}
