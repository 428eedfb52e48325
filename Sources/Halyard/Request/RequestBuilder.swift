import HalyardFoundation
import HalyardHTTP

/// Builds the request for a route of a provider. It has no side effects: the same values give the same bytes.
package struct RequestBuilder {
    /// A request, and whether it is for its provider's origin.
    struct Built {
        let request: HTTPRequest
        /// Whether the request is for the provider's origin. A request to another origin gets nothing of the
        /// provider's.
        let isAtProviderOrigin: Bool

        /// The provider's origin. `nil` for a request to another origin.
        var providerOrigin: Origin? { isAtProviderOrigin ? request.origin : nil }
    }

    private let route: Route
    private let provider: ProviderSnapshot

    /// Returns the request for a route. `provider` is the provider as it was when the request started. Throws
    /// ``HTTPError`` for values that cannot be sent as they are, or the error of the route's ``RouteBody``.
    @inline(never)  // See `Pipeline`.
    static func build(_ route: Route, of provider: ProviderSnapshot) throws -> Built {
        let built = try RequestBuilder(route: route, provider: provider).build()
        guard let source = route.source else { return built }
        return try built.withoutSecrets(of: source, provider)
    }

    /// Returns the request for a route, with the provider as it is now.
    package static func request(for route: Route, of provider: any HTTPProvider) throws -> HTTPRequest {
        try build(route, of: ProviderSnapshot(provider, for: route)).request
    }

    private func build() throws -> Built {
        if let error = route.endpointOptions?.error { throw error }
        var address = try address()
        if let query = route.endpointOptions?.query { try address.append(query, arrays: arrays) }
        var headers = provider.client.configuration.headers
        var params = route.params
        if address.isAtProviderOrigin {
            headers.merge(provider.headers)
            params.fill(from: provider.params, except: route.isAbsolute ? address.queryNames : [])
        }
        headers.merge(route.headers)

        let body = try compress(write(params, in: &address, &headers), &headers)
        // The base was parsed, and everything after it is escaped: no parser can find another origin in it.
        guard let url = AbsoluteURL(address.text, isPlain: address.isPlain) else {
            throw HTTPError(.invalidURL(address.text))
        }
        let request = HTTPRequest(
            route.method, url, of: address.origin, headers: headers, body: body,
            destination: .memory(limit: provider.options.memoryLimit ?? provider.client.configuration.memoryLimit),
            secretNames: provider.secretNames, basePath: address.isAtProviderOrigin ? address.basePath : nil)
        return Built(request: request, isAtProviderOrigin: address.isAtProviderOrigin)
    }

    /// Puts the parameters into the query or into a body, as their encoding says.
    private func write(_ params: Parameters, in address: inout Address, _ headers: inout HTTPHeaders) throws
        -> HTTPBody?
    {
        if let routeBody = route.body {
            guard route.multipart == nil else {
                throw HTTPError(.encoding("the body"), reason: "the route has both a body and a multipart form")
            }
            try address.append(params, arrays: arrays)
            guard let (body, contentType) = try routeBody.make(provider.codec) else { return nil }
            headers.fill(.contentType, contentType)
            // The form's type replaces the caller's, which cannot have the boundary.
            if contentType.hasPrefix("multipart/") { headers[.contentType] = contentType }
            return body
        }
        let encoding = try encoding(of: params)
        if route.multipart == nil && params.isEmpty { return nil }
        switch encoding.place {
        case .query:
            try address.append(params, arrays: encoding.arrays)
            return nil
        case .form:
            headers.fill(.form)
            return HTTPBody(try QueryEncoder.encode(params, arrays: encoding.arrays) { Data($0) })
        case .json:
            headers.fill(.json)
            return HTTPBody(try params.encodedJSON())
        case .multipart:
            var form = try MultipartPart.parts(of: params, arrays: encoding.arrays)
            form += try MultipartPart.written(route.multipart ?? [], encoding.arrays)
            guard !form.isEmpty else { return nil }
            let (body, contentType) = try MultipartEncoder.encode(form)
            // It replaces the caller's, which cannot have the boundary.
            headers[.contentType] = contentType
            return body
        }
    }

    /// Compresses a body by the route's choice, or else the client's. A body that has a content coding is left as it
    /// is.
    private func compress(_ body: HTTPBody?, _ headers: inout HTTPHeaders) throws(HTTPError) -> HTTPBody? {
        guard let body, body.length != 0,
            (provider.options.compression ?? provider.client.configuration.compression) == .gzip,
            !headers.contains("Content-Encoding"), let compressed = try body.gzipped()
        else { return body }
        headers["Content-Encoding"] = "gzip"
        return compressed
    }

    /// Returns the route's encoding, or multipart if there is a form or a file, or else the provider's encoding.
    private func encoding(of params: Parameters) throws(HTTPError) -> ParameterEncoding {
        let isMultipart = route.multipart != nil || params.holdFile
        guard let chosen = route.encoding else {
            if isMultipart { return .multipart(arrays: provider.arrays) }
            let isMisplaced = route.endpointOptions?.hasFields == true && provider.encoding.place == .query
            return isMisplaced ? .json : provider.encoding
        }
        if isMultipart && chosen.place != .multipart {
            throw HTTPError(
                .encoding("the body"),
                reason: "the route sets another encoding, but has a file or a multipart form",
                suggestion: "Omit the encoding, or set it to .multipart")
        }
        return chosen
    }

    /// The array style of the query, for any body: the route's, or else the provider's.
    private var arrays: ParameterEncoding.ArrayStyle {
        guard let encoding = route.encoding, encoding.place != .json else { return provider.arrays }
        return encoding.arrays
    }

    private func address() throws(HTTPError) -> Address {
        let (base, cache) = (provider.baseURL.absoluteString, provider.client.baseURLs)
        switch route.target {
        case .path(let path):
            if base == DefaultProvider.placeholderBase {
                throw HTTPError(
                    .invalidURL(path.path), reason: "a DefaultProvider has no base URL",
                    suggestion: "Use Route(url:) with an absolute URL, or define a provider for the API")
            }
            return try Address(base: cache.baseURL(base), path: path)
        case .absolute(let text): return try Address(absolute: text, base: try? cache.baseURL(base))
        }
    }
}

