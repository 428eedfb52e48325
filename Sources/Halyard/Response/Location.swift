import HalyardHTTP

/// Resolves the value of `Location` against the URL of the request (RFC 3986 section 5). It accepts any bytes and has
/// no side effects. The result is checked before it is used.
enum Location {
    /// The components of a reference (RFC 3986 appendix B). There is no fragment, because it is never sent.
    private struct Reference {
        var scheme: Substring?
        var authority: Substring?
        var path: Substring
        var query: Substring?

        init(_ text: Substring) {
            var rest = text[..<(text.firstIndex(of: "#") ?? text.endIndex)]
            let colon = rest.firstIndex(of: ":")
            if let colon, !rest[..<colon].contains(where: { "/?".contains($0) }), rest[..<colon].isScheme {
                scheme = rest[..<colon]
                rest = rest[rest.index(after: colon)...]
            }
            if rest.hasPrefix("//") {
                let start = rest.dropFirst(2)
                let end = start.firstIndex { "/?".contains($0) } ?? start.endIndex
                authority = start[..<end].withHostInASCII
                rest = start[end...]
            }
            let question = rest.firstIndex(of: "?")
            path = rest[..<(question ?? rest.endIndex)]
            query = question.map { rest[rest.index(after: $0)...] }
        }
    }

    static func resolve(_ location: String, against base: String) -> String {
        // Some servers send spaces, and text that is not ASCII. Their bytes are percent-encoded, as in browsers.
        let text = Substring(location.utf8.trimmingBlanks).percentEncodingAllButURLCharacters
        let (target, base) = (Reference(text[...]), Reference(base[...]))
        if let scheme = target.scheme {
            return recomposed(scheme.lowercased()[...], target.authority, removingDots(target.path), target.query)
        }
        if target.authority != nil {
            return recomposed(base.scheme, target.authority, removingDots(target.path), target.query)
        }
        if target.path.isEmpty {
            return recomposed(base.scheme, base.authority, base.path[...], target.query ?? base.query)
        }
        if target.path.hasPrefix("/") {
            return recomposed(base.scheme, base.authority, removingDots(target.path), target.query)
        }
        let folder = base.path[..<(base.path.lastIndex(of: "/").map(base.path.index(after:)) ?? base.path.startIndex)]
        let merged = folder.isEmpty ? "/" + target.path : folder + target.path
        return recomposed(base.scheme, base.authority, removingDots(merged[...]), target.query)
    }

    /// Returns the fragment of a reference, with its mark. Empty if there is none.
    static func fragment(of reference: String) -> String {
        let reference = Substring(reference.utf8.trimmingBlanks)
        guard let mark = reference.firstIndex(of: "#") else { return "" }
        let text = reference[reference.index(after: mark)...].percentEncodingAllButURLCharacters
        return "#" + text[...].withoutBrackets.replacing("#", with: "%23")
    }

    /// Recomposes a reference from its components (RFC 3986 section 5.3).
    private static func recomposed(
        _ scheme: Substring?, _ authority: Substring?, _ path: Substring, _ query: Substring?
    ) -> String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority {
            text += "//" + authority
        } else if path.hasPrefix("//") {
            // Without its dots the path could begin with `//`, and would be read as a host (RFC 3986 section 3.3).
            text += "/."
        }
        text += path.withoutBrackets
        if let query { text += "?" + query.withoutBrackets }
        return text
    }

    /// Returns the path without `.` and `..` (RFC 3986 section 5.2.4).
    private static func removingDots(_ path: Substring) -> Substring {
        guard path.contains(".") else { return path }
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                // The first element is the text before the leading slash.
                if kept.count > 1 || (kept.first.map { !$0.isEmpty } ?? false) { kept.removeLast() }
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return kept.joined(separator: "/")[...]
    }
}

extension Substring {
    /// An authority whose host is in ASCII, if it had escaped characters, as those in another script are by now. A host
    /// that is no name stays as it is, and is refused later.
    fileprivate var withHostInASCII: Substring {
        guard utf8.contains(UInt8(ascii: "%")), !utf8.contains(UInt8(ascii: "@")) else { return self }
        let host = self[..<(lastIndex(of: ":") ?? endIndex)]
        guard let name = String(utf8: host.utf8.percentDecoded()).flatMap(DomainName.ascii) else { return self }
        return name + self[host.endIndex...]
    }

    /// Whether it is a scheme (RFC 3986 section 3.1).
    fileprivate var isScheme: Bool {
        guard let first, first.isASCII, first.isLetter else { return false }
        return utf8.allSatisfy { ASCIISet.scheme.contains($0) }
    }
}

extension Substring {
    fileprivate var percentEncodingAllButURLCharacters: String {
        var bytes: [UInt8] = []
        for (place, byte) in zip(utf8.indices, utf8) {
            if byte == UInt8(ascii: "%") {
                let isEscape = utf8[place...].dropFirst().hexValue(ofFirst: 2) != nil
                if isEscape { bytes.append(byte) } else { bytes.append(percentEncoded: byte) }
            } else if ASCIISet.urlCharacters.contains(byte) {
                bytes.append(byte)
            } else {
                bytes.append(percentEncoded: byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Substring {
    /// The text with escaped brackets, which are allowed only in the authority. If a text has a bracket elsewhere, or a
    /// `%` that begins no escape, Foundation's URL escapes all of it, also the parts that are escaped already.
    fileprivate var withoutBrackets: Substring {
        replacing("[", with: "%5B").replacing("]", with: "%5D")
    }
}

extension ASCIISet {
    fileprivate static let scheme = ASCIISet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.")
}
