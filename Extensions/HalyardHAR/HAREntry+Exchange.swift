package import HalyardFoundation
package import HalyardHTTP

/// A request that was sent, before it becomes an entry of an archive. Secrets are masked as in a log.
package struct HARExchange: Sendable {
    package let request: HTTPRequest
    private let body: Data?
    private let start = Date()
    private let clock = ContinuousClock.now

    /// Begins an exchange now. `body` are the bytes of the request's body. `nil` if they are not recorded.
    package init(_ request: HTTPRequest, body: Data?) {
        self.request = request
        self.body = body
    }

    /// Returns the entry of an exchange that ends now with a response.
    ///
    /// - Parameters:
    ///   - body: The bytes of the response's body. `nil` if they are not recorded.
    ///   - chunks: The pieces of a streamed body.
    package func entry(of response: HTTPResponse, body: Data?, chunks: [HAREntry.Chunk]? = nil) -> HAREntry {
        let redaction = Redaction(request, response)
        return entry(HAREntry.Response(response, body, chunks, redaction), response.metrics, redaction)
    }

    /// Returns the entry of an exchange that ends now with an error.
    package func entry(of error: any Error) -> HAREntry {
        let redaction = Redaction(request, nil)
        return entry(HAREntry.Response(failure: redaction.text("\(error)")), nil, redaction)
    }

    private func entry(
        _ response: HAREntry.Response, _ metrics: TransferMetrics?, _ redaction: Redaction
    ) -> HAREntry {
        let duration = clock.duration(to: .now)
        return HAREntry(
            startedDateTime: start.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            time: duration.harMilliseconds,
            request: HAREntry.Request(request, body, metrics, redaction),
            response: response,
            timings: HAREntry.Timings(metrics, duration),
            serverIPAddress: metrics?.remoteAddress.map(Self.host))
    }

    /// Removes the port from `127.0.0.1:80` or `[::1]:80`.
    private static func host(_ address: String) -> String {
        let host = address.lastIndex(of: ":").map { address[..<$0] } ?? address[...]
        return String(host.drop { $0 == "[" }.prefix { $0 != "]" })
    }
}

extension HAREntry.Request {
    /// Makes the entry of a request whose response is not known yet. Secrets are masked.
    package init(_ request: HTTPRequest, body: Data?) { self.init(request, body, nil, Redaction(request)) }

    fileprivate init(_ request: HTTPRequest, _ body: Data?, _ metrics: TransferMetrics?, _ redaction: Redaction) {
        let url = redaction.url(request.address.text)
        self.init(
            method: "\(request.method)", url: url, httpVersion: metrics?.httpVersion ?? "HTTP/1.1", cookies: [],
            headers: .init(request.headers, redaction), queryString: .init(queryOf: url),
            postData: body.flatMap { $0.isEmpty ? nil : HAREntry.PostData($0, of: request.headers, redaction) },
            headersSize: -1,
            bodySize: body.map { Int64($0.count) } ?? request.body?.length ?? (request.body == nil ? 0 : -1))
    }
}

extension HAREntry.PostData {
    fileprivate init(_ data: Data, of headers: HTTPHeaders, _ redaction: Redaction) {
        let body = redaction.recordedBody(data, headers)
        self.init(
            mimeType: headers[.contentType] ?? "", text: body.text, encoding: body.isBase64 ? "base64" : nil)
    }
}

extension HAREntry.Response {
    fileprivate init(_ response: HTTPResponse, _ data: Data?, _ chunks: [HAREntry.Chunk]?, _ redaction: Redaction) {
        let body = data.map { redaction.recordedBody($0, response.headers) }
        let size = data.map { Int64($0.count) } ?? response.metrics?.bytesReceived ?? 0
        self.init(
            status: response.status, statusText: HTTPResponse.reasonPhrase(for: response.status) ?? "",
            httpVersion: response.metrics?.httpVersion ?? "HTTP/1.1", cookies: [],
            headers: .init(response.headers, redaction),
            content: HAREntry.Content(
                size: size, mimeType: response.headers[.contentType] ?? "",
                text: data?.isEmpty ?? true ? nil : body?.text,
                encoding: body?.isBase64 ?? false ? "base64" : nil,
                chunks: chunks),
            redirectURL: response.headers["Location"].map(redaction.url) ?? "",
            headersSize: -1, bodySize: response.metrics?.bytesReceived ?? -1)
    }

    fileprivate init(failure: String) {
        self.init(
            status: 0, statusText: "", httpVersion: "", cookies: [], headers: [],
            content: HAREntry.Content(size: 0, mimeType: ""), redirectURL: "", headersSize: -1, bodySize: -1,
            error: failure)
    }
}

extension [HAREntry.NameValue] {
    fileprivate init(_ headers: HTTPHeaders, _ redaction: Redaction) {
        self = headers.map { .init(name: $0.name.rawValue, value: redaction.value(of: $0)) }
    }

    fileprivate init(queryOf url: String) {
        let query = url.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        self = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return .init(name: Self.decoded(parts[0]), value: parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    private static func decoded(_ text: Substring) -> String {
        String(decoding: text.utf8.percentDecoded(plusIsSpace: true), as: UTF8.self)
    }
}

extension HTTPHeaders {
    /// Makes header fields of those in an archive. The pseudo-header fields of HTTP/2, which browsers record, and fields
    /// that are not valid are left out.
    package init(_ fields: [HAREntry.NameValue]) {
        self.init()
        for field in fields { try? append(field.value, for: field.name) }
    }
}

extension HAREntry.Timings {
    /// Makes the phases of the metrics, which count from the start of the transfer.
    fileprivate init(_ metrics: TransferMetrics?, _ duration: Duration) {
        guard let metrics else {
            wait = duration.harMilliseconds
            return
        }
        let total = max(metrics.total, metrics.firstByte)
        wait = max(.zero, metrics.firstByte - max(metrics.tls, metrics.connect)).harMilliseconds
        receive = (total - metrics.firstByte).harMilliseconds
        if metrics.isConnectionReused { return }
        dns = metrics.nameLookup.harMilliseconds
        // The standard includes TLS in the time for connecting.
        connect = (max(metrics.tls, metrics.connect) - metrics.nameLookup).harMilliseconds
        if metrics.tls > .zero { ssl = (metrics.tls - metrics.connect).harMilliseconds }
    }
}

extension Redaction {
    /// Returns a body as an archive contains it: text with masked secrets, or bytes in base64.
    func recordedBody(_ data: Data, _ headers: HTTPHeaders) -> (text: String, isBase64: Bool) {
        if let boundary = headers.boundary {
            let masked = multipart(Array(data), boundary: boundary)
            return String(utf8: Data(masked)).map { ($0, false) } ?? (Data(masked).base64EncodedString(), true)
        }
        if let text = body(data, of: headers.mediaType) { return (text, false) }
        guard let text = String(utf8: data) else { return (data.base64EncodedString(), true) }
        return (self.text(text), false)
    }
}

extension Duration {
    package var harMilliseconds: Double { self / .milliseconds(1) }
}
