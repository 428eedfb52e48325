public import HalyardFoundation
public import HalyardHTTP

/// A body that a route gives itself, instead of having its parameters written as one. The parameters then go to the
/// query, whatever their encoding.
///
/// ```swift
/// Route(path: "/notes/7", method: .put, body: .text("remember"))
/// Route(path: "/dump", method: .post, params: ["id": 7], body: .file(url))       // POST /dump?id=7
/// ```
///
/// Each says a Content-Type, unless the route's headers give another.
public struct RouteBody: Sendable {
    /// What goes on the wire.
    package typealias Made = (body: HTTPBody, contentType: String)

    /// Makes it when the request is built, off the caller's thread; nil where there is none after all.
    package let make: @Sendable (Codec) throws -> Made?

    /// A body of a type of one's own: what `make` throws is the request's error.
    public init(contentType: String, _ make: @escaping @Sendable () throws -> HTTPBody) {
        self.init { _ in (try make(), contentType) }
    }

    package init(_ make: @escaping @Sendable (Codec) throws -> Made?) {
        self.make = make
    }

    /// Bytes.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> RouteBody {
        RouteBody(contentType: contentType) { HTTPBody(data) }
    }

    /// Text, in UTF-8.
    public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> RouteBody {
        RouteBody(contentType: contentType) { HTTPBody(Data(text.utf8)) }
    }

    /// A JSON value. One that is nested more than 512 levels deep is the request's error: its reader would refuse it.
    public static func json(_ json: JSON) -> RouteBody {
        RouteBody(contentType: "application/json") {
            guard !json.isDeeper(than: 512) else {
                throw HTTPError(.encoding("the body"), reason: "it is nested more than 512 levels deep")
            }
            return HTTPBody(json.encoded())
        }
    }

    /// Pairs as `application/x-www-form-urlencoded`, just as they stand: in order, duplicates and empty names kept.
    public static func form(_ pairs: KeyValuePairs<String, String>) -> RouteBody {
        let bytes = QueryEncoder.encode(pairs: pairs)
        return RouteBody(contentType: "application/x-www-form-urlencoded") { HTTPBody(Data(bytes)) }
    }

    /// A multipart form, as a route's `multipart` is sent.
    public static func multipart(_ form: Multipart) -> RouteBody {
        RouteBody { _ in form.parts.isEmpty ? nil : try MultipartEncoder.encode(form) }
    }

    /// Parameters as `application/x-www-form-urlencoded`.
    package static func form(params: Parameters) -> RouteBody {
        RouteBody { _ in (HTTPBody(Data(try QueryEncoder.encode(params))), "application/x-www-form-urlencoded") }
    }

    /// The content of a file, opened and measured when the request is built, read while it is sent.
    ///
    /// - Parameters:
    ///   - url: where the file is.
    ///   - contentType: from the file's extension unless given.
    public static func file(_ url: URL, contentType: String? = nil) -> RouteBody {
        RouteBody(contentType: contentType ?? MIMEType.of(filename: url.lastPathComponent)) { try HTTPBody(file: url) }
    }

    /// What a sequence gives, sent as it comes; see ``HTTPBody/init(stream:length:)``. It can be sent once.
    ///
    /// - Parameters:
    ///   - chunks: the sequence.
    ///   - length: bytes, where they are known. Else it is sent chunked.
    ///   - contentType: `application/octet-stream` unless given.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, length: Int64? = nil, contentType: String = "application/octet-stream"
    ) -> RouteBody where Chunks.Element == Data {
        let body = HTTPBody(stream: chunks, length: length)
        return RouteBody(contentType: contentType) { body }
    }
}
