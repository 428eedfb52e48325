import HalyardHTTP

extension LogEvent: CustomStringConvertible {
    /// The event as one line, without secrets: `← 200 GET https://api.example.com/users/1 1.2 kB in 34 ms`.
    public var description: String { line(Redaction(request, response)) }

    /// Returns the event as text, without secrets and without a trailing line break.
    public func text(_ detail: EventLog.Detail) -> String {
        let redaction = Redaction(request, response)
        var lines = [line(redaction)]
        if detail >= .headers { lines += headers(redaction) }
        if detail >= .bodies, let body = body(redaction) { lines.append("  " + body) }
        return lines.joined(separator: "\n")
    }

    private func line(_ redaction: Redaction) -> String {
        let subject =
            request.map { "\($0.method) \(redaction.url($0.address.text))" } ?? self.subject ?? "a request"
        let status = response.map { "\($0.status) " } ?? ""
        let parts: [String?] =
            switch kind {
            case .sent: ["→", subject]
            case .response:
                [
                    "←", status + subject, bytes?.byteCountText, duration.map { "in \($0.logText)" },
                    note.map { "(\($0))" },
                ]
            case .cached: ["⚡", status + subject, bytes?.byteCountText, "from the cache"]
            case .coalesced: ["⚡", status + subject, bytes?.byteCountText, "from an equal request"]
            case .delayed: ["⏳", subject, delay.map { "waited \($0.logText)" }, note.map { "for \($0)" }]
            case .hedged: ["⇉", subject, "a second time", delay.map { "after \($0.logText)" }]
            case .circuit: ["⏚", note, delay.map { "for \($0.logText)" }]
            case .redirected:
                ["↪", status + subject, next.map { "→ \($0.method) \(redaction.url($0.address.text))" }]
            case .retried:
                [
                    "↻", status + subject, attempt.map { "attempt \($0)" }, delay.map { "in \($0.logText)" },
                    error.map { "after: \(redaction.words(of: $0).inOneLine)" },
                ]
            case .waitingForNetwork:
                [
                    "⏳", subject, "waits for a network", delay.map { "for up to \($0.logText)" },
                    error.map { "after: \(redaction.words(of: $0).inOneLine)" },
                ]
            case .notRetried: ["↻", status + subject, "is not retried:", note]
            case .warning: ["⚠", note]
            case .failed: ["✗", subject + ":", error.map { failure($0, redaction) }]
            default: ["⏱", subject, metrics?.logText]
            }
        return parts.compactMap(\.self).joined(separator: " ")
    }

    private func failure(_ error: any Error, _ redaction: Redaction) -> String {
        let suggestion = (error as? HTTPError)?.specificSuggestion.map { ". \($0)" } ?? ""
        return redaction.headline(of: error).inOneLine + suggestion.inOneLine
    }

    /// The header fields and the body that belong to this kind of event.
    private var content: (headers: HTTPHeaders?, body: HTTPBody?) {
        switch kind {
        case .sent: (request?.headers, request?.body)
        case .response, .cached, .coalesced, .redirected: (response?.headers, response.map { HTTPBody($0.data) })
        default: (nil, nil)
        }
    }

    private func headers(_ redaction: Redaction) -> [String] {
        (content.headers ?? [:]).map { "  \($0.name): \(redaction.value(of: $0).inOneLine)" }
    }

    private func body(_ redaction: Redaction) -> String? {
        guard let body = content.body?.uncompressed, body.length != 0 else { return nil }
        let type = (content.headers ?? [:]).mediaType
        if case .bytes(let data) = body.segments.first, body.segments.count == 1,
            let text = redaction.body(data, of: type)
        {
            return text.inOneLine(2000)
        }
        return "(\(body.length.map(\.byteCountText) ?? "a stream") of \(type ?? "no type"))"
    }
}

extension LogEvent.ID: CustomStringConvertible {
    /// The number, such as `#12`.
    public var description: String { "#\(number)" }
}

extension Int64 {
    /// The number of bytes with a decimal prefix, such as `1.2 kB`.
    var byteCountText: String {
        if self < 1000 { return "\(self) B" }
        var (tenths, unit) = (self / 100, "kB")
        for larger in ["MB", "GB", "TB"] where tenths >= 10_000 { (tenths, unit) = (tenths / 1000, larger) }
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}

extension Duration {
    /// The duration in readable units: `0.4 ms`, `34 ms`, `1.2 s`.
    package var logText: String {
        let microseconds = nanoseconds / 1000
        return switch microseconds {
        case ..<10_000: "\(microseconds / 1000).\(microseconds / 100 % 10) ms"
        case ..<1_000_000: "\(microseconds / 1000) ms"
        default: "\(microseconds / 1_000_000).\(microseconds / 100_000 % 10) s"
        }
    }
}

extension TransferMetrics {
    /// The known metrics as text.
    fileprivate var logText: String {
        let times = [("lookup", nameLookup), ("connect", connect), ("TLS", tls), ("first byte", firstByte)]
        var parts = times.filter { $0.1 > .zero }.map { "\($0) \($1.logText)" }
        parts += [
            "total \(total.logText)", "\(bytesSent.byteCountText) sent",
            "\(bytesReceived.byteCountText) received",
        ]
        parts += [httpVersion, isConnectionReused ? "used connection" : nil, remoteAddress].compactMap(\.self)
        return parts.joined(separator: ", ")
    }
}
