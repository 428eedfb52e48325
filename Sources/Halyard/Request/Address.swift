import HalyardHTTP

/// An absolute URL while it is put together: base, path, queries.
struct Address {
    private(set) var text: String
    /// Whose it is, whatever is appended.
    let origin: Origin
    /// Whether it is of the provider's own origin, so that what the provider adds may go there.
    var isAtHome: Bool { basePath != nil }
    /// The path of the provider's base URL, without a slash at its end; nil away from its origin.
    let basePath: String?
    private var hasQuery = false
    /// Whether all that was not escaped here needs no escape and is none, so that Foundation reads it as it stands.
    let isPlain: Bool

    /// Takes a URL. A character that has no place in a path or query is percent-encoded, as in a route's literal:
    /// `?page[number]=2` is what many services write, and Foundation's URL would encode every `%` beside it again.
    ///
    /// - Parameter base: the provider's base URL.
    init(absolute url: String, base: String) throws(HTTPError) {
        origin = try Origin(ofURL: url)
        // A fragment is the client's own and never sent (RFC 9110 section 7.1).
        let url = url.prefix { $0 != "#" }
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let rest = url[start...].drop { $0 != "/" && $0 != "?" }
        let path = RoutePath(verbatim: String(rest))
        isPlain = String(url[..<rest.startIndex]).consists(of: .plain)
        text = url[..<rest.startIndex] + path.path + (path.query.map { "?" + $0 } ?? "")
        hasQuery = path.query != nil
        var base = base
        let basePath = base.withUTF8 {
            String(decoding: UnsafeBufferPointer(rebasing: $0[Outline($0).path]), as: UTF8.self)
        }
        self.basePath = origin == (try? Origin(ofURL: base)) ? basePath : nil
    }

    /// Appends a path to a base. Whatever the path holds, it stays behind the base's authority.
    init(base: String, path: RoutePath) throws(HTTPError) {
        if base == DefaultProvider.noBase {
            throw HTTPError(
                .invalidURL(path.path), reason: "a DefaultProvider has no base URL",
                suggestion: "Give the whole of it, by Route(url:); or make a provider of your own for the API")
        }
        origin = try Origin(ofURL: base)
        var base = base
        let outline = base.withUTF8(Outline.init)
        isPlain = outline.isPlain
        if outline.hasFragment {
            throw HTTPError(
                .invalidURL(base), reason: "a base URL has no fragment",
                suggestion: "Leave out the # and what follows it")
        }
        if let flaw = path.flaw { throw HTTPError(.invalidPath(path.path), reason: flaw) }

        let bytes = base.utf8
        func index(_ offset: Int) -> String.Index { bytes.index(bytes.startIndex, offsetBy: offset) }
        basePath = String(base[index(outline.path.lowerBound)..<index(outline.path.upperBound)])
        if path.path.isEmpty {
            text = String(base[..<index(outline.front)])
        } else {
            text = String(base[..<index(outline.path.upperBound)])
            if path.path.utf8.first != UInt8(ascii: "/") { text += "/" }
            text += path.path
        }
        if outline.front < bytes.count { append(query: base[index(outline.front + 1)...]) }
        if let query = path.query { append(query: query[...]) }
    }

    /// Where the parts of a base URL are, found in one pass over its bytes.
    private struct Outline {
        /// All before a `?`.
        var front: Int
        /// The path, without slashes at its end.
        var path: Range<Int>
        var hasFragment = false
        var isPlain: Bool

        init(_ url: UnsafeBufferPointer<UInt8>) {
            let slash = UInt8(ascii: "/")
            // Behind the scheme's two slashes; a base was read by the grammar before.
            var start = (url.firstIndex(of: UInt8(ascii: ":")) ?? 0) + 3
            front = url.count
            isPlain = ASCIISet.plain.prefixCount(of: url) == url.count
            for place in url.indices.reversed() {
                if url[place] == UInt8(ascii: "?") { front = place }
                if url[place] == UInt8(ascii: "#") { hasFragment = true }
            }
            while start < front, url[start] != slash { start += 1 }
            var end = front
            while end > start, url[end - 1] == slash { end -= 1 }
            path = min(start, end)..<end
        }
    }

    mutating func append(query: Substring) {
        var query = query
        query.withUTF8 { append($0) }
    }

    mutating func append(_ params: Parameters, arrays: ParameterEncoding.ArrayStyle = .repeated) throws(HTTPError) {
        guard !params.isEmpty else { return }
        try QueryEncoder.encode(params, arrays: arrays) { append($0) }
    }

    /// Puts a query behind what there is of one; room is made once.
    private mutating func append(_ query: UnsafeBufferPointer<UInt8>) {
        guard !query.isEmpty else { return }
        text = text.withUTF8 { [hasQuery] old in
            let separator: UInt8? =
                if !hasQuery { UInt8(ascii: "?") } else {
                    old.last == UInt8(ascii: "?") || old.last == UInt8(ascii: "&") ? nil : UInt8(ascii: "&")
                }
            return String(unsafeUninitializedCapacity: old.count + 1 + query.count) { room in
                var end = room.update(fromContentsOf: old)
                if let separator {
                    room[end] = separator
                    end += 1
                }
                return room[end...].update(fromContentsOf: query)
            }
        }
        hasQuery = true
    }
}

extension ASCIISet {
    /// What stands for itself in a URL whose origin was read: all of RFC 3986 but brackets, escapes and fragments.
    fileprivate static let plain = unreserved.union(ASCIISet(":/?@!$&'()*+,;="))
}
