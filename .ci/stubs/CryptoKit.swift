// Stands for Apple's CryptoKit, as far as the sources need it.
import Foundation

public struct SHA256Digest: Sequence, Sendable {
    public func makeIterator() -> IndexingIterator<[UInt8]> { [].makeIterator() }
}

public enum SHA256 {
    public static func hash(data: some DataProtocol) -> SHA256Digest { SHA256Digest() }
}
