#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The body of a request.
public struct HTTPBody: Sendable {
    package let bytes: Data

    /// A body of bytes in memory. They are not copied.
    public init(_ bytes: Data) { self.bytes = bytes }

    /// How many bytes there are.
    public var length: Int { bytes.count }
}
