public import HalyardHTTP

extension HTTPRequest {
    /// Returns the request as a command for a POSIX shell: `curl -X POST https://api.example.com/users -H …`.
    ///
    /// ```swift
    /// print(try api.prepare(.user("1")).curlCommand())
    /// ```
    ///
    /// Secrets are masked, as in a log:
    ///
    /// - Text in memory is an argument. Other bytes, and long bodies, come from a `printf` before the command.
    /// - A body that may contain secrets that cannot be found is left out, unless `showingSecrets` is true. This
    ///   applies to bodies that are not text, JSON, a form or a picture.
    /// - A body that was compressed is shown as it was before, and so is not compressed.
    /// - A file is named, and curl reads it.
    /// - A stream is described. It can be read only once, and is not read here.
    ///
    /// - Parameter showingSecrets: Whether credentials, cookies and other secrets are in the command. Defaults to
    ///   `false`.
    public func curlCommand(showingSecrets: Bool = false) -> String {
        CurlCommand(self, showingSecrets ? nil : Redaction(self)).text
    }
}

/// Writes a request as a curl command.
struct CurlCommand {
    private let request: HTTPRequest
    /// Masks secrets. `nil` to show everything.
    private let redaction: Redaction?

    init(_ request: HTTPRequest, _ redaction: Redaction?) {
        self.request = request
        self.redaction = redaction
    }

    var text: String {
        let body = CurlBody(request, redaction)
        let arguments = ["curl"] + method + [Shell.quoted(url)] + headers + body.arguments
        return (body.input.map { [$0 + " |"] + arguments } ?? arguments).joined(separator: " ")
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
        // curl interprets brackets, and shortens a path with dots.
        var arguments = request.address.text.utf8.contains(where: "[]{}".utf8.contains) ? ["-g"] : []
        if request.address.text.contains("/.") { arguments.append("--path-as-is") }
        let isCompressed = request.body?.isCompressed ?? false
        for field in request.headers where !(isCompressed && field.name.matches("Content-Encoding")) {
            let value = redaction?.value(of: field) ?? field.value
            arguments += ["-H", Shell.quoted(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")]
        }
        // Header fields that curl adds by itself.
        for name in [.accept, .userAgent] + (sendsBody ? [HTTPHeaders.Name.contentType] : [])
        where !request.headers.contains(name.rawValue) {
            arguments += ["-H", Shell.quoted("\(name):")]
        }
        return arguments
    }
}
