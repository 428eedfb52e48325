public import HalyardFoundation
public import HalyardHTTP

/// The body of a route. It replaces the one made from the route's parameters, which then go into the query.
///
/// ```swift
/// Route(path: "/notes/7", method: .put, body: .text("remember"))
/// Route(path: "/dump", method: .post, params: ["id": 7], body: .file(url))       // POST /dump?id=7
/// ```
///
/// Each kind of body sets a `Content-Type`. The route's headers take precedence.
public struct RouteBody: Sendable {
    /// The body as it is sent.
    package typealias Made = (body: HTTPBody, contentType: String)

    /// Makes the body when the request is built, off the caller's thread. Returns `nil` for no body.
    package let make: @Sendable (Codec) throws -> Made?

    /// Creates a body from a closure, which is called when the request is built. If it throws, the request fails.
    public init(contentType: String, _ make: @escaping @Sendable () throws -> HTTPBody) {
        self.init { _ in (try make(), contentType) }
    }

    package init(_ make: @escaping @Sendable (Codec) throws -> Made?) {
        self.make = make
    }

    /// Returns a body that contains bytes.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> RouteBody {
        RouteBody(contentType: contentType) { HTTPBody(data) }
    }

    /// Returns a body that contains text in UTF-8.
    public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> RouteBody {
        RouteBody(contentType: contentType) { HTTPBody(Data(text.utf8)) }
    }

    /// Returns a JSON body. More than 512 levels of nesting fail the request with an ``HTTPError`` of kind `encoding`.
    public static func json(_ json: JSON) -> RouteBody {
        RouteBody(contentType: "application/json") {
            guard !json.isDeeper(than: 512) else {
                throw HTTPError(.encoding("the body"), reason: "it is nested more than 512 levels deep")
            }
            return HTTPBody(json.encoded())
        }
    }

    /// Returns a JSON object whose values may have different types. They are written as in ``Parameters``: dates as
    /// milliseconds since 1970, and no member for `nil`.
    ///
    /// ```swift
    /// let add = Route(path: "/users", method: .post, body: .json(["name": name, "age": 7, "tags": ["a", "b"]]))
    /// ```
    @_disfavoredOverload
    public static func json(_ members: Parameters) -> RouteBody {
        RouteBody(contentType: "application/json") {
            guard !members.holdFile else {
                throw HTTPError(
                    .encoding("the body"), reason: "JSON cannot contain a file",
                    suggestion: "Send the values as `params` of the route, which makes a multipart form")
            }
            return HTTPBody(try members.encodedJSON())
        }
    }

    /// Returns an `application/x-www-form-urlencoded` body. The order of the pairs, duplicates and empty names are
    /// kept.
    public static func form(_ pairs: KeyValuePairs<String, String>) -> RouteBody {
        let bytes = QueryEncoder.encode(pairs: pairs)
        return RouteBody(contentType: "application/x-www-form-urlencoded") { HTTPBody(Data(bytes)) }
    }

    /// Returns a multipart form, which is sent like a route's `multipart`.
    public static func multipart(_ form: [MultipartPart]) -> RouteBody {
        RouteBody { _ in form.isEmpty ? nil : try MultipartEncoder.encode(form) }
    }

    /// Returns parameters as `application/x-www-form-urlencoded`.
    package static func form(params: Parameters, arrays: ParameterEncoding.ArrayStyle = .repeated) -> RouteBody {
        RouteBody { _ in
            (HTTPBody(Data(try QueryEncoder.encode(params, arrays: arrays))), "application/x-www-form-urlencoded")
        }
    }

    /// Returns a body with the content of a file. The file is opened and measured when the request is built, and read
    /// while it is sent. If it cannot be read, the request fails with an ``HTTPError`` of kind `unreadableFile`.
    ///
    /// - Parameters:
    ///   - bytes: The range of the file to send, without copying it. Defaults to the whole file.
    ///   - contentType: Defaults to the type for the file's extension.
    public static func file(_ url: URL, bytes: Range<Int64>? = nil, contentType: String? = nil) -> RouteBody {
        RouteBody(contentType: contentType ?? MIMEType.of(filename: url.lastPathComponent)) {
            try HTTPBody(file: url, bytes: bytes)
        }
    }

    /// Returns a body that sends the elements of a sequence as they arrive. It can be sent only once. Without a length
    /// in bytes, it uses the chunked transfer coding. See ``HTTPBody/init(stream:length:)``.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, length: Int64? = nil, contentType: String = "application/octet-stream"
    ) -> RouteBody where Chunks.Element == Data {
        let body = HTTPBody(stream: chunks, length: length)
        return RouteBody(contentType: contentType) { body }
    }
}
