public import HalyardFoundation

/// A response: its status, headers and body.
///
/// ```swift
/// let response = try await api.request(.me).response()
/// print(response.status, response.headers["ETag"] ?? "none", response.text)
/// let user: User = try response.object()
/// ```
public struct HTTPResponse: Sendable {
    /// The status code (RFC 9110 section 15), 200...999. Interim responses (1xx) are in ``informational``.
    public var status: Int {
        get { storage.fields.status }
        set { storage.unique.fields.status = newValue }
    }
    /// The headers in their original order and spelling.
    public var headers: HTTPHeaders {
        get { storage.fields.headers }
        _modify { yield &storage.unique.fields.headers }
    }
    /// The body in memory. Empty if there is no body, or if the body went to ``file`` or ``stream``.
    public var data: Data {
        get { storage.fields.data }
        _modify { yield &storage.unique.fields.data }
    }
    /// The URL that the response came from. Each read may take about a microsecond.
    public var url: URL {
        get { storage.fields.address.url }
        set { storage.unique.fields.address = AbsoluteURL(newValue) }
    }
    /// The text of ``url``.
    package var address: AbsoluteURL { storage.fields.address }
    /// The headers that follow a chunked body (RFC 9110 section 6.5). For a stream, see ``Stream/trailers``.
    public var trailers: HTTPHeaders {
        get { storage.fields.trailers }
        set { storage.unique.fields.trailers = newValue }
    }
    /// The first 16 interim responses (1xx, RFC 9110 section 15.2), such as 103 Early Hints. They have no bodies.
    public var informational: [HTTPResponse] {
        get { storage.fields.informational }
        set { storage.unique.fields.informational = newValue }
    }
    /// The times and sizes of the transfer; for a stream, up to its head. `nil` if nothing was transferred, as with a
    /// stub.
    public var metrics: TransferMetrics? {
        get { storage.fields.metrics }
        set { storage.unique.fields.metrics = newValue }
    }
    /// The number of times that the request was sent, including redirects, retries, and sends with renewed credentials.
    public package(set) var sendCount: Int {
        get { storage.fields.sendCount }
        set { storage.unique.fields.sendCount = newValue }
    }
    /// The responses that redirected the request to this one, in order, without their bodies. Empty if there were none.
    public package(set) var redirects: [HTTPResponse] {
        get { storage.fields.redirects }
        set { storage.unique.fields.redirects = newValue }
    }
    /// The body as it arrives, if the request's destination is a stream.
    public package(set) var stream: Stream? {
        get { storage.fields.stream }
        set { storage.unique.fields.stream = newValue }
    }
    /// The file that receives the body, when the request's destination is a file.
    package var downloadFile: (any DownloadFile)? {
        get { storage.fields.downloadFile }
        set { storage.unique.fields.downloadFile = newValue }
    }
    /// What the stages of the pipeline note about the response.
    package var notes: Notes {
        get { storage.fields.notes }
        _modify { yield &storage.unique.fields.notes }
    }

    package struct Notes: Sendable {
        /// Whether a stub in the process made the response.
        package var isStub = false
        /// The request that was sent, for a response that is not a 2xx. A server may repeat its secrets, which errors
        /// must not show.
        package var sentRequest: HTTPRequest?
        /// Why a 401 was not answered with credentials, or why the request is not retried.
        package var failureReason: String?
        /// Why the body cannot be decoded, for a response that is not a 2xx. It is the cause of the status's error.
        package var bodyFailure: (any Error)?
        /// The provider's object mapper; `nil` for the standard one.
        package var mapper: (any AnyObject & Sendable)?
        /// What a cache did for the request, as the value of the module with the cache.
        package var cacheRecord: (any Sendable)?
    }

    private struct Fields: Sendable {
        var status: Int
        var headers: HTTPHeaders
        var data: Data
        var address: AbsoluteURL
        var trailers: HTTPHeaders = [:]
        var informational: [HTTPResponse] = []
        var metrics: TransferMetrics?
        var sendCount = 1
        var redirects: [HTTPResponse] = []
        var stream: Stream?
        var downloadFile: (any DownloadFile)?
        var notes = Notes()
    }

    private var storage: COWStorage<Fields>

    /// The file that contains the body, if the request's destination is a file. It is at its target once the response
    /// has been accepted.
    public var file: URL? { downloadFile?.target }

    /// Creates a response, for tests and interceptors.
    ///
    /// - Parameter url: The URL that the response came from.
    public init(status: Int, headers: HTTPHeaders = [:], data: Data = Data(), url: URL) {
        storage = COWStorage(Fields(status: status, headers: headers, data: data, address: AbsoluteURL(url)))
    }

    /// Makes a response without a body.
    package init(status: Int, headers: HTTPHeaders = [:], from address: AbsoluteURL) {
        storage = COWStorage(Fields(status: status, headers: headers, data: Data(), address: address))
    }

    /// Whether the status is a 2xx.
    public var isSuccessful: Bool { (200..<300).contains(status) }

    /// Returns the reason phrase of a status (RFC 9110 and the IANA registry), such as `"Not Found"` for 404; `nil` for
    /// an unknown status.
    public static func reasonPhrase(for status: Int) -> String? { reasonPhrases[status] }

    private static let reasonPhrases: [Int: String] = [
        200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
        205: "Reset Content", 206: "Partial Content", 207: "Multi-Status", 208: "Already Reported", 226: "IM Used",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        305: "Use Proxy", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed",
        413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
        417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content", 423: "Locked",
        424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 506: "Variant Also Negotiates",
        507: "Insufficient Storage", 508: "Loop Detected", 511: "Network Authentication Required",
    ]
}
