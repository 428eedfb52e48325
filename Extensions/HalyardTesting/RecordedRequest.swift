public import HalyardFoundation
public import Halyard
import HalyardHTTP

/// A request as it arrived at a ``LoopbackServer`` or a ``StubTransport``.
///
/// ```swift
/// server.on(.put, "/user/{id}") { request in
///     .json(["id": request.pathParameters["id"], "said": request.text])
/// }
/// #expect(server.requests.first?.headers["Accept-Language"] == "en")
/// ```
public struct RecordedRequest: Sendable {
    /// The method, `GET`.
    public let method: String
    /// The request target as it stood on the wire, `/user/a%2Fb?x=1`.
    public let target: String
    /// What stands before `?` in ``target``, percent-encoded as it came.
    public let path: String
    /// What stands after `?` in ``target``, percent-encoded as it came; `nil` without a `?`.
    public let query: String?
    /// The header fields. A stub sees those of the request; a server also `Host` and whatever the engine adds.
    public let headers: HTTPHeaders
    /// The body, its chunks joined; empty when there is none.
    public let body: Data
    /// What the placeholders of the pattern stood for, percent-decoded; empty for a request that nothing matched.
    public internal(set) var pathParameters: [String: String] = [:]
    /// Which connection of the server it came over, counted from 0 in the order of acceptance; 0 in a stub.
    public let connection: Int

    init(method: String, target: String, headers: HTTPHeaders, body: Data, connection: Int = 0) {
        self.method = method
        self.target = target
        (path, query) = Self.split(target)
        self.headers = headers
        self.body = body
        self.connection = connection
    }
}

extension RecordedRequest {
    /// The body as UTF-8; bytes that are none become U+FFFD.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON.
    ///
    /// - Throws: `JSON.ParseError` with line and column; `emptyInput` where there is no body.
    public func json() throws(JSON.ParseError) -> JSON { try JSON(parsing: body) }

    /// The query's pairs, percent-decoded, in order; a name without `=` has an empty value. `+` stays `+`.
    public var queryItems: [(name: String, value: String)] {
        (query ?? "").split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (parts[0].percentDecoded, parts.count > 1 ? parts[1].percentDecoded : "")
        }
    }

    /// The first value of that name in the query, percent-decoded; `nil` where there is none. See ``queryItems`` for all.
    ///
    /// ```swift
    /// #expect(stub.requests[0].queryValue("page") == "2")
    /// ```
    public func queryValue(_ name: String) -> String? { queryValues(name).first }

    /// The values of that name in the query, percent-decoded, in order.
    public func queryValues(_ name: String) -> [String] { queryItems.filter { $0.name == name }.map(\.value) }

    /// Splits a target, be it `/path?query` or the absolute form that proxies get (RFC 9112 section 3.2).
    private static func split(_ target: String) -> (path: String, query: String?) {
        let local = target.utf8.first == UInt8(ascii: "/") ? target[...] : withoutOrigin(target)
        guard let mark = local.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (String(local), nil) }
        let path = local[..<mark]
        return (path.isEmpty ? "/" : String(path), String(local[local.utf8.index(after: mark)...]))
    }

    private static func withoutOrigin(_ target: String) -> Substring {
        guard let separator = target.firstRange(ofASCII: "://") else { return target[...] }
        let rest = target[separator.upperBound...].drop { $0 != "/" && $0 != "?" }
        return rest.isEmpty ? "/" : rest
    }
}

extension RecordedRequest: CustomStringConvertible {
    /// Method, target, the names of the header fields, and the length of the body. No secret of the target, and no value
    /// of a field.
    public var description: String {
        "\(method) \(Redaction().url(target)) \(headers), \(body.count) \(body.count == 1 ? "byte" : "bytes")"
    }
}

extension StringProtocol {
    /// Percent-decoded as UTF-8. A `%` without two hexadecimal digits is kept.
    var percentDecoded: String { String(decoding: utf8.percentDecoded(), as: UTF8.self) }
}
