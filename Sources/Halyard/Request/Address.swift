import HalyardHTTP

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
