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
    /// again.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - base: The provider's base URL.
    init(absolute url: String, base: String) throws(HTTPError) {
        origin = try Origin(ofURL: url)
        // A fragment is never sent (RFC 9110 section 7.1).
        let url = url.prefix { $0 != "#" }
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let rest = url[start...].drop { $0 != "/" && $0 != "?" }
        let path = RoutePath(verbatim: String(rest))
        isPlain = String(url[..<rest.startIndex]).consists(of: .plain)
        text = url[..<rest.startIndex] + path.path + (path.query.map { "?" + $0 } ?? "")
        hasQuery = path.query != nil
        var base = base
        isAtProviderOrigin = origin == (try? Origin(ofURL: base))
        basePath = base.withUTF8 {
            String(decoding: UnsafeBufferPointer(rebasing: $0[Outline($0).path]), as: UTF8.self)
        }
    }

    /// Appends a path to a base URL. No path can change the authority.
    init(base: String, path: RoutePath) throws(HTTPError) {
        if base == DefaultProvider.placeholderBase {
            throw HTTPError(
                .invalidURL(path.path), reason: "a DefaultProvider has no base URL",
                suggestion: "Use Route(url:) with an absolute URL, or define a provider for the API")
        }
        origin = try Origin(ofURL: base)
        isAtProviderOrigin = true
        var base = base
        let outline = base.withUTF8(Outline.init)
        isPlain = outline.isPlain
        if outline.hasFragment {
            throw HTTPError(
                .invalidURL(base), reason: "a base URL must not have a fragment",
                suggestion: "Remove the # and the text after it")
        }
        if let problem = path.problem { throw HTTPError(.invalidPath(path.path), reason: problem) }

        basePath = base.withUTF8 { String(decoding: $0[outline.path], as: UTF8.self) }
        let hasQuery = outline.queryStart < base.utf8.count
        if !path.path.isEmpty {
            text = Self.join(base, upTo: outline.path.upperBound, path.path)
        } else {
            text = hasQuery ? String(decoding: base.utf8.prefix(outline.queryStart), as: UTF8.self) : base
        }
        if hasQuery { append(query: Substring(base.utf8.dropFirst(outline.queryStart + 1))) }
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

    /// The positions of the parts of a base URL, found in one pass over its bytes.
    private struct Outline {
        /// The position of `?`, or the length of the URL without a query.
        var queryStart: Int
        /// The path, without slashes at its end.
        var path: Range<Int>
        var hasFragment = false
        var isPlain: Bool

        init(_ url: UnsafeBufferPointer<UInt8>) {
            let slash = UInt8(ascii: "/")
            // The position after the two slashes of the scheme. The base was parsed before.
            var start = (url.firstIndex(of: UInt8(ascii: ":")) ?? 0) + 3
            queryStart = url.count
            isPlain = true
            // Backwards, so that the first question mark is found last.
            for index in url.indices.reversed() where !ASCIISet.plainPath.contains(url[index]) {
                if url[index] == UInt8(ascii: "?") { queryStart = index }
                if url[index] == UInt8(ascii: "#") { hasFragment = true }
                if !ASCIISet.plain.contains(url[index]) { isPlain = false }
            }
            while start < queryStart, url[start] != slash { start += 1 }
            var end = queryStart
            while end > start, url[end - 1] == slash { end -= 1 }
            path = min(start, end)..<end
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

extension ASCIISet {
    /// The characters that need no escaping in a URL whose origin was parsed: those of RFC 3986 but brackets, escapes
    /// and fragments.
    fileprivate static let plain = plainPath.union(ASCIISet("?"))
    fileprivate static let plainPath = unreserved.union(ASCIISet(":/@!$&'()*+,;="))
}
