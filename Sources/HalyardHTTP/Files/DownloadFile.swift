package import HalyardFoundation

/// The file that receives a response's body. It is renamed to ``target`` when the response is accepted.
package protocol DownloadFile: AnyObject, Sendable {
    /// The final URL of the file.
    var target: URL { get }
    /// The number of bytes of the body that were there before this response.
    var offset: Int64 { get }

    /// Appends bytes. An error has the kind `unwritableFile`.
    func write(_ bytes: UnsafeRawBufferPointer) throws(HTTPError)
    /// Renames the file to ``target``, and replaces an existing file. Later calls do nothing.
    func commit() throws(HTTPError)
    /// Removes the written bytes, unless it is at ``target`` or can be resumed.
    func discard()
    /// Ends a request whose file was not renamed to ``target``.
    ///
    /// - Parameter isRefused: Whether the body was not accepted. It is not resumed then.
    func end(isRefused: Bool)
}

extension DownloadFile {
    package var offset: Int64 { 0 }
    package func end(isRefused: Bool) { discard() }
}

/// How the file that receives a response's body is opened.
package struct DownloadFileOpening: Sendable {
    /// The number of bytes of the body that were there before this response.
    package let offset: Int64
    /// Whether a later request can continue an interrupted body.
    package let isResumable: Bool
    /// Opens the file. This waits for the disk.
    package let open: @Sendable () throws(HTTPError) -> any DownloadFile

    init(
        offset: Int64 = 0, isResumable: Bool = false, open: @escaping @Sendable () throws(HTTPError) -> any DownloadFile
    ) {
        (self.offset, self.isResumable, self.open) = (offset, isResumable, open)
    }
}
