import Foundation
import HalyardAsync

// The parsers of responses are internal. They are tested through a client whose transport returns the hostile text. The
// result is then sent to the checker.

/// A transport that responds from a list, and records the requests.
actor Script: Transport {
    private var answers: [HTTPResponse]
    private(set) var requests: [HTTPRequest] = []

    init(_ answers: [HTTPResponse]) { self.answers = answers }

    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        requests.append(request)
        var answer = answers.isEmpty ? HTTPResponse(status: 200, url: request.url) : answers.removeFirst()
        answer.url = request.url
        return answer
    }
}

/// A clock whose sleeps return at once, and that records their duration.
struct Impatient: Clock {
    actor Memory {
        private(set) var waited: Duration?
        func wait(_ duration: Duration) { waited = duration }
    }

    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    let memory = Memory()
    var now: Instant { Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws { await memory.wait(deadline.offset) }
}

func response(_ status: Int, _ fields: [(String, String)]) throws -> HTTPResponse {
    guard let url = URL(string: "http://a.example/") else { fatalError() }
    var headers = HTTPHeaders()
    for field in fields { try headers.append(field.1, for: field.0) }
    return HTTPResponse(status: status, headers: headers, url: url)
}

extension Checker {
    /// Writes the result of a parser.
    func report(_ said: JSON) async throws { try await expect(said, of: Route(path: "/p")) }
}

extension Chance {
    /// Returns words of a grammar mixed with hostile text, without the control characters that no header field may
    /// have.
    mutating func field(_ words: [String], _ length: Range<Int> = 0..<12) -> String {
        var text = ""
        for _ in 0..<number(length) { text += oneIn(5) ? self.text(0..<3) : words[number(0..<words.count)] }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { ($0.value >= 0x20 && $0.value != 0x7F) || $0 == "\t" }))
    }
}

/// `Set-Cookie`: the checker parses it by the standard's steps, and must find the same cookies.
@Sendable func fuzzSetCookie(_ chance: inout Chance, _ checker: Checker) async throws {
    let words = [
        "a", "b", "=", ";", "; ", " ", "\t", ",", "\"", "__Host-", "__SECURE-", "Path", "path=/", "/x", "Path=/p/",
        "Domain",
        "domain=", ".w.a.example", "a.example", "example", "Secure", "HttpOnly", "SameSite=", "None", "Lax", "strict",
        "Max-Age=", "max-age=60", "-", "0", "99999999999999999999", "é", "e\u{301}",
        String(repeating: "x", count: 1025),
        String(repeating: "y", count: 4090), "; Expires=", "Sun, 06 Nov 2094 08:49:37 GMT", "1 Jan 1970 00:00:00", ":",
    ]
    let hosts = ["a.example", "w.a.example", "127.0.0.1", "[::1]"]
    let (host, path) = (hosts[chance.number(0..<4)], ["", "/", "/p/x", "/x;y/z"][chance.number(0..<4)])
    let address = (chance.oneIn(2) ? "http://" : "https://") + host + path
    guard let url = URL(string: address) else { fatalError(address) }
    let field = chance.field(words)
    let jar = CookieJar(suffixes: PublicSuffixes { !$0.contains(".") })
    let script = Script([try response(200, [("Set-Cookie", field)])])
    let client = HTTPClient(transport: script, configuration: .init(cookies: jar))
    for _ in 0..<2 { _ = try await client.send(HTTPRequest(.get, url)) }
    let cookies = jar.cookies.map { cookie -> JSON in
        [
            "name": .string(cookie.name), "value": .string(cookie.value), "domain": .string(cookie.domain),
            "path": .string(cookie.path), "hostOnly": .bool(cookie.isHostOnly), "secure": .bool(cookie.isSecure),
            "httpOnly": .bool(cookie.isHTTPOnly), "sameSite": cookie.sameSite.map { .string($0.rawValue) } ?? .null,
        ]
    }
    let sent = await script.requests[1].headers["Cookie"]
    try await checker.report([
        "kind": "cookie", "url": .string(address), "field": .string(field), "cookies": .array(cookies),
        "sent": sent.map { .string($0) } ?? .null,
    ])
}

