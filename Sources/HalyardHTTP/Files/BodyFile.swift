#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A file that a response's body goes to, until it is in its place.
package protocol BodyFile: AnyObject, Sendable {
    /// Its place.
    var target: URL { get }
    /// How much of the body was there before this response.
    var offset: Int64 { get }

    /// Appends bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(Fault)
    /// Puts the file into its place, instead of one that stands there. Later calls do nothing.
    func moveIntoPlace() throws(Fault)
    /// Removes what was written, unless it is in its place, or may be resumed.
    func discard()
    /// The request is over, and it was not committed.
    ///
    /// - Parameter isRefused: whether the body is not what was wanted: then it is not resumed either.
    func end(isRefused: Bool)
}

extension BodyFile {
    package var offset: Int64 { 0 }
    package func end(isRefused: Bool) { discard() }
}

/// How a file is opened that a response's body goes to.
package struct BodyFileOpening: Sendable {
    /// How much of the body was there before this response.
    package let offset: Int64
    /// Whether a later request can go on where this one breaks off.
    package let isResumable: Bool
    /// Opens it. This waits for the disk.
    package let open: @Sendable () throws(Fault) -> any BodyFile

    init(offset: Int64 = 0, isResumable: Bool = false, open: @escaping @Sendable () throws(Fault) -> any BodyFile) {
        (self.offset, self.isResumable, self.open) = (offset, isResumable, open)
    }
}
