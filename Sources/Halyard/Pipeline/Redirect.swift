import HalyardFoundation
import HalyardHTTP

/// Decides whether a redirect is followed, and makes the next request. It has no effects, and follows the Fetch
/// standard (section 4.4, HTTP-redirect fetch).
struct Redirect {
    /// Header fields that describe a body, and are removed with it.
    private static let bodyFieldNames = [
        "Content-Encoding", "Content-Language", "Content-Location", "Content-Type", "Content-Length",
    ]
    /// Returns the request that follows. `nil` if there is nothing to follow.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request that it answers.
    ///   - count: The number of redirects so far.
    ///   - policy: The redirect policy.
    ///   - providerOrigin: The provider's origin. `nil` for a request that is not for it.
    /// - Throws: ``HTTPError`` of kind `tooManyRedirects`, `insecureRedirect`, `invalidURL`, `bodyConsumed` or
    ///   `foreignSecrets`.
    static func next(
        after response: HTTPResponse, to request: HTTPRequest, count: Int, _ policy: RedirectPolicy,
        providerOrigin: Origin? = nil
    ) throws(HTTPError) -> HTTPRequest? {
        guard policy.limit > 0, let location = response.headers.redirection(of: response.status) else { return nil }
        guard count < policy.limit else { throw HTTPError(.tooManyRedirects(limit: policy.limit), response: response) }
        let next = try target(of: location, from: request, response)
        guard policy.allowsDowngrade || request.origin.scheme == "http" || next.origin.scheme == "https" else {
            throw HTTPError(.insecureRedirect("\(next.origin)"), response: response)
        }
        return try adapted(next, from: request, response, providerOrigin)
    }

    /// Returns the same request at another URL.
    private static func target(
        of location: String, from request: HTTPRequest, _ response: HTTPResponse
    ) throws(HTTPError) -> HTTPRequest {
        let text = Location.resolve(location, against: request.address.text)
        var next = request
        do throws(HTTPError) {
            guard let url = URL(string: text) else { throw HTTPError(.invalidURL(text)) }
            try next.setURL(url)
        } catch {
            throw HTTPError(
                .invalidURL(text), reason: "the response's Location" + (error.reason.map { ": \($0)" } ?? ""),
                suggestion: "Report it to the operator of the server, or give the route the redirect policy .never",
                response: response)
        }
        return next
    }

    private static func adapted(
        _ next: HTTPRequest, from request: HTTPRequest, _ response: HTTPResponse, _ providerOrigin: Origin?
    ) throws(HTTPError) -> HTTPRequest {
        var next = next
        let becomesGet =
            switch response.status {
            case 301, 302: request.method == .post
            case 303: request.method != .get && request.method != .head
            default: false
            }
        if becomesGet {
            next.method = .get
            next.body = nil
            for name in bodyFieldNames { next.headers[name] = nil }
        } else if request.body?.isReadOnce == true {
            throw HTTPError(
                .bodyConsumed,
                reason: "the server redirects the request, but its body is a stream, which can be sent only once",
                suggestion: "Send a file or bytes in memory", response: response)
        }
        if next.origin == request.origin { next.basePath = request.basePath }
        do throws(HTTPError) {
            return try SecretStripper(original: request, providerOrigin: providerOrigin).strippingSecrets(from: next)
        } catch {
            throw error.adding(request: request, response: response)
        }
    }
}

/// Resolves the value of `Location` against the URL of the request (RFC 3986 section 5). It accepts any bytes and has
/// no effects. The result is checked before it is used.
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
                authority = start[..<end]
                rest = start[end...]
            }
            let question = rest.firstIndex(of: "?")
            path = rest[..<(question ?? rest.endIndex)]
            query = question.map { rest[rest.index(after: $0)...] }
        }
    }

    static func resolve(_ location: String, against base: String) -> String {
        // Servers send spaces, and text that is not ASCII. Like browsers, this encodes the bytes.
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
                let digits = utf8[place...].dropFirst().prefix(2)
                let isEscape = digits.count == 2 && digits.allSatisfy(ASCIISet.hexDigits.contains)
                if isEscape { bytes.append(byte) } else { bytes.append(percentEncoded: byte) }
            } else if ASCIISet.urlCharacters.contains(byte) || byte == UInt8(ascii: "#") {
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
