import HalyardFoundation
import HalyardHTTP

/// The cookies of a jar, and the rules for storing them (draft-ietf-httpbis-rfc6265bis sections 5.7 and 5.8). It has no
/// side effects.
struct CookieStore: WrittenStore {
    struct Limits: Sendable {
        var perDomain = 50
        var total = 3000
    }

    private struct Entry: Sendable {
        var cookie: Cookie
        /// The order of creation and of the last use, as counts, because clocks can go back.
        var made, used: UInt64
    }

    /// The time, as a count, at which a cookie was stored or sent. The cookie may have been used again or removed since.
    private struct Use: Sendable {
        let domain: String
        let made, used: UInt64
    }

    private var domains: [String: [Entry]] = [:]
    /// The domains of cookies that are under a domain.
    private var subdomains: [String: Set<String>] = [:]
    /// The number of cookies.
    private var total = 0
    /// The uses of all cookies, the oldest first, so that the cookie to remove is found without a search.
    private var uses = FIFO<Use>()
    /// No cookie expires before this time.
    private var nextExpiry = Date.distantFuture
    private var count: UInt64 = 0
    /// A number that changes with each change of cookies that outlive the session.
    private(set) var revision: UInt64 = 0
    private let limits: Limits

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// All cookies, the oldest first.
    var all: [Cookie] { domains.values.joined().sorted { $0.made < $1.made }.map(\.cookie) }

    /// Returns the cookies for a request: the longest path first, then the oldest.
    func cookies(for scope: CookieScope, _ now: Date) -> [Cookie] { entries(for: scope, now).map(\.cookie) }

    /// Returns the cookies for a request that is about to be sent, and records their use.
    mutating func use(for scope: CookieScope, _ now: Date) -> [Cookie] {
        guard !domains.isEmpty else { return [] }
        let found = entries(for: scope, now)
        guard !found.isEmpty else { return [] }
        count += 1
        let made = Set(found.map(\.made))
        for domain in Set(found.map(\.cookie.domain)) {
            guard var list = domains.removeValue(forKey: domain) else { continue }
            let places = list.indices.filter { made.contains(list[$0].made) }
            for place in places { list[place].used = count }
            domains[domain] = list
            for place in places { record(list[place]) }
        }
        return found.map(\.cookie)
    }

    private func entries(for scope: CookieScope, _ now: Date) -> [Entry] {
        let found = scope.domains.flatMap { domains[$0] ?? [] }
            .filter { scope.takes($0.cookie) && !$0.cookie.isExpired(at: now) }
        return found.sorted {
            let (left, right) = ($0.cookie.path.utf8.count, $1.cookie.path.utf8.count)
            return left == right ? $0.made < $1.made : left > right
        }
    }

    /// Stores a cookie, in place of the one that it replaces, whose creation time it keeps. An expired cookie only
    /// removes.
    mutating func set(_ cookie: Cookie, _ now: Date) {
        count += 1
        var list = domains.removeValue(forKey: cookie.domain) ?? []
        total -= list.count
        let old = list.firstIndex { cookie.replaces($0.cookie) }.map { list.remove(at: $0) }
        let isThere = !cookie.isExpired(at: now)
        let entry = Entry(cookie: cookie, made: old?.made ?? count, used: count)
        if isThere { list.append(entry) }
        put(list, of: cookie.domain)
        if isThere {
            record(entry)
            nextExpiry = min(nextExpiry, cookie.expires ?? .distantFuture)
        }
        if differ(old?.cookie, isThere ? cookie : nil) { revision += 1 }
        shrink(cookie.domain, now)
    }

    mutating func removeAll(where isGone: (Cookie) -> Bool) {
        for (domain, list) in domains {
            let kept = list.filter { !isGone($0.cookie) }
            guard kept.count < list.count else { continue }
            total -= list.count
            put(kept, of: domain)
            if list.contains(where: { $0.cookie.expires != nil && isGone($0.cookie) }) { revision += 1 }
        }
    }

    /// Stores the cookies of a domain, which are not counted yet.
    private mutating func put(_ list: [Entry], of domain: String) {
        domains[domain] = list.isEmpty ? nil : list
        total += list.count
        for parent in CookieScope.domains(of: domain).dropFirst() {
            if list.isEmpty {
                subdomains[parent]?.remove(domain)
            } else {
                subdomains[parent, default: []].insert(domain)
            }
            if subdomains[parent]?.isEmpty == true { subdomains[parent] = nil }
        }
    }

    /// Records the use of a stored cookie. All uses but the last of each cookie are forgotten when they are the majority.
    private mutating func record(_ entry: Entry) {
        uses.append(Use(domain: entry.cookie.domain, made: entry.made, used: entry.used))
        guard uses.count > 4 * total + 64 else { return }
        uses = FIFO()
        for entry in domains.values.joined().sorted(by: { $0.used < $1.used }) {
            uses.append(Use(domain: entry.cookie.domain, made: entry.made, used: entry.used))
        }
    }