extension HTTPHeaders {
    /// Sets a header field that is missing. The caller's field takes precedence.
    fileprivate mutating func fill(_ name: Name, _ value: String) {
        if !contains(name.rawValue) { self[name] = value }
    }

    fileprivate mutating func fill(_ field: Field) {
        if !contains(field.name.rawValue) { add(field) }
    }
}

extension HTTPHeaders.Field {
    fileprivate static let form = Self(known: .contentType, "application/x-www-form-urlencoded")
    fileprivate static let json = Self(known: .contentType, "application/json")
}

/// An absolute URL that is being built from a base, a path and queries.
struct Address {
    private(set) var text: String
    /// The origin. Appending does not change it.
    let origin: Origin
    /// Whether the URL has the provider's origin, so that the request gets the provider's header fields and parameters.
    let isAtProviderOrigin: Bool
    /// The path of the provider's base URL, without a slash at its end.
    let basePath: String
    private var hasQuery = false
    /// Whether the base needs no escaping, so that Foundation parses the URL without changes.
    let isPlain: Bool

    /// Makes the address of an absolute URL. A character that a path or query cannot have is percent-encoded, as in a
    /// route's literal: many services use `?page[number]=2`, and Foundation's URL would then encode every other `%`
    /// again. `base` is the provider's base URL. `nil` if it has no valid one.
    init(absolute url: String, base: BaseURL?) throws(HTTPError) {
        origin = try Origin(ofURL: url)
        // A fragment is never sent (RFC 9110 section 7.1).
        let url = url.prefix { $0 != "#" }
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let rest = url[start...].drop { $0 != "/" && $0 != "?" }
        let path = RoutePath(verbatim: String(rest))
        isPlain = String(url[..<rest.startIndex]).consists(of: .plainURL)
        text = url[..<rest.startIndex] + path.path + (path.query.map { "?" + $0 } ?? "")
        hasQuery = path.query != nil
        isAtProviderOrigin = origin == base?.origin
        basePath = base?.path ?? ""
    }

    /// Appends a path to a base URL. No path can change the authority.
    init(base: BaseURL, path: RoutePath) throws(HTTPError) {
        if base.hasFragment {
            throw HTTPError(
                .invalidURL(base.text), reason: "a base URL must not have a fragment",
                suggestion: "Remove the # and the text after it")
        }
        if let problem = path.problem { throw HTTPError(.invalidPath(path.path), reason: problem) }
        origin = base.origin
        isAtProviderOrigin = true
        isPlain = base.isPlain
        basePath = base.path
        if !path.path.isEmpty {
            text = Self.join(base.text, upTo: base.pathEnd, path.path)
        } else if let query = base.query {
            text = String(base.text[..<query.startIndex].dropLast())
        } else {
            text = base.text
        }
        if let query = base.query { append(query: query) }
        if let query = path.query { append(query: query[...]) }
    }

    /// Returns the start of a base URL, a slash unless the path has one, and the path, with one allocation.
    private static func join(_ base: String, upTo end: Int, _ path: String) -> String {
        var (base, path) = (base, path)
        return base.withUTF8 { base in
            path.withUTF8 { path in
                String(unsafeUninitializedCapacity: end + 1 + path.count) { buffer in
                    var end = buffer.update(fromContentsOf: base[..<end])
                    if path.first != UInt8(ascii: "/") {
                        buffer[end] = UInt8(ascii: "/")
                        end += 1
                    }
                    return buffer[end...].update(fromContentsOf: path)
                }
            }
        }
    }

    /// The names of the parameters in the query, decoded.
    var queryNames: Set<String> {
        guard let question = text.firstIndex(of: "?") else { return [] }
        let pairs = text[text.index(after: question)...].split(separator: "&")
        return Set(
            pairs.map {
                String(decoding: $0.prefix { $0 != "=" }.utf8.percentDecoded(plusIsSpace: true), as: UTF8.self)
            })
    }

    mutating func append(query: Substring) {
        var query = query
        query.withUTF8 { append($0) }
    }

    mutating func append(_ params: Parameters, arrays: ParameterEncoding.ArrayStyle = .repeated) throws(HTTPError) {
        guard !params.isEmpty else { return }
        try QueryEncoder.encode(params, arrays: arrays) { append($0) }
    }

    /// Appends to the query, with one allocation.
    private mutating func append(_ query: UnsafeBufferPointer<UInt8>) {
        guard !query.isEmpty else { return }
        text = text.withUTF8 { [hasQuery] old in
            let separator: UInt8? =
                if !hasQuery { UInt8(ascii: "?") } else {
                    old.last == UInt8(ascii: "?") || old.last == UInt8(ascii: "&") ? nil : UInt8(ascii: "&")
                }
            return String(unsafeUninitializedCapacity: old.count + 1 + query.count) { buffer in
                var end = buffer.update(fromContentsOf: old)
                if let separator {
                    buffer[end] = separator
                    end += 1
                }
                return buffer[end...].update(fromContentsOf: query)
            }
        }
        hasQuery = true
    }
}
