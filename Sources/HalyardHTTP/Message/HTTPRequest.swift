#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A request as it goes on the wire: what `RequestBuilder` makes, interceptors change and a ``Transport`` sends.
///
/// ```swift
/// var request = try HTTPRequest(.post, url, body: HTTPBody(data))
/// request.headers[.contentType] = "application/json"
/// ```
public struct HTTPRequest: Sendable {
    /// The method.
    public var method: HTTPMethod {
        get { box.fields.method }
        set { box.own.fields.method = newValue }
    }
    /// The absolute URL, http or https. Change it with ``setURL(_:)``. It may be made each time that it is asked for, in
    /// about a microsecond.
    public var url: URL { box.fields.address.url }
    /// The text of ``url``, and what that is made of.
    package var address: AbsoluteURL { box.fields.address }
    /// Scheme, host and port of ``url``.
    public var origin: Origin { box.fields.origin }
    /// The header fields. `Host` may be given, once; `Content-Length`, `Transfer-Encoding` and the other fields that
    /// frame a message belong to the engine and are refused.
    public var headers: HTTPHeaders {
        get { box.fields.headers }
        set { box.own.fields.headers = newValue }
        _modify { yield &box.own.fields.headers }
    }
    /// The body, if any. Any method may have one.
    public var body: HTTPBody? {
        get { box.fields.body }
        set { box.own.fields.body = newValue }
    }
    /// Where the response's body goes. The default is memory, up to 64 MiB.
    public var destination: Destination {
        get { box.fields.destination }
        set { box.own.fields.destination = newValue }
    }
    /// Names of header fields and parameters whose values are secrets, beside those that are well known: no log line,
    /// error or curl line shows them. A provider's `secretNames` come here.
    public var secretNames: Set<String> {
        get { box.fields.secretNames }
        set { box.own.fields.secretNames = newValue }
        _modify { yield &box.own.fields.secretNames }
    }
    /// The path of the provider's base URL, where the request is of its origin: a stub's patterns may leave it out.
    package var basePath: String? {
        get { box.fields.basePath }
        set { box.own.fields.basePath = newValue }
    }
    /// What is there already of a body that may be resumed, while the request is on its way.
    package var part: PartFile? {
        get { box.fields.part }
        set { box.own.fields.part = newValue }
    }

    private struct Fields: Sendable {
        var method: HTTPMethod
        var address: AbsoluteURL
        var origin: Origin
        var headers: HTTPHeaders
        var body: HTTPBody?
        var destination: Destination
        var secretNames: Set<String> = []
        var basePath: String?
        var part: PartFile?
    }

    private var box: Box<Fields>

    /// Makes a request whose URL was read already.
    package init(
        _ method: HTTPMethod, _ address: AbsoluteURL, of origin: Origin, headers: HTTPHeaders, body: HTTPBody?,
        destination: Destination, secretNames: Set<String> = [], basePath: String? = nil
    ) {
        box = Box(
            Fields(
                method: method, address: address, origin: origin, headers: headers, body: body,
                destination: destination, secretNames: secretNames, basePath: basePath))
    }

    /// Changes the URL to one that was read already.
    package mutating func move(to address: AbsoluteURL, of origin: Origin) {
        box.own.fields.origin = origin
        box.own.fields.address = address
        basePath = nil
    }
}

extension HTTPRequest {
    /// Where a response's body is put.
    ///
    /// A response that is no 2xx goes to memory whatever is said here, and then the first 64 KiB of it are kept: enough
    /// to tell what went wrong.
    public struct Destination: Sendable, Hashable {
        package enum Place: Sendable, Hashable {
            case memory(limit: Int)
            case file(URL, isResuming: Bool)
            case stream
        }

        package let place: Place

        /// Memory. A body of more than `limit` bytes ends the transfer with ``HTTPError`` of kind `bodyTooLarge`.
        ///
        /// - Parameter limit: bytes; 64 MiB unless given.
        public static func memory(limit: Int = 64 << 20) -> Destination {
            Destination(place: .memory(limit: max(0, limit)))
        }

        /// A file, written under a temporary name beside it, and renamed into its place when all of it is there and
        /// the response was accepted: a file that stands there before is replaced then, or not at all.
        ///
        /// With `resuming` a body that breaks off is kept beside the file, as `.NAME.halyard-part` with a record in
        /// `.NAME.halyard-part.json`, and the next request of a client for the same URL to the same file asks for the
        /// rest. See the article "Uploads with progress".
        ///
        /// - Parameter resuming: whether to go on where an earlier request broke off. False unless given.
        public static func file(_ url: URL, resuming: Bool = false) -> Destination {
            Destination(place: .file(url, isResuming: resuming))
        }

        /// A stream: the response comes as soon as its headers have, and ``HTTPResponse/stream`` gives the body.
        public static let stream = Destination(place: .stream)
    }

    /// Checks that the headers agree with the framing of the body.
    func checkFraming() throws(Fault) {
        if let rejection = headers.rejection { throw Fault(rejection.kind, reason: rejection.reason) }
        var hosts = 0
        for field in headers {
            if field.name.isFraming {
                throw Fault(
                    .invalidHeader(field.name.rawValue), reason: "the engine sets it itself",
                    suggestion: "Leave it out")
            }
            if field.name.rawValue.utf8.count == 4, field.name.matches("Host") { hosts += 1 }
        }
        // Servers disagree about which of two counts (RFC 9112 section 3.2).
        if hosts > 1 { throw Fault(.invalidHeader("Host"), reason: "there is more than one") }
        try body?.checkLength()
    }
}

extension HTTPHeaders.Name {
    /// Whether the field frames the message or rules the connection (RFC 9110 section 7.6.1, RFC 9112 section 6). By length
    /// first: every field of every request is asked.
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
