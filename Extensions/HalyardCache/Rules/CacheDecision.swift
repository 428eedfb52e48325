import HalyardHTTP

/// What a cache does with a request.
enum CacheDecision {
    /// It uses a stored response.
    case use(StoredResponse, detail: String?)
    /// It uses a stored response that is stale, and validates it in the background.
    case useAndValidate(StoredResponse)
    /// It forwards the request.
    ///
    /// - `stored`: The response that would have been used if it were fresh.
    case forward(CacheStatus.Reason, stored: StoredResponse?)
    /// It answers that nothing is stored.
    case refuse(CacheStatus.Reason)
}

/// A request, as a cache reads it. It has no side effects: the time is a parameter.
struct CacheableRequest {
    let request: HTTPRequest
    let control: CacheControl
    let mode: CacheMode
    /// The bytes that are requested. `nil` for a whole body.
    let range: ByteRange?
    /// Whether no header field is one that a cache reads, as in most requests.
    private let isPlain: Bool

    /// Reads a request. `nil` for one that passes by the cache.
    init?(_ request: HTTPRequest, _ mode: CacheMode) {
        guard request.method == .get || request.method == .head, request.body == nil, mode != .ignore,
            case .memory = request.destination
        else { return nil }
        self.request = request
        self.mode = mode
        isPlain = Self.isPlain(request.headers)
        if isPlain {
            (range, control) = (nil, CacheControl())
            return
        }
        range = request.headers["Range"].flatMap(ByteRange.init)
        // Conditions that only the server can decide, and ranges that the cache does not read.
        if request.headers.contains("Range"), range == nil || request.method == .head { return nil }
        let isForServer = ["If-Match", "If-Unmodified-Since", "If-Range"].contains(where: request.headers.contains)
        if isForServer { return nil }
        control = CacheControl(request.headers)
    }

    /// Whether no name has the length of one that a cache reads. Comparing the names would take as long as the rest of
    /// the work on a hit.
    private static func isPlain(_ headers: HTTPHeaders) -> Bool {
        headers.allSatisfy { field in
            switch field.name.rawValue.utf8.count {
            case 5, 8, 13, 17, 19: false  // Range; If-Match, If-Range; Cache-Control, If-None-Match; ...
            case 6: field.name.rawValue == "Accept"  // Pragma
            default: true
            }
        }
    }

    /// Whether the request has a condition of its own.
    var isConditional: Bool {
        !isPlain && (request.headers.contains("If-None-Match") || request.headers.contains("If-Modified-Since"))
    }

    private var needsValidation: Bool {
        mode == .revalidate || control.contains("no-cache")
            || !isPlain && !request.headers.contains("Cache-Control")
                && request.headers["Pragma"]?.lowercased().contains("no-cache") == true
    }

    private var isCacheOnly: Bool { mode == .cacheOnly || control.contains("only-if-cached") }

    /// Decides what to do.
    ///
    /// - Parameters:
    ///   - responses: The stored responses of the request's key, the latest first.
    ///   - now: The moment, in seconds since 1970.
    func decide(_ responses: [StoredResponse], now: Double) -> CacheDecision {
        if mode == .reload || control.contains("no-store") { return .forward(.request, stored: nil) }
        let decision = decide(on: responses, now)
        if case .forward(let reason, _) = decision, isCacheOnly { return .refuse(reason) }
        return decision
    }

    private func decide(on responses: [StoredResponse], _ now: Double) -> CacheDecision {
        guard let stored = responses.first(where: { $0.varying.match(request.headers) && has($0) }) else {
            let isPartial = responses.contains { $0.varying.match(request.headers) }
            return .forward(responses.isEmpty ? .uriMiss : isPartial ? .partial : .varyMiss, stored: nil)
        }
        if mode == .cacheOnly { return .use(stored, detail: nil) }
        if needsValidation { return .forward(.request, stored: stored) }
        let freshness = stored.freshness
        if freshness.needsValidation, mode.lifetime == nil { return .forward(.stale, stored: stored) }

        let age = freshness.age(at: now)
        var lifetime = mode.lifetime ?? freshness.lifetime ?? 0
        let staleness = age - lifetime
        if let maximum = control.seconds("max-age") { lifetime = min(lifetime, Double(maximum)) }
        lifetime -= Double(control.seconds("min-fresh") ?? 0)
        if lifetime > age { return .use(stored, detail: nil) }
        if freshness.mustRevalidate { return .forward(.stale, stored: stored) }
        let allowed = control.isUnqualified("max-stale") ? .infinity : control.seconds("max-stale").map(Double.init)
        if let allowed, staleness <= allowed { return .use(stored, detail: "max-stale") }
        if staleness < 0 { return .forward(.request, stored: stored) }
        if freshness.staleWhileRevalidate > 0, staleness <= freshness.staleWhileRevalidate {
            return .useAndValidate(stored)
        }
        return .forward(.stale, stored: stored)
    }

