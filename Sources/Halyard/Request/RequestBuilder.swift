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
            destination: .memory(limit: route.options.memoryLimit ?? provider.client.configuration.memoryLimit),
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
            var form = try Multipart(params, arrays: encoding.arrays)
            form.append(contentsOf: try route.multipart?.written(encoding.arrays) ?? [])
            guard !form.parts.isEmpty else { return nil }
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
            (route.options.compression ?? provider.client.configuration.compression) == .gzip,
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
