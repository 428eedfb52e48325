#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A response: status, headers, body.
public struct HTTPResponse: Sendable {
    /// The status code (RFC 9110 section 15), 200...999: the 1xx that precede a response are not responses.
    public var status: Int {
        get { box.fields.status }
        set { box.own.fields.status = newValue }
    }
    /// The header fields, in the order and spelling in which they came.
    public var headers: HTTPHeaders {
        get { box.fields.headers }
        set { box.own.fields.headers = newValue }
        _modify { yield &box.own.fields.headers }
    }
    /// The body in memory; empty when there is none, or when it went to ``file`` or ``stream``, never missing.
    public var data: Data {
        get { box.fields.data }
        set { box.own.fields.data = newValue }
        _modify { yield &box.own.fields.data }
    }
    /// Where the response came from. It may be made each time that it is asked for, in about a microsecond.
    public var url: URL {
        get { box.fields.address.url }
        set { box.own.fields.address = AbsoluteURL(newValue) }
    }
    /// The text of ``url``, and what that is made of.
    package var address: AbsoluteURL { box.fields.address }
    /// The header fields that came after a chunked body (RFC 9110 section 6.5). For a stream see ``Stream/trailers``.
    public var trailers: HTTPHeaders {
        get { box.fields.trailers }
        set { box.own.fields.trailers = newValue }
    }
    /// The 1xx responses that came before this one, such as 103 Early Hints: the first 16, without bodies.
    public var informational: [Informational] {
        get { box.fields.informational }
        set { box.own.fields.informational = newValue }
    }
    /// What the transfer took. `nil` where nothing was transferred, as with a stub; for a stream up to its head.
    public var metrics: TransferMetrics? {
        get { box.fields.metrics }
        set { box.own.fields.metrics = newValue }
    }
    /// How often the request was handed to the engine, redirects and retries included.
    public package(set) var attempts: Int {
        get { box.fields.attempts }
        set { box.own.fields.attempts = newValue }
    }
    /// The redirects that led here, in order; none where the first answer was the last.
    public package(set) var redirects: [Redirection] {
        get { box.fields.redirects }
        set { box.own.fields.redirects = newValue }
    }
    /// The body while it is coming, where the request's destination was a stream.
    public package(set) var stream: Stream? {
        get { box.fields.stream }
        set { box.own.fields.stream = newValue }
    }
    package var sink: (any BodyFile)? {
        get { box.fields.sink }
        set { box.own.fields.sink = newValue }
    }
    /// Who answered, for advice to tell.
    package var source: Source {
        get { box.fields.source }
        set { box.own.fields.source = newValue }
    }
    /// What was sent for a response that is no 2xx: a server may repeat its secrets, which an error must not.
    package var sent: HTTPRequest? {
        get { box.fields.sent }
        set { box.own.fields.sent = newValue }
    }

    /// Why a 401 was not answered with credentials, in words.
    package var flaw: String? {
        get { box.fields.flaw }
        set { box.own.fields.flaw = newValue }
    }

    /// The mapper of the provider or the route that the response is for, as one reference; nil for the standard one,
    /// and for a response made by hand.
    package var mapper: (any AnyObject & Sendable)? {
        get { box.fields.mapper }
        set { box.own.fields.mapper = newValue }
    }

    private struct Fields: Sendable {
        var status: Int
        var headers: HTTPHeaders
        var data: Data
        var address: AbsoluteURL
        var trailers: HTTPHeaders = [:]
        var informational: [Informational] = []
        var metrics: TransferMetrics?
        var attempts = 1
        var redirects: [Redirection] = []
        var stream: Stream?
        var sink: (any BodyFile)?
        var source = Source.server
        var sent: HTTPRequest?
        var flaw: String?
        var mapper: (any AnyObject & Sendable)?
    }

    private var box: Box<Fields>

    /// Who can answer a request.
    package enum Source: Sendable {
        case server
        /// A table of stubs in the process.
        case stub
        /// Nobody: the client is dry, and the request has no answer of its own.
        case nobody
    }

    /// The file that holds the body, where the request's destination was one. It is in its place once the response was
    /// accepted.
    public var file: URL? { sink?.target }

    /// Makes a response, as a test or an interceptor does.
    public init(status: Int, headers: HTTPHeaders = [:], data: Data = Data(), url: URL) {
        box = Box(Fields(status: status, headers: headers, data: data, address: AbsoluteURL(url)))
    }

    /// Makes one that came from where a request went.
    package init(status: Int, headers: HTTPHeaders = [:], from address: AbsoluteURL) {
        box = Box(Fields(status: status, headers: headers, data: Data(), address: address))
    }

    /// One step of the way that redirects led.
    public struct Redirection: Sendable, Hashable {
        /// The status that sent the request on: 301, 302, 303, 307 or 308.
        public let status: Int
        /// Where the request was.
        public let from: URL
        /// Where it was sent next.
        public let to: URL

        /// Names of the request whose values are secrets.
        package let secretNames: Set<String>

        package init(status: Int, from: URL, to: URL, secretNames: Set<String> = []) {
            self.status = status
            self.from = from
            self.to = to
            self.secretNames = secretNames
        }
    }

    /// A 1xx response (RFC 9110 section 15.2).
    public struct Informational: Sendable {
        /// The status code, 100...199.
        public var status: Int
        /// The header fields.
        public var headers: HTTPHeaders

        /// Makes one, as a transport does.
        public init(status: Int, headers: HTTPHeaders) {
            self.status = status
            self.headers = headers
        }
    }

    /// Whether the status is a 2xx.
    public var isSuccessful: Bool { (200..<300).contains(status) }

    /// The words that RFC 9110 and the IANA registry give a status, `"Not Found"` for 404; nil for one unknown.
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

extension HTTPResponse.Informational: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status, and the names of the header fields.
    public var description: String { "\(status) \(headers)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}
