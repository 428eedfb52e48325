import HalyardHTTP

extension CacheableRequest {
    /// Returns what to store of a response (RFC 9111 section 3). `nil` if it must not be stored, or would never be used.
    ///
    /// - Parameters:
    ///   - requested: The moment when the request was sent, in seconds since 1970.
    ///   - received: The moment when the response was received.
    func storing(
        _ response: HTTPResponse, requested: Double, received: Double, _ heuristic: CacheHeuristic
    ) -> StoredResponse? {
        guard request.method == .get, !control.contains("no-store"), response.status != 304, response.bodyFailure == nil
        else { return nil }
        let responseControl = CacheControl(response.headers)
        if responseControl.contains("no-store") {
            let isUnderstood = HTTPResponse.reasonPhrase(for: response.status) != nil
            guard responseControl.contains("must-understand"), isUnderstood else { return nil }
        }
        var range: ContentRange?
        if response.status == 206 {
            range = response.headers["Content-Range"].flatMap { ContentRange($0) }
            guard let range, range.last - range.first + 1 == response.data.count else { return nil }
        }
        guard let varying = VaryingFields(response.headers, request.headers) else { return nil }
        let freshness = Freshness(
            response.status, response.headers, requested: requested, received: received, heuristic: heuristic)
        let isExplicit = freshness.lifetime != nil && !freshness.isHeuristic || mode.lifetime != nil
        let hasValidator = response.headers.contains("ETag") || response.headers.contains("Last-Modified")
        let mayBeStored =
            isExplicit || freshness.isHeuristic
            || Freshness.isHeuristicallyCacheable(response.status) && hasValidator
        guard mayBeStored else { return nil }
        return StoredResponse(
            status: response.status, headers: response.headers.storable, body: response.data, range: range,
            varying: varying, freshness: freshness, requested: requested)
    }
}

extension StoredResponse {
    /// Whether it may be stored for requests with other cookies.
    var isPublic: Bool { CacheControl(headers).contains("public") }
}
