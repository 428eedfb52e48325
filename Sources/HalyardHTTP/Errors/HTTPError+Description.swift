public import HalyardFoundation

extension HTTPError: LocalizedError, CustomStringConvertible {
    /// A message for users that says what went wrong. For a status, it is the response's body if that is `text/*`, the
    /// `detail` or `title` of problem details (RFC 9457), or else the status in words. It shows no secrets.
    public var errorDescription: String? { summary(Redaction(request, response)) }

    /// A suggestion for fixing the error. Never `nil`.
    public var recoverySuggestion: String? { specificSuggestion ?? kind.genericSuggestion }

    /// How to fix it; `nil` when there is only a generic suggestion.
    package var specificSuggestion: String? {
        suggestion.map(Redaction(request, response).text) ?? kind.specificSuggestion
    }

    /// The error in one line for logs: what went wrong, which request failed, and how to fix it. It shows URLs without
    /// their query, headers without their values, and no secret of the request. Generic suggestions are omitted.
    ///
    /// For a status, it shows the status in words and the start of a text, JSON or HTML body: `422 Unprocessable
    /// Content: {"message":"name is taken"} (POST https://h/users answered 422)`.
    public var description: String {
        let messages = request.map {
            " (\($0.method) \(RedactedAddress.of( $0.address.text))\(redirection)\(statusNote))"
        }
        return headline + (messages ?? "") + (specificSuggestion.map { ". \($0)." } ?? "")
    }

    /// What went wrong, in words for a log: ``errorDescription``, but for a status the status comes first.
    package var headline: String {
        let redaction = Redaction(request, response)
        guard case .status(let status) = kind else { return summary(redaction) }
        let words = Self.words(for: status)
        guard let more = reason.map(redaction.text) ?? response?.excerpt(redaction), !words.hasSuffix(more) else {
            return words
        }
        return "\(words): \(more)"
    }

    private static func words(for status: Int) -> String {
        "\(status) \(HTTPResponse.reasonPhrase(for: status) ?? "Unknown Status")"
    }

    private func summary(_ redaction: Redaction) -> String {
        let reason = reason.map(redaction.text)
        return switch kind {
        case .status(let status):
            bodyText(redaction) ?? reason ?? Self.words(for: status)
        case .stopped: kind.description + (cause.map { ": \(redaction.words(of: $0))" } ?? "")
        default: redaction.text(kind.summary) + (reason.map { ": \($0)" } ?? "")
        }
    }

    private var statusNote: String { response.map { " answered \($0.status)" } ?? "" }

    /// The target of the redirects, when the response did not come from the request's own URL.
    private var redirection: String {
        guard let response, !response.redirects.isEmpty, let request else { return "" }
        let place = (response.notes.sentRequest?.address ?? response.address).text
        return place == request.address.text ? "" : ", redirected to \(RedactedAddress.of( place)), which"
    }

    private func bodyText(_ redaction: Redaction) -> String? {
        guard let response, response.isText else { return nil }
        // The text is redacted before it is truncated, because a truncated secret is not recognised.
        let shown = redaction.text(response.text)
        // Tags are removed: they are meant for browsers, and attributes of hidden fields may contain secrets.
        let text = (response.isHTML ? shown.withoutTags.collapsingWhitespace : shown).inOneLine
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }
}

extension Redaction {
    /// Returns the redacted description of an error. For an ``HTTPError`` it is the ``HTTPError/errorDescription``.
    package func words(of error: any Error) -> String { text((error as? HTTPError)?.errorDescription ?? "\(error)") }
}

extension Redaction {
    /// Returns the redacted description of an error for a log. For an ``HTTPError`` it is the ``HTTPError/headline``.
    package func headline(of error: any Error) -> String { text((error as? HTTPError)?.headline ?? "\(error)") }
}

extension HTTPError.Kind: CustomStringConvertible {
    /// The kind in words.
    public var description: String { Redaction().text(summary) }

    fileprivate var summary: String {
        switch self {
        case .invalidURL(let url): "The URL \(url.quoted) cannot be used"
        case .invalidMethod(let name): "The method \(name.quoted) cannot be used"
        case .invalidHeader(let name): "The header \(name.quoted) cannot be sent"
        case .invalidPath(let path): "The path \(path.quoted) cannot be used"
        case .encoding(let name): "\(name.quoted) cannot be encoded"
        case .unreadableFile(let path): "The file \(path.quoted) cannot be read"
        case .unwritableFile(let path): "The file \(path.quoted) cannot be written"
        case .bodyConsumed: "The body cannot be read again"
        case .engineUnavailable: "The engine is not available"
        case .configuration(let property): "The engine does not support \(property.quoted) of its configuration"
        case .shutDown: "The engine was shut down"
        case .noStub(let request): "No stub answers \(request)"
        case .hostNotFound(let host): "The host \(host.quoted) was not found"
        case .cannotConnect(let origin): "No connection could be made to \(origin)"
        case .tls(let failure): "The secure connection failed, because \(failure)"
        case .connectionLost: "The connection was lost"
        case .timedOut: "The request timed out"
        case .cancelled: "The request was cancelled"
        case .invalidResponse: "The server's response cannot be used"
        case .digestMismatch(let expected, let actual):
            "The downloaded file has the SHA-256 \(actual), and not \(expected)"
        case .bodyTooLarge(let limit): "The response's body is larger than \(limit) bytes"
        case .unsupportedCoding(let coding):
            "The response's body has the coding \(coding.quoted), which is not supported"
        case .headersTooLarge(let limit): "The response's header fields are larger than \(limit) bytes"
        case .tooManyRedirects(let limit): "The request was redirected more than \(limit) times"
        case .insecureConnection(let origin): "The system does not allow the insecure connection to \(origin)"
        case .insecureRedirect(let origin): "The server redirects the request from https to \(origin)"
        case .foreignSecrets(let origin):
            "Secrets in the body or in the path would be sent to another origin, \(origin)"
        case .insecureCredentials(let origin): "Credentials would be sent to \(origin) without encryption"
        case .engine(let code): "The engine failed with its code \(code)"
        case .status(let status): "\(status)"
        case .emptyResponse: "The response has no body where a value was expected"
        case .decoding: "The response cannot be decoded"
        case .queueFull(let key): "Too many requests wait for \(key)"
        case .rateLimited(let key): "The rate limit for \(key) is exceeded"
        case .circuitOpen(let origin): "The circuit of \(origin) is open"
        case .stopped: "The caller stopped the request"
        }
    }
}

extension HTTPError: SafelyDescribed {}
extension HTTPError.Kind: SafelyDescribed {}
