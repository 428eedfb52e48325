package import Halyard
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
    package func entry(of response: HTTPResponse, body: Data?, chunks: [HAREntry.Chunk]? = nil) -> JSON {
        let (redaction, metrics) = (Redaction(request, response), response.metrics)
        let recorded = body.map { redaction.recorded($0, response.headers).archived }
        let content = JSON.members([
            "size": JSON(body.map { Int64($0.count) } ?? metrics?.bytesReceived ?? 0),
            "mimeType": .string(response.headers[.contentType] ?? ""),
            "text": body?.isEmpty ?? true ? nil : recorded.map { .string($0.text) },
            "encoding": recorded?.isBase64 ?? false ? "base64" : nil,
            "_chunks": chunks.map { .array($0.map { ["time": JSON($0.time), "size": JSON($0.size)] }) },
        ])
        return entry(
            [
                "status": JSON(response.status),
                "statusText": .string(HTTPResponse.reasonPhrase(for: response.status) ?? ""),
                "httpVersion": .string(metrics?.httpVersion ?? "HTTP/1.1"), "cookies": [],
                "headers": JSON.fields(redaction.masked(response.headers).map { ($0.name.rawValue, $0.value) }),
                "content": content, "redirectURL": .string(response.headers["Location"].map(redaction.url) ?? ""),
                "headersSize": -1, "bodySize": JSON(metrics?.bytesReceived ?? -1),
            ], metrics, redaction)
    }

    /// Returns the entry of an exchange that ends now with an error, as browsers write it.
    package func entry(of error: any Error) -> JSON {
        let redaction = Redaction(request, nil)
        return entry(
            [
                "status": 0, "statusText": "", "httpVersion": "", "cookies": [], "headers": [],
                "content": ["size": 0, "mimeType": ""], "redirectURL": "", "headersSize": -1, "bodySize": -1,
                "_error": .string(redaction.text("\(error)")),
            ], nil, redaction)
    }

    private func entry(_ response: JSON, _ metrics: TransferMetrics?, _ redaction: Redaction) -> JSON {
        let duration = clock.duration(to: .now)
        let sent = HAREntry.Request(request, body, redaction)
        let data = sent.body.archived
        let size = body.map { Int64($0.count) } ?? request.body?.length ?? (request.body == nil ? 0 : -1)
        let post = JSON.members([
            "mimeType": .string(sent.headers[.contentType] ?? ""), "text": .string(data.text),
            "_encoding": data.isBase64 ? "base64" : nil,
        ])
        let query = sent.url.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        return .members([
            "startedDateTime": .string(start.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
            "time": JSON(duration.harMilliseconds),
            "request": .members([
                "method": .string(sent.method), "url": .string(sent.url),
                "httpVersion": .string(metrics?.httpVersion ?? "HTTP/1.1"), "cookies": [],
                "headers": JSON.fields(sent.headers.map { ($0.name.rawValue, $0.value) }),
                "queryString": JSON.fields(query.queryItems(plusIsSpace: true)),
                "postData": sent.body.isEmpty ? nil : post, "headersSize": -1, "bodySize": JSON(size),
            ]),
            "response": response, "cache": [:], "timings": Self.timings(metrics, duration),
            "serverIPAddress": metrics?.remoteAddress.map { .string(Self.host($0)) },
        ])
    }

    /// Returns the phases of the metrics, which count from the start of the transfer. -1 is a phase that the request did
    /// not have.
    private static func timings(_ metrics: TransferMetrics?, _ duration: Duration) -> JSON {
        var (dns, connect, ssl, wait, receive) = (-1.0, -1.0, -1.0, duration.harMilliseconds, 0.0)
        if let metrics {
            let open = max(metrics.tls, metrics.connect)
            wait = max(.zero, metrics.firstByte - open).harMilliseconds
            receive = (max(metrics.total, metrics.firstByte) - metrics.firstByte).harMilliseconds
            if !metrics.isConnectionReused {
                dns = metrics.nameLookup.harMilliseconds
                // The standard includes TLS in the time for connecting.
                connect = (open - metrics.nameLookup).harMilliseconds
                if metrics.tls > .zero { ssl = (metrics.tls - metrics.connect).harMilliseconds }
            }
        }
        return [
            "blocked": -1, "dns": JSON(dns), "connect": JSON(connect), "ssl": JSON(ssl), "send": 0, "wait": JSON(wait),
            "receive": JSON(receive),
        ]
    }

    /// Removes the port from `127.0.0.1:80` or `[::1]:80`.
    private static func host(_ address: String) -> String {
        let host = address.lastIndex(of: ":").map { address[..<$0] } ?? address[...]
        return String(host.drop { $0 == "[" }.prefix { $0 != "]" })
    }
}

extension HAREntry.Request {
    /// Makes the entry of a request whose response is not known yet. Secrets are masked.
    package init(_ request: HTTPRequest, body: Data?) { self.init(request, body, Redaction(request)) }

    fileprivate init(_ request: HTTPRequest, _ body: Data?, _ redaction: Redaction) {
        self.init(
            method: request.method.rawValue, url: redaction.url(request.address.text),
            headers: redaction.masked(request.headers),
            body: body.map { redaction.recorded($0, request.headers) } ?? Data())
    }
}

extension JSON {
    /// Makes an object without the members that are `nil`.
    fileprivate static func members(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(JSON.Object(members.compactMap { name, value in value.map { (name, $0) } }))
    }

    fileprivate static func fields(_ fields: [(name: String, value: String)]) -> JSON {
        .array(fields.map { ["name": .string($0.name), "value": .string($0.value)] })
    }
}

extension Data {
    /// A body as an archive contains it: text, or bytes in base64.
    fileprivate var archived: (text: String, isBase64: Bool) {
        String(utf8: self).map { ($0, false) } ?? (base64EncodedString(), true)
    }
}

extension Redaction {
    fileprivate func masked(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(lenient: headers.map { ($0.name.rawValue, value(of: $0)) })
    }

    /// Returns a body with masked secrets.
    fileprivate func recorded(_ data: Data, _ headers: HTTPHeaders) -> Data {
        if let boundary = headers.boundary { return Data(multipart(Array(data), boundary: boundary)) }
        let masked = body(data, of: headers.mediaType) ?? String(utf8: data).map(text)
        return masked.map { Data($0.utf8) } ?? data
    }
}

extension Duration {
    package var harMilliseconds: Double { self / .milliseconds(1) }
}
