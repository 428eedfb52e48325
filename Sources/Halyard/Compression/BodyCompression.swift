/// How the body of a request is compressed.
///
/// ```swift
/// static let report = Route(path: "/reports", method: .post, body: .file(log)).compressed()
/// let client = HTTPClient(configuration: .init(compression: .gzip))
/// ```
///
/// A compressed body has the header field `Content-Encoding` (RFC 9110 section 8.4). The server must support it: HTTP
/// has no way to ask in advance. A server that does not usually responds with 415.
///
/// - Data in memory is compressed when the request is built, and has a length. It is sent as it is if compression does
///   not make it smaller.
/// - A file, a form with a file, and a stream are compressed while they are sent, in constant memory. Their length is
///   then unknown, so that HTTP/1.1 sends them chunked.
/// - Compression does not affect whether a body can be sent again after a redirect, for a retry, or with new
///   credentials.
/// - A request that has a `Content-Encoding` of its own is sent as it is.
///
/// Interceptors, authenticators and ``HTTPBody/data()`` have the compressed bytes, and so sign what is sent. Upload
/// progress counts compressed bytes. Logs and curl commands show the body before its compression, without secrets.
public struct BodyCompression: Sendable, Hashable {
    private enum Coding { case identity, gzip }

    private let coding: Coding

    /// Bodies are sent as they are.
    public static let none = BodyCompression(coding: .identity)
    /// The content coding `gzip` (RFC 9110 section 8.4.1.3). It needs zlib, which is a part of most systems. Without
    /// zlib the request fails with ``HTTPError`` of kind `encoding`.
    public static let gzip = BodyCompression(coding: .gzip)
}

extension BodyCompression: CustomStringConvertible {
    /// The name of the coding: `gzip` or `none`.
    public var description: String { self == .gzip ? "gzip" : "none" }
}
