public import HalyardFoundation
public import HalyardHTTP

/// Stores the cookies of a client (draft-ietf-httpbis-rfc6265bis) in memory, and optionally in a file. Clients with the
/// same jar share its cookies.
///
/// ```swift
/// let jar = try CookieJar(file: folder.appending(path: "cookies.json"))
/// let client = HTTPClient(configuration: .init(cookies: jar))
/// ```
///
/// Each send of a request carries the cookies for its URL, including redirects and retries. Each response may set
/// cookies, even a redirect or a 401. A request with its own `Cookie` header gets no others.
public final class CookieJar: Sendable {
    private let suffixes: PublicSuffixes
    private let now: @Sendable () -> Date
    private let store: Lock<CookieStore>
    /// Writes the file. `nil` for a jar in memory.
    private let writer: StoreWriter<CookieStore>?

    /// Creates a jar in memory. No cookie may be set for a domain of `suffixes`. The clock decides when cookies expire;
    /// a test can pass its client's clock. `ContinuousClock` means the time of day.
    public convenience init(suffixes: PublicSuffixes = .platform, clock: some Clock<Duration> = ContinuousClock()) {
        self.init([], nil, suffixes, CookieStore.Limits(), now: PipelineTime(clock).date)
    }

    /// Creates a jar with a file. The file contains all cookies except those that end with the session. By the time a
    /// response is returned, its cookies are in the file.
    ///
    /// Changes that occur during a write are written together by the next one. Reading the jar never waits for the
    /// disk.
    ///
    /// The file is replaced as a whole: after a crash, it has either the old or the new content. Only its user can read
    /// it (mode 0600). If two processes write it, the last write wins.
    ///
    /// - Throws: ``HTTPError`` of kind `unreadableFile` if the file is damaged or not a cookie jar. The file is then
    ///   not changed. Cookies in it that no server may set, such as one for a public suffix, are ignored.
    public convenience init(file: URL, suffixes: PublicSuffixes = .platform) throws(HTTPError) {
        try self.init(file: file, suffixes) { Date() }
    }

    convenience init(
        file: URL, _ suffixes: PublicSuffixes, now: @escaping @Sendable () -> Date
    ) throws(HTTPError) {
        let file = CookieFile(url: file)
        self.init(try file.read(), file.write, suffixes, CookieStore.Limits(), now: now)
    }

    init(
        _ cookies: [Cookie], _ write: StoreWriter<CookieStore>.Write?, _ suffixes: PublicSuffixes,
        _ limits: CookieStore.Limits,
        now: @escaping @Sendable () -> Date
    ) {
        var store = CookieStore(limits)
        for cookie in cookies where suffixes.allow(cookie) { store.set(cookie, now()) }
        self.suffixes = suffixes
        self.now = now
        self.store = Lock(store)
        writer = write.map { [store = self.store] in StoreWriter(store, $0) }
    }
}

// The content.
extension CookieJar {
    /// All cookies that have not expired, oldest first.
    public var cookies: [Cookie] {
        let now = now()
        return store.withLock { $0.all }.filter { !$0.isExpired(at: now) }
    }

    /// Returns the cookies for a request to a URL, in the order in which they are sent. Empty if no request can have
    /// the URL.
    public func cookies(for url: URL) -> [Cookie] {
        guard let scope = CookieScope(ofURL: url.absoluteString) else { return [] }
        let now = now()
        return store.withLock { $0.cookies(for: scope, now) }
    }

    /// Stores a cookie, replacing one with the same name, domain and path. An expired cookie only removes that one.
    ///
    /// If the jar has a file, this method and the others that change the jar block the caller until the file is
    /// written. If a write fails, ``writeError`` contains the error.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidHeader` if the cookie is not host-only and its domain is a public suffix
    ///   or an IP address.
    public func set(_ cookie: Cookie) throws(HTTPError) {
        guard suffixes.allow(cookie) else {
            throw HTTPError(
                .invalidHeader("Cookie"), reason: "its domain \(cookie.domain) is a public suffix or an IP address",
                suggestion: "Name the host that the cookie is for, or make the cookie isHostOnly")
        }
        change { $0.set(cookie, $1) }
    }

    /// Removes a cookie. Its value and times are not compared.
    public func remove(_ cookie: Cookie) { change { store, _ in store.removeAll(where: cookie.replaces) } }

    /// Removes the cookies for which a closure returns `true`, or all cookies.
    public func removeAll(where isGone: (Cookie) -> Bool = { _ in true }) {
        // The caller's closure may use the jar, so that it is not called under the lock.
        let gone = Set(store.withLock { $0.all }.filter(isGone))
        change { store, _ in store.removeAll(where: gone.contains) }
    }

    /// Removes the cookies without an expiry time, as a browser does when it is closed.
    public func endSession() { removeAll { $0.expires == nil } }

    private func change(_ action: (inout CookieStore, Date) -> Void) {
        if changes(action) { writer?.flush() }
    }

    /// Changes the store, and returns whether the file must be written.
    private func changes(_ action: (inout CookieStore, Date) -> Void) -> Bool {
        let now = now()
        return store.withLock { store in
            let revision = store.revision
            action(&store, now)
            return store.revision != revision
        }
    }
}

// The file.
extension CookieJar {
    /// The error of the last write to the file; `nil` if the file contains all cookies.
    ///
    /// A failed write does not fail a request. The cookies stay in memory and are written with the next change. Reading
    /// this property never waits for a write.
    public var writeError: HTTPError? { writer?.error }

    /// Writes the file now, even if nothing has changed, and returns once it is on disk. For a jar in memory, this does
    /// nothing.
    ///
    /// - Throws: ``HTTPError`` of kind `unwritableFile`.
    public func save() throws(HTTPError) {
        if let error = writer?.flush(isForced: true) { throw error }
    }
}

// The use in the pipeline.
extension CookieJar {
    /// Returns the request with the cookies for its URL. A request with a `Cookie` field is not changed.
    func adding(to request: HTTPRequest) -> HTTPRequest {
        guard !request.headers.contains("Cookie"), let scope = CookieScope(ofURL: request.address.text) else {
            return request
        }
        let now = now()
        let cookies = store.withLock { $0.use(for: scope, now) }
        guard !cookies.isEmpty else { return request }
        var request = request
        request.headers["Cookie"] = cookies.map(\.pair).joined(separator: "; ")
        return request
    }

    /// Stores the cookies that a response sets. It waits until the file has them, but not for later writes.
    func store(cookiesOf response: HTTPResponse) async {
        let fields = response.headers.values(for: "Set-Cookie").compactMap(SetCookie.init)
        guard !fields.isEmpty, let scope = CookieScope(ofURL: response.address.text) else { return }
        // A list of the user's is not asked under the lock.
        let cookies = fields.compactMap { [now = now()] in $0.cookie(from: scope, suffixes, now) }
        let hasChanged = changes { store, now in
            for cookie in cookies { store.store(cookie, from: scope, now) }
        }
        guard let writer else { return }
        // Another response may have set the same cookies before, and they may not be written yet.
        if hasChanged || fields.contains(where: \.outlivesSession) && writer.isBehind { await writer.written() }
    }
}

extension SetCookie {
    /// Whether the field has an expiry time, so that the cookie is written to a file.
    fileprivate var outlivesSession: Bool { maxAge != nil || expires != nil }
}
