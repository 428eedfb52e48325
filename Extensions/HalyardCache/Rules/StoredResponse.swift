import HalyardFoundation
import HalyardHTTP

/// A response in a cache.
///
/// It is a class: a hit copies one reference, and not all fields.
final class StoredResponse: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: Data
    /// The bytes of a whole body that ``body`` has. `nil` for a whole body.
    let range: ContentRange?
    /// The header fields of the request that `Vary` names.
    let varying: VaryingFields
    let freshness: Freshness
    /// The moment when its request was sent, in seconds since 1970.
    let requested: Double

    /// - Parameters:
    ///   - requested: The moment when its request was sent, in seconds since 1970.
    ///   - received: The moment when it was received, or was validated last.
    init(
        status: Int, headers: HTTPHeaders, body: Data, varying: VaryingFields, requested: Double, received: Double,
        _ estimates: Bool
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.varying = varying
        self.requested = requested
        range = status == 206 ? headers["Content-Range"].flatMap { ContentRange($0) } : nil
        freshness = Freshness(status, headers, requested: requested, received: received, estimates: estimates)
    }

    /// The number of bytes that it counts for in the limit of a cache.
    var cost: Int { 512 + body.count + headers.reduce(0) { $0 + $1.name.rawValue.utf8.count + $1.value.utf8.count } }

    /// The field that a request validates the response with (RFC 9110 section 13.1).
    var validators: HTTPHeaders {
        var headers = HTTPHeaders()
        if let etag = self.headers["ETag"] { headers["If-None-Match"] = etag }
        if let modified = self.headers["Last-Modified"] { headers["If-Modified-Since"] = modified }
        return headers
    }

    /// Returns the response with the header fields of a 304 (RFC 9111 section 3.2).
    ///
    /// - Parameters:
    ///   - newHeaders: The fields of the 304.
    ///   - requested: The moment when the request was sent.
    ///   - received: The moment when the 304 was received.
    func updated(
        with newHeaders: HTTPHeaders, requested: Double, received: Double, _ estimates: Bool
    ) -> StoredResponse {
        var merged = headers
        merged.remove("Age")
        var updates = newHeaders.storable
        updates.removeAll { field in Self.framing.contains { field.name.rawValue.equalsIgnoringASCIICase($0) } }
        merged.merge(updates)
        return StoredResponse(
            status: status, headers: merged, body: body, varying: varying, requested: requested, received: received,
            estimates)
    }

    /// Fields that describe the stored bytes. A 304 does not change them.
    private static let framing = ["Content-Length", "Content-Encoding", "Content-Range"]
}

extension HTTPHeaders {
    /// The fields that a cache may store (RFC 9111 section 3.1): not those of the connection.
    var storable: HTTPHeaders {
        let listed = Self.connectionFields.union(list("Connection"))
        var headers = self
        headers.removeAll { listed.contains($0.name.rawValue.lowercased()) }
        return headers
    }

    private static let connectionFields: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]
}
