import Dispatch

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
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
    private struct Written: Sendable {
        var revision: UInt64 = 0
        var error: HTTPError?
    }

    private struct Waiting: Sendable {
        var list: [CheckedContinuation<Void, Never>] = []
        var isWriting = false
    }

    private let suffixes: PublicSuffixes
    private let now: @Sendable () -> Date
    private let file: CookieFile?
    private let store: Lock<CookieStore>
    /// Held while the file is written.
    private let written = Lock(Written())
    /// Those whose cookies are to be in the file before they go on.
    private let waiting = Lock(Waiting())

    /// Makes a jar in memory.
    ///
    /// - Parameter suffixes: names that no cookie may be set for; the machine's list unless given.
    public convenience init(suffixes: PublicSuffixes = .platform) {
        self.init([], nil, suffixes, CookieStore.Limits()) { Date() }
    }

    /// Makes a jar whose cookies are in a file as well, but for those that end with the session. What a response sets is in
    /// the file when the response is there.
    ///
    /// The file is replaced as a whole: after a crash the old or the new one stands there. Nobody but its user may read it
    /// (mode 0600). Of two processes that write it the last one wins.
    ///
    /// - Parameters:
    ///   - file: is made where it is missing.
    ///   - suffixes: names that no cookie may be set for; the machine's list unless given.
    /// - Throws: ``HTTPError`` of kind `unreadableFile` for a file that is no jar's, or broken: it is left as it is.
    public convenience init(file: URL, suffixes: PublicSuffixes = .platform) throws(HTTPError) {
        try self.init(file: file, suffixes) { Date() }
    }

    convenience init(
        file: URL, _ suffixes: PublicSuffixes, now: @escaping @Sendable () -> Date
    ) throws(HTTPError) {
        let file = CookieFile(url: file)
        self.init(try file.read(), file, suffixes, CookieStore.Limits(), now: now)
    }

    init(
        _ cookies: [Cookie], _ file: CookieFile?, _ suffixes: PublicSuffixes, _ limits: CookieStore.Limits,
        now: @escaping @Sendable () -> Date
    ) {
        var store = CookieStore(limits)
        for cookie in cookies { store.set(cookie, now()) }
        self.file = file
        self.suffixes = suffixes
        self.now = now
        self.store = Lock(store)
        let revision = store.revision
        written.withLock { $0.revision = revision }
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
    public func set(_ cookie: Cookie) { change { $0.set(cookie, $1) } }

    /// Removes a cookie; its value and times do not count.
    public func remove(_ cookie: Cookie) { change { store, _ in store.removeAll(where: cookie.replaces) } }

    /// Removes all cookies, or those that a closure says.
    public func removeAll(where isGone: (Cookie) -> Bool = { _ in true }) {
        change { store, _ in store.removeAll(where: isGone) }
    }

    /// Removes the cookies that have no end of their own, as a browser does when it is closed.
    public func endSession() { removeAll { $0.expires == nil } }

    private func change(_ action: (inout CookieStore, Date) -> Void) {
        if changes(action) { write() }
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
    /// No request fails for that: the cookies are in memory, and are written with the next change.
    public var writeError: HTTPError? { written.withLock { $0.error } }

    /// Writes the file now, whether there is a need or not. Nothing happens to a jar in memory.
    ///
    /// - Throws: ``HTTPError`` of kind `unwritableFile`.
    public func save() throws(HTTPError) {
        written.withLock { $0.revision = .max }
        write()
        if let writeError { throw writeError }
    }

    /// Has the file written, once for all that wait, on no thread of the cooperative pool.
    private func writing() async {
        guard file != nil else { return }
        await withCheckedContinuation { continuation in
            let starts = waiting.withLock { waiting in
                waiting.list.append(continuation)
                defer { waiting.isWriting = true }
                return !waiting.isWriting
            }
            if starts { DispatchQueue.global().async { self.writeForAll() } }
        }
    }

    private func writeForAll() {
        while true {
            let list = waiting.withLock { waiting in
                let list = waiting.list
                waiting = Waiting(list: [], isWriting: !list.isEmpty)
                return list
            }
            guard !list.isEmpty else { return }
            write()
            for continuation in list { continuation.resume() }
        }
    }

    private func write() {
        guard let file else { return }
        written.withLock { written in
            let (revision, cookies) = store.withLock { ($0.revision, $0.all) }
            guard revision != written.revision else { return }
            do throws(HTTPError) {
                try file.write(cookies)
                written = Written(revision: revision)
            } catch { written.error = error }
        }
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

    /// Keeps what a response sets, in the file as well.
    func take(_ response: HTTPResponse) async {
        let fields = response.headers.values(for: "Set-Cookie").compactMap(SetCookie.init)
        guard !fields.isEmpty, let scope = CookieScope(ofURL: response.address.text) else { return }
        let hasChanged = changes { store, now in
            for field in fields { store.store(field, from: scope, suffixes, now) }
        }
        if hasChanged { await writing() }
    }
}
