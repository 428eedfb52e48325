package import HalyardFoundation

/// An absolute URL as text. Foundation's `URL` is made on demand: parsing one takes half as long as building the text,
/// and the pipeline and libcurl do not need it.
package struct AbsoluteURL: Sendable {
    package let text: String
    /// The URL that the text was taken from; `nil` when it is made on demand.
    private let source: URL?

    package init(_ url: URL) {
        text = url.absoluteString
        source = url
    }

    /// Takes a text that ``Origin/init(ofURL:)`` has read. Returns `nil` when Foundation makes no URL of it. `isPlain`
    /// says whether no character of the text needs percent-encoding, so that Foundation's `URL` has the same text.
    /// Foundation may spell any other text differently, and is asked.
    package init?(_ text: String, isPlain: Bool) {
        source = isPlain ? nil : URL(string: text)
        guard isPlain || source != nil else { return nil }
        self.text = source?.absoluteString ?? text
    }

    package var url: URL { source ?? URL(string: text) ?? Self.none }

    /// For a plain text that Foundation refuses; no such text is known.
    private static let none = URL(filePath: "/")
}

/// A provider's base URL and the positions of its parts.
package final class BaseURL: Sendable {
    package let text: String
    package let origin: Origin
    /// The path, without slashes at its end.
    package let path: String
    /// The position after ``path``.
    package let pathEnd: Int
    package let query: Substring?
    package let hasFragment: Bool
    /// Whether the base needs no escaping, so that Foundation parses the URL without changes.
    package let isPlain: Bool

    /// Reads a base URL. Throws ``HTTPError`` of kind `invalidURL`.
    package init(_ text: String) throws(HTTPError) {
        origin = try Origin(ofURL: text)
        var text = text
        let outline = text.withUTF8(Outline.init)
        path = String(decoding: text.utf8.dropFirst(outline.path.lowerBound).prefix(outline.path.count), as: UTF8.self)
        pathEnd = outline.path.upperBound
        query = outline.queryStart.map { Substring(text.utf8.dropFirst($0 + 1)) }
        hasFragment = outline.hasFragment
        isPlain = outline.isPlain
        self.text = text
    }

    /// The positions of the parts of a base URL, found in one pass over its bytes.
    private struct Outline {
        /// The position of `?`. `nil` for none.
        var queryStart: Int?
        var path: Range<Int>
        var hasFragment = false
        var isPlain = true

        init(_ url: UnsafeBufferPointer<UInt8>) {
            let slash = UInt8(ascii: "/")
            // The position after the two slashes of the scheme, whose URL was read as an origin.
            var start = (url.firstIndex(of: UInt8(ascii: ":")) ?? 0) + 3
            // Backwards, so that the first question mark is found last.
            for index in url.indices.reversed() where !ASCIISet.plainPath.contains(url[index]) {
                if url[index] == UInt8(ascii: "?") { queryStart = index }
                if url[index] == UInt8(ascii: "#") { hasFragment = true }
                if !ASCIISet.plainURL.contains(url[index]) { isPlain = false }
            }
            let limit = queryStart ?? url.count
            while start < limit, url[start] != slash { start += 1 }
            var end = limit
            while end > start, url[end - 1] == slash { end -= 1 }
            path = min(start, end)..<end
        }
    }
}

extension ASCIISet {
    /// The characters that need no escaping in a URL whose origin was parsed: those of RFC 3986 but brackets, escapes
    /// and fragments.
    package static let plainURL = plainPath.union(ASCIISet("?"))
    fileprivate static let plainPath = unreserved.union(ASCIISet(":/@!$&'()*+,;="))
}
