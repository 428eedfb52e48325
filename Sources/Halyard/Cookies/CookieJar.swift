public import HalyardFoundation
public import HalyardHTTP

/// Where a client keeps cookies (draft-ietf-httpbis-rfc6265bis): in memory, or in a file as well. Clients that are given the
/// same jar share its cookies.
///
/// ```swift
/// let jar = try CookieJar(file: folder.appending(path: "cookies.json"))
/// let client = HTTPClient(configuration: .init(cookies: jar))
/// ```
///
/// Each attempt to send a request, those of redirects and retries too, gets the cookies for its URL; each response, a
/// redirect or a 401 too, may set some. A request with a `Cookie` field of its own gets none beside it.
public final class CookieJar: Sendable {
    private let suffixes: PublicSuffixes
    private let now: @Sendable () -> Date
    private let store: Lock<CookieStore>
    /// Nil for a jar in memory.
    private let writer: CookieWriter?

    /// Makes a jar in memory.
    ///
    /// - Parameter suffixes: names that no cookie may be set for; the machine's list unless given.
    public convenience init(suffixes: PublicSuffixes = .platform) {
        self.init([], nil, suffixes, CookieStore.Limits()) { Date() }
    }

    /// Makes a jar whose cookies are in a file as well, but for those that end with the session. What a response sets is in
    /// the file when the response is there.
    ///
    /// Changes that are made during a write are written together by the next one. Reading the jar never waits for the disk.
    ///
    /// The file is replaced as a whole: after a crash the old or the new one stands there. Nobody but its user may read it
    /// (mode 0600). Of two processes that write it the last one wins.
    ///
    /// - Parameters:
    ///   - file: is made where it is missing.
    ///   - suffixes: names that no cookie may be set for; the machine's list unless given.
    /// - Throws: ``HTTPError`` of kind `unreadableFile` for a file that is no jar's, or broken: it is left as it is. Cookies
    ///   in it that no server may set, such as one for a public suffix, are left out.
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
        _ cookies: [Cookie], _ write: CookieWriter.Write?, _ suffixes: PublicSuffixes, _ limits: CookieStore.Limits,
        now: @escaping @Sendable () -> Date
    ) {
        var store = CookieStore(limits)
        for cookie in cookies where suffixes.allow(cookie) { store.set(cookie, now()) }
        self.suffixes = suffixes
        self.now = now
        self.store = Lock(store)
        writer = write.map { [store = self.store] in CookieWriter(store, $0) }
    }
}

// What is in it.
extension CookieJar {
    /// All cookies that have not expired, the oldest first.
    public var all: [Cookie] {
        let now = now()
        return store.withLock { $0.all }.filter { !$0.isExpired(at: now) }
    }

    /// The cookies that a request to the URL would get, in the order in which they are sent.
    public func cookies(for url: URL) -> [Cookie] {
        guard let scope = CookieScope(ofURL: url.absoluteString) else { return [] }
        let now = now()
        return store.withLock { $0.cookies(for: scope, now) }
    }

    /// Puts a cookie in, instead of one with the same name, domain and path. One that has expired only removes that one.
    ///
    /// With a file this returns when the file has the change, as the other methods that change the jar do: it blocks its
    /// caller for as long as the disk takes. ``writeError`` says whether that failed.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidHeader` for a cookie that is not for its host alone, and whose domain is a
    ///   public suffix or an IP address: it would go to strangers.
    public func set(_ cookie: Cookie) throws(HTTPError) {
        guard suffixes.allow(cookie) else {
            throw HTTPError(
                .invalidHeader("Cookie"), reason: "its domain \(cookie.domain) is a public suffix or an IP address",
                suggestion: "Name the host that the cookie is for, or make the cookie isHostOnly")
        }
        change { $0.set(cookie, $1) }
    }

    /// Removes a cookie; its value and times do not count.
    public func remove(_ cookie: Cookie) { change { store, _ in store.removeAll(where: cookie.replaces) } }

    /// Removes all cookies, or those that a closure says.
    public func removeAll(where isGone: (Cookie) -> Bool = { _ in true }) {
        change { store, _ in store.removeAll(where: isGone) }
    }

    /// Removes the cookies that have no end of their own, as a browser does when it is closed.
    public func endSession() { removeAll { $0.expires == nil } }

    private func change(_ action: (inout CookieStore, Date) -> Void) {
        if changes(action) { writer?.flush() }
    }

    /// Whether the file has something new to hold.
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
    /// Why the file could not be written the last time that there was something to write; nil when all is in it.
    ///
    /// No request fails for that: the cookies are in memory, and are written with the next change. Reading this never
    /// waits for a write.
    public var writeError: HTTPError? { writer?.error }

    /// Writes the file now, with or without a change, and returns when it is on the disk. Does nothing for a jar in memory.
    ///
    /// - Throws: ``HTTPError`` of kind `unwritableFile`.
    public func save() throws(HTTPError) {
        if let error = writer?.flush(isForced: true) { throw error }
    }
}

// What the pipeline asks.
extension CookieJar {
    /// The request with the cookies for its URL, unless it has some.
    func adding(to request: HTTPRequest) -> HTTPRequest {
        guard !request.headers.contains("Cookie"), let scope = CookieScope(ofURL: request.address.text) else {
            return request
        }
        let now = now()
        let cookies = store.withLock { $0.use(for: scope, now) }
        guard !cookies.isEmpty else { return request }
        var request = request
        request.headers[.cookie] = cookies.map(\.pair).joined(separator: "; ")
        return request
    }

    /// Keeps what a response sets. Waits until the file has it, and for no other write than those.
    func take(_ response: HTTPResponse) async {
        let fields = response.headers.values(for: "Set-Cookie").compactMap(SetCookie.init)
        guard !fields.isEmpty, let scope = CookieScope(ofURL: response.address.text) else { return }
        let hasChanged = changes { store, now in
            for field in fields { store.store(field, from: scope, suffixes, now) }
        }
        guard let writer else { return }
        // What it sets may have been set before by another response, and not be written yet.
        if hasChanged || fields.contains(where: \.outlivesSession) && writer.isBehind { await writer.written() }
    }
}

extension SetCookie {
    /// Whether it names an end, and so is kept in a file.
    fileprivate var outlivesSession: Bool { maxAge != nil || expires != nil }
}
