public import HalyardHTTP

extension HTTPRequest {
    /// The request as a line to paste into a POSIX shell: `curl -X POST https://api.example.com/users -H …`.
    ///
    /// ```swift
    /// print(try api.prepare(.user("1")).curlLine())
    /// ```
    ///
    /// Secrets are masked, as in a log. A body in memory stands in the line; bytes that are no text, or more than a
    /// terminal takes, come from a `printf` before it. Without secrets a body is left out where nobody can tell what in
    /// it is one: it is not text, JSON, a form or a picture. A file is named for curl to read; for a stream, which can be
    /// read once, stands what it is, and nothing of it is read.
    ///
    /// - Parameter showingSecrets: whether credentials, cookies and the rest stand in the line as they are sent.
    public func curlLine(showingSecrets: Bool = false) -> String {
        CurlLine(self, showingSecrets ? nil : Redaction(self)).text
    }
}

/// Writes a request as a line for curl.
struct CurlLine {
    private let request: HTTPRequest
    /// Nil shows everything.
    private let redaction: Redaction?

    init(_ request: HTTPRequest, _ redaction: Redaction?) {
        self.request = request
        self.redaction = redaction
    }

    var text: String {
        let body = CurlBody(request, redaction)
        let words = ["curl"] + method + [Shell.quoted(url)] + headers + body.words
        return (body.input.map { [$0 + " |"] + words } ?? words).joined(separator: " ")
    }

    private var sendsBody: Bool { request.body != nil || [.post, .put, .patch].contains(request.method) }

    private var method: [String] {
        switch request.method {
        case .get where !sendsBody: []
        case .head where !sendsBody: ["-I"]
        default: ["-X", Shell.quoted(request.method.rawValue)]
        }
    }

    private var url: String { redaction?.url(request.address.text) ?? request.address.text }

    private var headers: [String] {
        // curl would have a meaning for brackets, and shorten a path with dots.
        var words = request.address.text.utf8.contains(where: "[]{}".utf8.contains) ? ["-g"] : []
        if request.address.text.contains("/.") { words.append("--path-as-is") }
        for field in request.headers {
            let value = redaction?.value(of: field) ?? field.value
            words += ["-H", Shell.quoted(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")]
        }
        // What curl would add.
        for name in [.accept, .userAgent] + (sendsBody ? [HTTPHeaders.Name.contentType] : [])
        where !request.headers.contains(name.rawValue) {
            words += ["-H", Shell.quoted("\(name):")]
        }
        return words
    }
}
