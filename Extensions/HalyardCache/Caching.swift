public import Halyard
import HalyardFoundation
import HalyardHTTP

extension ClientPolicy {
    /// Stores responses and reuses them.
    ///
    /// - Parameter cache: The cache. Clients with the same cache share its responses.
    public static func cache(_ cache: HTTPCache) -> ClientPolicy { ClientPolicy(.cache, Caching(cache: cache)) }
}

/// The cache in the pipeline: it answers requests with stored responses, validates them and stores new ones.
///
/// The stage is below redirects, retries, credentials and cookies: it sees each request as it would be sent.
struct Caching: Interceptor {
    let cache: HTTPCache

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        let mode = next.context.value(of: CacheMode.self) ?? .standard
        guard let cacheable = CacheableRequest(request, mode) else {
            let isSafe = Self.safeMethods.contains(request.method.rawValue)
            var response = try await next.proceed(request)
            if !isSafe { await cache.invalidate(request, response) }
            response.notes.cacheRecord = CacheStatus(forwarded: isSafe ? .bypass : .method)
            return response
        }
        let now = next.context.now
        let key = CacheKey(request)
        var responses = await cache.store.responses(for: key)
        if responses.isEmpty, let key = CacheKey(withoutCookies: request) {
            responses = await cache.store.responses(for: key).filter(\.isPublic)
        }
        switch cacheable.decide(responses, now: now) {
        case .use(let stored, let detail): return try hit(stored, cacheable, next.context, now, detail)
        case .useAndValidate(let stored):
            validateInBackground(stored, cacheable, key, next)
            return try hit(stored, cacheable, next.context, now, "stale-while-revalidate")
        case .forward(let reason, let stored): return try await forward(cacheable, stored, reason, key, next)
        case .refuse(let reason):
            var response = HTTPResponse(status: 504, from: request.address)
            response.notes.cacheRecord = CacheStatus(forwarded: reason)
            response.sendCount = 0
            return response
        }
    }

    private static let safeMethods: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE"]

    /// Forwards a request, and stores the response. `stored` is the stored response to validate. `nil` for none.
    private nonisolated(nonsending) func forward(
        _ cacheable: CacheableRequest, _ stored: StoredResponse?, _ reason: CacheStatus.Reason, _ key: CacheKey,
        _ next: Chain
    ) async throws -> HTTPResponse {
        var request = cacheable.request
        let isValidating = stored != nil && !cacheable.isConditional && request.method == .get
        if let stored, isValidating { request.headers.merge(stored.validators) }
        if let control = cacheable.mode.requestControl, !request.headers.contains("Cache-Control") {
            request.headers["Cache-Control"] = control
        }
        let requested = next.context.now
        var response: HTTPResponse
        do { response = try await next.proceed(request) } catch let error as HTTPError {
            let now = next.context.now
            guard error.isTemporary || error.kind.isRefusal, let stored,
                cacheable.mayUse(stored, afterFailureAt: now)
            else { throw error }
            return try hit(stored, cacheable, next.context, now, "stale-if-error")
        }
        let received = next.context.now
        if let stored, [500, 502, 503, 504].contains(response.status),
            cacheable.mayUse(stored, afterFailureAt: received)
        {
            response.discard()
            return try hit(stored, cacheable, next.context, received, "stale-if-error")
        }
        var status = CacheStatus(forwarded: reason)
        if let stored, isValidating, response.status == 304 {
            let updated = stored.updated(
                with: response.headers, requested: requested, received: received, cache.estimates)
            status.forwardedStatus = 304
            if !CacheControl(response.headers).contains("no-store") {
                await store(updated, cacheable, key, &status)
            }
            var answer = try answer(updated, cacheable, next.context, age: nil)
            answer.metrics = response.metrics
            answer.sendCount = response.sendCount
            answer.informational = response.informational
            answer.notes.cacheRecord = status
            return answer
        }
        if let fresh = cacheable.storing(response, requested: requested, received: received, cache.estimates) {
            await store(fresh, cacheable, key, &status)
        }
        response.notes.cacheRecord = status
        return response
    }

    private nonisolated(nonsending) func store(
        _ response: StoredResponse, _ cacheable: CacheableRequest, _ key: CacheKey, _ status: inout CacheStatus
    ) async {
        // With `public`, the cookies of the request make no difference.
        let key = response.isPublic ? CacheKey(withoutCookies: cacheable.request) ?? key : key
        await cache.store.store(response, for: key)
        status.isStored = true
        let lifetime = cacheable.mode.lifetime ?? response.freshness.lifetime
        status.timeToLive = lifetime.map { Int(seconds: $0 - response.freshness.initialAge) }
    }

    /// Answers a request with a stored response.
    private func hit(
        _ stored: StoredResponse, _ cacheable: CacheableRequest, _ context: RequestContext, _ now: Double,
        _ detail: String?
    ) throws -> HTTPResponse {
        let age = stored.freshness.age(at: now)
        var response = try answer(stored, cacheable, context, age: age)
        var status = CacheStatus(forwarded: nil)
        status.timeToLive = (cacheable.mode.lifetime ?? stored.freshness.lifetime).map {
            Int(seconds: $0 - age)
        }
        status.detail = detail
        response.notes.cacheRecord = status
        response.sendCount = 0
        context.log?.log(.cached, cacheable.request, response)
        return response
    }

    /// Makes the response to a request from a stored one. `age` is the value of `Age`, which a response that was just
    /// validated does not get.
    private func answer(
        _ stored: StoredResponse, _ cacheable: CacheableRequest, _ context: RequestContext, age: Double?
    ) throws -> HTTPResponse {
        var response = HTTPResponse(status: stored.status, headers: stored.headers, from: cacheable.request.address)
        if let age { response.headers["Age"] = "\(Int(seconds: age))" }
        if cacheable.isUnchanged(stored) {
            response.status = 304
            return response
        }
        if cacheable.request.method == .head { return response }
        var body = stored.body
        if let range = cacheable.range, let (bytes, contentRange) = stored.slice(range) {
            // A copy, whose indices begin at 0.
            body = Data(body.dropFirst(bytes.lowerBound).prefix(bytes.count))
            response.status = 206
            response.headers["Content-Range"] = contentRange
            if response.headers.contains("Content-Length") { response.headers[.contentLength] = "\(body.count)" }
        }
        try response.receive(body, cacheable.request)
        context.transfer.progress?(
            .download, TransferProgress(completed: Int64(body.count), total: Int64(body.count)))
        return response
    }

    /// Validates a stored response in a task of its own, which outlives the request.
    private func validateInBackground(
        _ stored: StoredResponse, _ cacheable: CacheableRequest, _ key: CacheKey, _ next: Chain
    ) {
        guard cache.validations.withLock({ $0.insert(key).inserted }) else { return }
        // The request has ended by then, and reports no more progress.
        let next = next.with(next.context.withoutProgress)
        Task {
            // The response was answered. After an error the stored one stays.
            _ = try? await forward(cacheable, stored, .stale, key, next)
            _ = cache.validations.withLock { $0.remove(key) }
        }
    }
}

extension Int {
    /// Takes whole seconds. A lifetime may be as long as a `Duration`, which an `Int` does not hold.
    fileprivate init(seconds: Double) {
        self = Int(exactly: seconds.rounded(.down)) ?? (seconds < 0 ? .min : .max)
    }
}

extension HTTPResponse {
    /// Takes a stored body without a copy, if the request's limit allows it.
    fileprivate mutating func receive(_ body: Data, _ request: HTTPRequest) throws {
        if case .memory(let limit) = request.destination, body.count <= limit {
            data = body
        } else {
            try deliver(body, to: request)
        }
    }
}

extension RequestContext {
    /// The moment, in seconds since 1970.
    fileprivate var now: Double { time.date().timeIntervalSince1970 }
}
