public import HalyardFoundation
import HalyardHAR
public import Halyard
public import HalyardHTTP

/// A request that a ``LoopbackServer`` or a ``StubTransport`` has received.
///
/// ```swift
/// server.on(.put, "/user/{id}") { request in
///     .json(["id": request.pathParameters["id"], "said": request.text])
/// }
/// #expect(server.requests.first?.headers["Accept-Language"] == "en")
/// ```
public struct RecordedRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The origin of the URL: scheme, host and port; `nil` in a server, where ``headers`` contain `Host`.
    public internal(set) var origin: Origin?
    /// The request target as it was sent, such as `/user/a%2Fb?x=1`.
    public let target: String
    /// The part of ``target`` before `?`, percent-encoded.
    public let path: String
    /// The part of ``target`` after `?`, percent-encoded; `nil` if there is no `?`.
    public let query: String?
    /// The headers. For a stub, these are the request's headers. For a server, they also include `Host` and the headers
    /// that the engine adds.
    public let headers: HTTPHeaders
    /// The body, with its chunks joined. Empty if there is none.
    public let body: Data
    /// The values of the pattern's placeholders, percent-decoded. Empty if no pattern matched.
    public internal(set) var pathParameters: [String: String] = [:]
    /// The stub that matched, as its method and pattern. `nil` if none did.
    package internal(set) var stub: String?
    /// The number of the server's connection, counted from 0 in the order of acceptance. 0 in a stub.
    public let connection: Int

    init(method: HTTPMethod, target: String, headers: HTTPHeaders, body: Data, connection: Int = 0) {
        self.method = method
        self.target = target
        (path, query) = Self.split(target)
        self.headers = headers
        self.body = body
        self.connection = connection
    }
}

extension RecordedRequest {
    /// The body as UTF-8. Invalid bytes become U+FFFD.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the body as JSON.
    ///
    /// - Throws: `JSON.ParseError` with line and column; `emptyInput` if there is no body.
    public func json() throws(JSON.ParseError) -> JSON { try JSON(parsing: body) }

    /// The names and values of the query, percent-decoded, in order. A name without `=` has an empty value. `+` is not
    /// decoded.
    public var queryItems: [(name: String, value: String)] { (query ?? "").queryItems(plusIsSpace: false) }

    /// Returns the first query value with a name, percent-decoded. For all values, see ``queryItems``.
    ///
    /// ```swift
    /// #expect(stub.requests[0].queryValue("page") == "2")
    /// ```
    public func queryValue(_ name: String) -> String? { queryItems.first { $0.name == name }?.value }

    /// Splits a target: `/path?query`, or the absolute form that proxies receive (RFC 9112 section 3.2).
    private static func split(_ target: String) -> (path: String, query: String?) {
        let local = target.utf8.first == UInt8(ascii: "/") ? target[...] : withoutOrigin(target)
        guard let mark = local.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (String(local), nil) }
        let path = local[..<mark]
        return (path.isEmpty ? "/" : String(path), String(local[local.utf8.index(after: mark)...]))
    }

    static func withoutOrigin(_ target: String) -> Substring {
        guard let separator = target.firstRange(ofASCII: "://") else { return target[...] }
        let rest = target[separator.upperBound...].drop { $0 != "/" && $0 != "?" }
        return rest.isEmpty ? "/" : rest
    }
}

extension RecordedRequest: CustomStringConvertible {
    /// The method, the target, the names of the headers, and the length of the body. Secrets in the target and the
    /// values of headers are omitted.
    public var description: String {
        "\(method) \(Redaction().url(target)) \(headers), \(body.count) \(body.count == 1 ? "byte" : "bytes")"
    }
}

extension StringProtocol {
    /// The text, percent-decoded as UTF-8. A `%` without two hexadecimal digits is kept.
    var percentDecoded: String { String(decoding: utf8.percentDecoded(), as: UTF8.self) }
}