/// `Location`: the checker resolves it by the standard's pseudocode, and must find the same URL if there is a request.
@Sendable func fuzzLocation(_ chance: inout Chance, _ checker: Checker) async throws {
    let words = [
        "a", "b", "/", "//", ".", "..", "/./", "/../", "?", "#", "?q", "http:", "https:", "HTTP://", "http://b.example",
        ":",
        "@", "%", "%2F", "%0d%0a", "[::1]", ";", "=", "\\", "é", " ", ":80", ":99999", "ftp:", "//c.example", "-",
    ]
    let bases = [
        "http://a.example", "http://a.example/", "http://a.example/b/c/d;p?q", "http://a.example/x//y/../z?q#f",
    ]
    let base = bases[chance.number(0..<4)]
    guard let url = URL(string: base) else { fatalError(base) }
    let location = chance.field(words)
    let script = Script([try response(302, [("Location", location)])])
    _ = try? await HTTPClient(transport: script).send(HTTPRequest(.get, url))
    let requests = await script.requests
    let next = requests.count > 1 ? requests[1].url.absoluteString : nil
    try await checker.report([
        "kind": "location", "base": .string(base), "location": .string(location),
        "url": next.map { .string($0) } ?? .null,
    ])
}

/// `WWW-Authenticate`: a digest challenge with any text around it. The checker must compute the same response.
@Sendable func fuzzChallenge(_ chance: inout Chance, _ checker: Checker) async throws {
    struct API: HTTPProvider {
        let baseURL: URL
        let client: HTTPClient
        let authentication = Authentication.digest(user: "Ann \"é\\", password: "x:y", allowsHTTP: true)
    }
    let words = [
        "Digest", "digest ", "Basic", " ", ",", ", ", "realm=", "nonce=", "\"", "\"r\"", "\"n\\\"m\"", "=", "qop=auth",
        "qop=\"auth,auth-int\"", "qop=auth-int", "algorithm=MD5", "algorithm=SHA-256-sess", "stale=true",
        "opaque=\"o\"",
        "\\", "abc==", "token68", "é", "realm=\"r\", nonce=\"n\"", "Digest realm=\"r\", nonce=\"n\"",
    ]
    let field = chance.field(words, 0..<20)
    let script = Script([try response(401, [("WWW-Authenticate", field)])])
    guard let url = URL(string: "http://a.example/p") else { fatalError() }
    let api = API(baseURL: url, client: HTTPClient(transport: script))
    do { try await api.request(Route(path: "/q?x=1")).void() } catch let error as HTTPError
        where [.status(401), .invalidHeader("Authorization")].contains(error.kind)
    {}
    let requests = await script.requests
    let answer = requests.count > 1 ? requests[1].headers["Authorization"] : nil
    try await checker.report([
        "kind": "challenge", "field": .string(field), "answer": answer.map { .string($0) } ?? .null,
    ])
}

/// `Retry-After`: if the checker's libraries accept the value, the delay must be the same; if not, it must be
/// plausible.
@Sendable func fuzzRetryAfter(_ chance: inout Chance, _ checker: Checker) async throws {
    let words = [
        "0", "1", "60", "9999999999999999999999", " ", ",", "-", ":", "GMT", "Sun", "Sunday", "Nov", "Feb", "29", "30",
        "31",
        "2094", "94", "1600", "23:59:60", "08:49:37", "Sun, 06 Nov 2094 08:49:37 GMT", "Sunday, 06-Nov-69 08:49:37 GMT",
        "Sun Nov  6 08:49:37 2094", "٣", "+", "e9",
    ]
    let text = chance.oneIn(3) ? words[chance.number(0..<words.count)] : chance.field(words, 1..<9)
    let clock = Impatient()
    var retry = RetryPolicy.upTo(attempts: 2)
    retry.retryAfterLimit = .seconds(1 << 40)
    let client = HTTPClient(
        transport: Script([try response(503, [("Retry-After", text)])]), configuration: .init(retry: retry),
        clock: clock)
    guard let url = URL(string: "http://a.example/") else { fatalError() }
    _ = try await client.send(HTTPRequest(.get, url))
    let seconds = await clock.memory.waited.map {
        Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18
    }
    try await checker.report([
        "kind": "retryAfter", "text": .string(text),
        "seconds": seconds.flatMap { JSON.Number($0) }.map { .number($0) } ?? .null,
    ])
}
