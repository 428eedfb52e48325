#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension HTTPError: LocalizedError, CustomStringConvertible {
    /// What went wrong, for a person to read. For a status it is the text body of the response, where the server
    /// sent one as `text/*`, else the status in words.
    public var errorDescription: String? { summary }

    /// What to do about it.
    public var recoverySuggestion: String? { suggestion ?? kind.advice ?? kind.commonplace }

    /// The whole story in a line: what went wrong, which request, and the way out. Never a secret: of URLs only what
    /// stands before the query, of headers only names. A way out that
    /// everybody knows is left out.
    public var description: String {
        let exchange = request.map { " (\($0.method) \(HTTPError.redact($0.url.absoluteString))\(answer))" }
        return summary + (exchange ?? "") + ((suggestion ?? kind.advice).map { ". \($0)." } ?? "")
    }

    private var summary: String {
        switch kind.code {
        case .status(let status):
            bodyText ?? reason ?? "\(status) \(HTTPResponse.reasonPhrase(for: status) ?? "Unknown Status")"
        case .stopped: kind.summary + (cause.map { ": \(($0 as? HTTPError)?.summary ?? "\($0)")" } ?? "")
        default: kind.summary + (reason.map { ": \($0)" } ?? "")
        }
    }

    private var answer: String { response.map { " answered \($0.status)" } ?? "" }

    private var bodyText: String? {
        guard let response, response.isText else { return nil }
        let text = response.text.inOneLine
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }

    /// A URL as it may be shown: nothing after `?` or `#`, no user and password, whatever else is wrong with it.
    package static func redact(_ url: String) -> String {
        // By bytes: `?` and a combining accent are one character, and not equal to `?`.
        let shown = Substring(url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        let separator = shown.utf8.firstRange(of: "://".utf8)
        let start = separator?.upperBound ?? shown.startIndex
        let authority = Substring(shown[start...].utf8.prefix { $0 != UInt8(ascii: "/") })
        let colon = authority.hasPrefix("[") ? nil : authority.utf8.firstIndex(of: UInt8(ascii: ":"))

        let isPlain = colon.map { authority[$0...].utf8.dropFirst().allSatisfy(ASCIISet.digits.contains) } ?? true
        if separator != nil && isPlain && !authority.utf8.contains(UInt8(ascii: "@")) { return String(shown) }
        if let at = shown[start...].utf8.lastIndex(of: UInt8(ascii: "@")) {
            return "\(shown[..<start])\(shown[shown.utf8.index(after: at)...])"
        }
        // What stands where the port should may be a password, cut off by a `?` in it.
        guard separator != nil, let colon else { return String(shown) }
        return "\(shown[..<colon])..."
    }
}

extension HTTPError.Kind: CustomStringConvertible {
    /// The kind in words.
    public var description: String { summary }

    fileprivate var summary: String {
        switch code {
        case .invalidURL(let url): "The URL \(url.quoted) cannot be used"
        case .invalidMethod(let name): "The method \(name.quoted) cannot be used"
        case .invalidHeader(let name): "The header \(name.quoted) cannot be sent"
        case .invalidPath(let path): "The path \(path.quoted) cannot be used"
        case .encoding(let name): "\(name.quoted) cannot be encoded"
        case .unreadableFile(let path): "The file \(path.quoted) cannot be sent"
        case .unwritableFile(let path): "The file \(path.quoted) cannot be written"
        case .bodyConsumed: "The body cannot be read again"
        case .engineUnavailable: "There is nothing to send requests with"
        case .configuration(let property): "The engine cannot honour \(property.quoted) of its configuration"
        case .shutDown: "The engine was shut down"
        case .noStub(let request): "No stub answers \(request)"
        case .hostNotFound(let host): "No host is called \(host.quoted)"
        case .cannotConnect(let origin): "Nothing answers at \(origin)"
        case .tls(let failure): "There is no secure connection, for \(failure.rawValue)"
        case .connectionLost: "The connection was lost"
        case .timedOut: "The request timed out"
        case .cancelled: "The request was cancelled"
        case .invalidResponse: "The server's answer is not valid HTTP"
        case .bodyTooLarge(let limit): "The response's body is larger than \(limit) bytes"
        case .headersTooLarge(let limit): "The response's header fields are larger than \(limit) bytes"
        case .engine(let code): "The engine failed with its code \(code)"
        case .status(let status): "\(status)"
        case .emptyResponse: "The response has no body where a value was expected"
        case .decoding: "The response cannot be read"
        case .stopped: "The provider's shouldContinue(with:) stopped the request"
        }
    }
}

extension String {
    /// In quotes, line breaks, other control characters and what turns the direction of text spelt out, so that an
    /// input cannot forge a log line.
    package var quoted: String {
        String(unicodeScalars.prefix(200)).debugDescription.unicodeScalars.reduce(into: "") { text, scalar in
            let isShown = !scalar.breaksLines && scalar.properties.generalCategory != .format
            text += isShown ? String(scalar) : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }
}

extension String {
    /// The start of a text that came from elsewhere, in one line: control characters become blanks.
    package var inOneLine: String {
        String(unicodeScalars.prefix(500)).split { $0.unicodeScalars.contains(where: \.breaksLines) }
            .joined(separator: " ")
    }
}

extension Unicode.Scalar {
    /// Whether it is a line break or another control character: terminals and log files do more than show it.
    fileprivate var breaksLines: Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
}
