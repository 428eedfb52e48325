public import HalyardFoundation

/// A request as it is sent. Interceptors change it, and a ``Transport`` sends it.
///
/// ```swift
/// var request = try HTTPRequest(.post, url, body: HTTPBody(data))
/// request.headers[.contentType] = "application/json"
/// ```
public struct HTTPRequest: Sendable {
    /// The method.
    public var method: HTTPMethod {
        get { storage.fields.method }
        set { storage.unique.fields.method = newValue }
    }
    /// The absolute http or https URL. ``setURL(_:)`` changes it. Each read may take about a microsecond.
    public var url: URL { storage.fields.address.url }
    /// The text of ``url``.
    package var address: AbsoluteURL { storage.fields.address }
    /// Scheme, host and port of ``url``.
    public var origin: Origin { storage.fields.origin }
    /// The header fields. `Host` may be set once. `Content-Length`, `Transfer-Encoding` and the other fields that frame
    /// a message are set by the engine and are refused here.
    public var headers: HTTPHeaders {
        get { storage.fields.headers }
        _modify { yield &storage.unique.fields.headers }
    }
    /// The body; `nil` for none. Every method may have one.
    public var body: HTTPBody? {
        get { storage.fields.body }
        set { storage.unique.fields.body = newValue }
    }
    /// Where the response's body goes. Defaults to memory, up to 64 MiB.
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
    /// Additional names of header fields and parameters whose values are secrets. No log line, error or curl command
    /// shows their values.
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
    /// Where a response's body goes.
    ///
    /// The body of a response that is not a 2xx always goes to memory. If the destination is a file or a stream, only
    /// its first 64 KiB are kept.
    public enum Destination: Sendable, Hashable {
        /// Memory. A body of more than `limit` bytes ends the request with ``HTTPError`` of kind `bodyTooLarge`. The limit
        /// defaults to 64 MiB.
        case memory(limit: Int = 64 << 20)
        /// A file. It is written under a temporary name beside its target, and replaces a file there when it is complete
        /// and the response was accepted. Missing folders are made.
        ///
        /// With `resuming`, an interrupted body is kept beside the file as `.NAME.halyard-part` with a record in
        /// `.NAME.halyard-part.json`. The next request for the same URL to the same file asks for the rest. See the
        /// article "Uploads with progress".
        case file(URL, resuming: Bool = false)
        /// A stream. The response is returned when its header fields have arrived. ``HTTPResponse/stream`` has the body.
        case stream
    }

    /// Checks the header fields and the body's length. Every transport calls it before it sends a request.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidHeader` for a field that was rejected when it was set, for a field that
    ///   frames the message, which is the engine's to set, and for a second `Host`; of kind `encoding` for a body whose
    ///   length is negative or beyond 2^63 - 1 bytes.
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
    /// Makes a request.
    ///
    /// - Parameters:
    ///   - url: An absolute http or https URL.
    ///   - destination: Where the response's body goes. Defaults to memory, up to 64 MiB.
    /// - Throws: ``HTTPError`` of kind `invalidURL` when `url` is not an absolute http or https URL, holds credentials,
    ///   or could be read in two ways.
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
    /// - Throws: ``HTTPError`` of kind `invalidURL`; the request is unchanged then.
    public mutating func setURL(_ url: URL) throws(HTTPError) {
        let address = AbsoluteURL(url)
        move(to: address, of: try Origin(ofURL: address.text))
    }
}