    /// Whether a stored response has the bytes that are requested.
    private func has(_ stored: StoredResponse) -> Bool {
        guard let range else { return stored.range == nil }
        // A failure has no ranges.
        return stored.range == nil && stored.status != 200 || stored.slice(range) != nil
    }

    /// Whether a stale response may be used in place of a failure of the server (RFC 5861 section 4).
    func mayUse(_ stored: StoredResponse, afterFailureAt now: Double) -> Bool {
        let freshness = stored.freshness
        guard !freshness.mustRevalidate, !freshness.needsValidation, !needsValidation else { return false }
        let allowed = max(freshness.staleIfError, Double(control.seconds("stale-if-error") ?? 0))
        return allowed > 0 && freshness.age(at: now) - (freshness.lifetime ?? 0) <= allowed
    }

    /// Whether the condition of the request is not met by a stored response, so that the answer is a 304 (RFC 9110
    /// section 13.2.2).
    func isUnchanged(_ stored: StoredResponse) -> Bool {
        guard isConditional, stored.status == 200 else { return false }
        if let tags = request.headers["If-None-Match"] {
            guard let etag = stored.headers["ETag"] else { return tags == "*" }
            return tags == "*" || list(tags, has: etag)
        }
        guard let since = request.headers["If-Modified-Since"].flatMap(HTTPDate.seconds),
            let modified = (stored.headers["Last-Modified"] ?? stored.headers["Date"]).flatMap(HTTPDate.seconds)
        else { return false }
        return modified <= since
    }
}

/// Whether a list of entity tags (RFC 9110 section 13.1.2) has one, compared weakly: `W/` makes no difference.
private func list(_ tags: String, has tag: String) -> Bool {
    // The tags are between quotes. Some servers write them without.
    let parts = tags.split(separator: "\"", omittingEmptySubsequences: false)
    let wanted = tag.split(separator: "\"", omittingEmptySubsequences: false)
    guard wanted.count == 3 else { return tags.split(separator: ",").contains { $0.filter { $0 != " " } == tag } }
    return stride(from: 1, to: parts.count - 1, by: 2).contains { parts[$0] == wanted[1] }
}

extension CacheableRequest {
    /// Returns what to store of a response (RFC 9111 section 3). `nil` if it must not be stored, or would never be used.
    ///
    /// - Parameters:
    ///   - requested: The moment when the request was sent, in seconds since 1970.
    ///   - received: The moment when the response was received.
    func storing(
        _ response: HTTPResponse, requested: Double, received: Double, _ estimates: Bool
    ) -> StoredResponse? {
        guard request.method == .get, !control.contains("no-store"), response.status != 304,
            response.notes.bodyFailure == nil
        else { return nil }
        let responseControl = CacheControl(response.headers)
        if responseControl.contains("no-store") {
            let isUnderstood = HTTPResponse.reasonPhrase(for: response.status) != nil
            guard responseControl.contains("must-understand"), isUnderstood else { return nil }
        }
        guard let varying = VaryingFields(response.headers, request.headers) else { return nil }
        let stored = StoredResponse(
            status: response.status, headers: response.headers.storable, body: response.data, varying: varying,
            requested: requested, received: received, estimates)
        if response.status == 206 {
            guard let range = stored.range, range.last - range.first + 1 == response.data.count else { return nil }
        }
        let hasValidator = response.headers.contains("ETag") || response.headers.contains("Last-Modified")
        let mayBeStored =
            stored.freshness.lifetime != nil || mode.lifetime != nil
            || Freshness.isHeuristicallyCacheable(response.status) && hasValidator
        return mayBeStored ? stored : nil
    }
}

extension StoredResponse {
    /// Whether it may be stored for requests with other cookies.
    var isPublic: Bool { CacheControl(headers).contains("public") }
}
