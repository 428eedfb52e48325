public import HalyardFoundation

/// A request as it is sent. Interceptors can change it; a ``Transport`` sends it.
///
/// ```swift
/// var request = try HTTPRequest(.post, url, body: HTTPBody(data))
/// request.headers[.contentType] = "application/json"
/// ```
public struct HTTPRequest: Sendable {
    /// The request method.
    public var method: HTTPMethod {
        get { storage.fields.method }
        set { storage.unique.fields.method = newValue }
    }
    /// The absolute http or https URL. Use ``setURL(_:)`` to change it. Each read may take about a microsecond.
    public var url: URL { storage.fields.address.url }
    /// The text of ``url``.
    package var address: AbsoluteURL { storage.fields.address }
    /// The scheme, host and port of ``url``.
    public var origin: Origin { storage.fields.origin }
    /// The headers. You can set `Host` once. The engine sets `Content-Length`, `Transfer-Encoding` and the other
    /// headers that frame a message; they are rejected here.
    public var headers: HTTPHeaders {
        get { storage.fields.headers }
        _modify { yield &storage.unique.fields.headers }
    }
    /// The body; `nil` for none. A request with any method may have one.
    public var body: HTTPBody? {
        get { storage.fields.body }
        set { storage.unique.fields.body = newValue }
    }
    /// The destination of the response's body. Defaults to memory, up to 64 MiB.
    public var destination: Destination {
        get { storage.fields.destination }
        set {
            storage.unique.fields.destination = newValue
            storage.unique.fields.partialFile = nil
        }
    }
    /// The partial file of a resumable download, while the request is being sent.
    package var partialFile: PartialFile? {
        get { storage.fields.partialFile }
        set { storage.unique.fields.partialFile = newValue }
    }
    /// Whether the caller knows the digest of the file that receives the body.
    package var isHashed: Bool {
        get { storage.fields.isHashed }
        set { storage.unique.fields.isHashed = newValue }
    }
    /// The additional names of headers and parameters whose values are secrets. No log line, error or curl command
    /// shows these values.
    public var secretNames: Set<String> {
        get { storage.fields.secretNames }
        _modify { yield &storage.unique.fields.secretNames }
    }
    /// The path of the provider's base URL, which the patterns of stubs may omit. `nil` if there is none. Setting a URL
    /// with another origin removes it.
    package var basePath: String? {
        get { storage.fields.basePath }
        set { storage.unique.fields.basePath = newValue }
    }

    private struct Fields: Sendable {
        var method: HTTPMethod
        var address: AbsoluteURL
        var origin: Origin
        var headers: HTTPHeaders
        var body: HTTPBody?
        var destination: Destination
        var partialFile: PartialFile?
        var isHashed = false
        var secretNames: Set<String> = []
        var basePath: String?
    }

    private var storage: COWStorage<Fields>

    /// Makes a request with a URL whose origin is known.
    package init(
        _ method: HTTPMethod, _ address: AbsoluteURL, of origin: Origin, headers: HTTPHeaders, body: HTTPBody?,
        destination: Destination, secretNames: Set<String> = [], basePath: String? = nil
    ) {
        storage = COWStorage(
            Fields(
                method: method, address: address, origin: origin, headers: headers, body: body,
                destination: destination, secretNames: secretNames, basePath: basePath))
    }

    /// Changes the URL to one whose origin is known.
    package mutating func move(to address: AbsoluteURL, of origin: Origin) {
        if origin != self.origin { basePath = nil }
        storage.unique.fields.origin = origin
        storage.unique.fields.address = address
    }
}

extension HTTPRequest {
    /// The destination of a response's body.
    ///
    /// The body of a response that is not a 2xx always goes to memory. If the destination is a file or a stream, only
    /// its first 64 KiB are kept.
    public enum Destination: Sendable, Hashable {
        /// Memory. A body of more than `limit` bytes ends the request with ``HTTPError`` of kind `bodyTooLarge`.
        /// Defaults to 64 MiB.
        case memory(limit: Int = 64 << 20)
        /// A file. It is written under a temporary name next to its target. It replaces an existing file once it is
        /// complete and the response has been accepted. Missing directories are created.
        ///
        /// With `resuming`, an interrupted body is kept next to the file as `.NAME.halyard-part`, with a record in
        /// `.NAME.halyard-part.json`. The next request that downloads the same URL to the same file asks for the rest.
        /// See the article "Downloads".
        case file(URL, resuming: Bool = false)
        /// A stream. The response is returned once its headers have arrived. ``HTTPResponse/stream`` contains the body.
        case stream

        /// Whether it is one for large bodies: a file or a stream.
        package var isLarge: Bool { if case .memory = self { false } else { true } }
    }

    /// Checks the headers and the body's length. Every transport calls this before it sends a request.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidHeader` for a header that was rejected when it was set, for a header
    ///   that frames the message, which only the engine may set, and for a second `Host`; of kind `encoding` for a body
    ///   whose length is negative or more than 2^63 - 1 bytes.
    public func checkHeaders() throws(HTTPError) {
        do throws(HTTPError) { try checkFraming() } catch { throw error.adding(request: self) }
    }

    private func checkFraming() throws(HTTPError) {
        if let rejection = headers.rejection { throw rejection }
        var hosts = 0
        for field in headers {
            if field.name.isFraming {
                throw HTTPError(
                    .invalidHeader(field.name.rawValue), reason: "the engine sets it",
                    suggestion: "Leave it out")
            }
            if field.name.rawValue.utf8.count == 4, field.name.matches("Host") { hosts += 1 }
        }
        // Servers disagree about which of two counts (RFC 9112 section 3.2).
        if hosts > 1 { throw HTTPError(.invalidHeader("Host"), reason: "there is more than one") }
        try body?.checkLength()
    }
}

extension HTTPHeaders.Name {
    /// Whether the field frames the message or controls the connection (RFC 9110 section 7.6.1, RFC 9112 section 6).
    /// The length is compared first, because every field of every request is checked.
    fileprivate var isFraming: Bool {
        switch rawValue.utf8.count {
        case 2: matches("TE")
        case 6: matches("Expect")
        case 7: matches("Trailer") || matches("Upgrade")
        case 10: matches("Connection") || matches("Keep-Alive")
        case 14: matches("Content-Length")
        case 16: matches("Proxy-Connection")
        case 17: matches("Transfer-Encoding")
        default: false
        }
    }
}

extension HTTPRequest {
    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: An absolute http or https URL.
    ///   - destination: The destination of the response's body. Defaults to memory, up to 64 MiB.
    /// - Throws: ``HTTPError`` of kind `invalidURL` if `url` is not an absolute http or https URL, contains
    ///   credentials, or is ambiguous.
    public init(
        _ method: HTTPMethod,
        _ url: URL,
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        destination: Destination = .memory()
    ) throws(HTTPError) {
        let address = AbsoluteURL(url)
        self.init(
            method, address, of: try Origin(ofURL: address.text), headers: headers, body: body,
            destination: destination)
    }

    /// Changes the URL.
    ///
    /// - Parameter url: An absolute http or https URL.
    /// - Throws: ``HTTPError`` of kind `invalidURL`. The request is then unchanged.
    public mutating func setURL(_ url: URL) throws(HTTPError) {
        let address = AbsoluteURL(url)
        move(to: address, of: try Origin(ofURL: address.text))
    }
}