    /// Returns whether a change is worth a write. An expiry time that moves by less than a minute is not, because
    /// servers move it with each response.
    private func differ(_ old: Cookie?, _ new: Cookie?) -> Bool {
        guard let end = old?.expires, let newEnd = new?.expires else {
            return old?.expires != nil || new?.expires != nil
        }
        return abs(newEnd.timeIntervalSince(end)) >= 60 || old?.expiring(newEnd) != new
    }

    /// Removes cookies beyond the limits: first expired ones, then those of a domain without `Secure`, then those that
    /// were not used for the longest time (section 5.7).
    private mutating func shrink(_ domain: String, _ now: Date) {
        if let list = domains[domain], list.count > limits.perDomain {
            var left = list.filter { !$0.cookie.isExpired(at: now) }
            while left.count > limits.perDomain {
                let places = left.indices.filter { !left[$0].cookie.isSecure }
                let oldest = (places.isEmpty ? Array(left.indices) : places).min { left[$0].used < left[$1].used }
                if let oldest { left.remove(at: oldest) }
            }
            total -= list.count
            put(left, of: domain)
            revision += 1
        }
        if total > limits.total, nextExpiry <= now {
            removeAll { $0.isExpired(at: now) }
            // Servers state times in seconds, so that all cookies are searched at most once a second.
            let first = domains.values.joined().compactMap(\.cookie.expires).min() ?? .distantFuture
            nextExpiry = max(first, now.addingTimeInterval(1))
        }
        while total > limits.total, let use = uses.removeFirst() { removeUnused(use) }
    }

    /// Removes a cookie, unless it was used again.
    private mutating func removeUnused(_ use: Use) {
        guard var list = domains[use.domain],
            let place = list.firstIndex(where: { $0.made == use.made && $0.used == use.used })
        else { return }
        if list.remove(at: place).cookie.expires != nil { revision += 1 }
        total -= list.count + 1
        put(list, of: use.domain)
    }
}

// Cookies from a server.
extension CookieStore {
    /// Stores the cookie of a `Set-Cookie` field, unless it must be rejected.
    mutating func store(_ field: SetCookie, from scope: CookieScope, _ suffixes: PublicSuffixes, _ now: Date) {
        if let cookie = field.cookie(from: scope, suffixes, now) { store(cookie, from: scope, now) }
    }

    /// Stores a cookie of a server, unless it is from http and would replace or precede one from https.
    mutating func store(_ cookie: Cookie, from scope: CookieScope, _ now: Date) {
        if scope.isSecure || !isBelowSecure(cookie, now) { set(cookie, now) }
    }

    private func isBelowSecure(_ cookie: Cookie, _ now: Date) -> Bool {
        let related = CookieScope.domains(of: cookie.domain) + (subdomains[cookie.domain] ?? [])
        return related.contains { domain in
            domains[domain]?.contains { entry in
                let old = entry.cookie
                return old.isSecure && old.name == cookie.name && !old.isExpired(at: now)
                    && CookieScope.path(cookie.path, matches: old.path)
            } ?? false
        }
    }
}

extension SetCookie {
    /// The maximum age, in seconds: 400 days.
    private static let longestAge: Double = 400 * 24 * 3600

    /// Returns the cookie, unless it must be rejected whatever other cookies there are.
    func cookie(from scope: CookieScope, _ suffixes: PublicSuffixes, _ now: Date) -> Cookie? {
        var domain = domain
        guard domain.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if !domain.isEmpty, !suffixes.allow(domain) {
            // A host may set cookies for itself, even if it is a public suffix.
            guard domain == scope.host else { return nil }
            domain = ""
        }
        guard domain.isEmpty || CookieScope.domain(scope.host, matches: domain) else { return nil }
        let cookie = Cookie(
            name: name, value: value, domain: domain.isEmpty ? scope.host : domain, isHostOnly: domain.isEmpty,
            path: path ?? scope.defaultPath, expires: expiry(now), isSecure: isSecure, isHTTPOnly: isHTTPOnly,
            sameSite: sameSite)
        guard scope.isSecure || !isSecure, isSecure || sameSite != Cookie.SameSite.none,
            cookie.prefixViolation == nil, path != nil || !cookie.hasHostPrefix
        else { return nil }
        return cookie
    }

    private func expiry(_ now: Date) -> Date? {
        if let age = maxAge {
            return age <= 0 ? .distantPast : now.addingTimeInterval(min(Double(age), Self.longestAge))
        }
        return expires.map { min($0, now.addingTimeInterval(Self.longestAge)) }
    }
}
