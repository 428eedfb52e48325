/// Receives libcurl's callbacks for one transfer.
///
/// libcurl makes these calls while it works on the transfer, on the thread that owns the event loop, one at a time.
protocol EasyHandleDelegate: AnyObject {
    /// The number of the transfer.
    var id: UInt64 { get }

    /// Whether the connection may be HTTP/2, on which a server may send at any time. `true` while this is not known.
    var mayBeMultiplexed: Bool { get }

    /// Inspects a remark of libcurl's. It is called only while verbose mode is on.
    func inspect(remark: UnsafeRawBufferPointer)

    /// Inspects a header line before libcurl parses it. It is called only while verbose mode is on.
    func inspect(headerLine line: UnsafeMutableRawBufferPointer)

    /// Receives a status line, a header field, or the empty line at the end. Trailers may arrive several at a time.
    func receive(headerLine line: UnsafeRawBufferPointer) -> CallbackResult

    /// Receives bytes of the response's body. After `pause` libcurl delivers the same bytes again.
    func receive(body bytes: UnsafeRawBufferPointer) -> CallbackResult

    /// Writes the next bytes of the request's body into a buffer.
    ///
    /// - Returns: The number of bytes, and the result. No bytes and `proceed` mean the end of the body.
    func supplyBody(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, result: CallbackResult)

    /// Moves back in the request's body, to send it again from there.
    func rewind(to offset: Int64) -> Bool

    /// Decides whether the request may be sent over a connection that is ready.
    func shouldSend(toAddress address: UnsafePointer<CChar>?, port: CInt, localPort: CInt) -> Bool
}

/// The result of a libcurl callback.
enum CallbackResult { case proceed, pause, abort }
