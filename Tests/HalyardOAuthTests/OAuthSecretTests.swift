import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardOAuth
import HalyardTesting
import TestSupport
import Testing

/// Everything that is printed in sixty random logins, of which many fail: more than two thousand texts.
@Suite(.timeLimit(.minutes(10)))
struct OAuthSecretTests {
    /// The secrets of one login.
    private struct Secrets: Sendable {
        let access, refresh, code, client, assertion, device: String

        init(_ random: inout Seeded) throws {
            func text(_ characters: String) throws -> String {
                let all = Array(characters), plain = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
                let count = Int.random(in: 0...24, using: &random)
                let inner = try (0..<count).map { _ in try random.pick(random.pick([all, plain])) }
                // The ends are long enough to be found alone, and no space is at an end.
                let ends = try (0..<16).map { _ in try random.pick(plain) }
                return String(ends[..<8] + inner + ends[8...])
            }
            access = try text("-._~+/")
            (refresh, code, device) = (try text("-._~+/%&=:;"), try text("-._~+/%&=?#"), try text("-._~+/"))
            (client, assertion) = (try text("-._~+/%&=:;,<>()\u{E4}\u{20AC} "), try text("-_."))
        }

        var all: [String] { [access, refresh, code, client, assertion, device] }
    }

    private enum Answer: CaseIterable, Sendable {
        case success, refusal, oddRefusal, okRefusal, text, page, object, noJSON, redirect, lost, noToken
    }

    /// What is printed.
    private let printed = Lock<[String]>([])

    private func add(_ text: String) { printed.withLock { $0.append(text) } }

    private func note(_ value: Any) {
        var text = "\(value) \(String(reflecting: value))\n"
        dump(value, to: &text)
        add(text)
    }

    private func note(_ event: LogEvent) {
        for detail in [EventLog.Detail.lines, .headers, .bodies] { add(event.text(detail)) }
        add("\(event) \(String(reflecting: event))")
        if let request = event.request { add(request.curlCommand()) }
        if let error = event.error { note(error) }
    }

    private func note(_ error: any Error) {
        note(error as Any)
        add("\(error.localizedDescription) \((error as? HTTPError)?.recoverySuggestion ?? "")")
        if let error = error as? OAuthError {
            add("\(error.code) \(error.reason ?? "") \(error.errorDescription ?? "")")
        }
        if let error = error as? HTTPError { note(error.kind) }
    }

    /// Says all that a request contains, as servers for developers do.
    private static func gossip(_ request: RecordedRequest) -> String {
        let told = request.headers.map(\.value) + request.form.values
        let words = request.headers.map(\.value).flatMap { $0.split(separator: " ") }
        let credentials = words.compactMap {
            Data(base64Encoded: String($0)).map { String(decoding: $0, as: UTF8.self) }
        }
        let decoded = credentials.compactMap(\.removingPercentEncoding)
        return (told + credentials + decoded + [request.text]).joined(separator: " | ")
    }

    private static func answer(
        _ answer: Answer, to request: RecordedRequest, _ success: [String: JSON]
    ) -> StubResponse {
        let gossip = gossip(request)
        func object(_ members: [(String, String)]) -> JSON { .object(.init(members.map { ($0.0, .string($0.1)) })) }
        return switch answer {
        case .success: .json(JSON.object(.init(success.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })))
        case .refusal: .json(object([("error", "invalid_grant"), ("error_description", gossip)]), status: 400)
        case .oddRefusal: .json(object([("error", gossip), ("error_uri", gossip)]), status: 401)
        case .okRefusal: .json(object([("error", "invalid_request"), ("error_description", gossip)]))
        case .text: .text(gossip, status: 500, headers: ["X-Echo": request.headers["Authorization"] ?? ""])
        case .page: .text("<p>\(gossip)</p>", status: 503)
        case .object: .json(object([("message", gossip)]), status: 400)
        case .noJSON: .text("{ " + gossip)
        case .redirect: .status(302, headers: ["Location": "/next?code=1&access_token=2"])
        case .lost: .text(gossip).resetting(after: 60)
        case .noToken: .json(object([("message", gossip)]))
        }
    }

    @Test("no log, error, description or curl command shows a token, a code or a secret", arguments: 0..<4)
    func nothingShown(seed: Int) async throws {
        var (random, count) = (Seeded(UInt64(seed)), 0)
        let server = try LoopbackServer()
        for round in 0..<15 {
            let secrets = try Secrets(&random)
            let answers = try (0..<3).map { _ in try random.pick(Answer.allCases + Array(repeating: .success, count: 8))
            }
            let proof = try random.pick([
                OAuthClient.Proof.none, .basic(secret: secrets.client), .post(secret: secrets.client),
                .assertion { secrets.assertion },
            ])
            let flow = Int.random(in: 0..<5, using: &random)
            let states = Log<String>()
            // The signed parts of proofs, whose signatures follow them.
            let key = DPoPKey(p256: Data(0..<64)) { text in
                states.add(String(decoding: text, as: UTF8.self))
                return Data(text.suffix(64))
            }
            let isBound = Bool.random(using: &random)
            stub(server, secrets, answers, isBound ? "DPoP" : "Bearer")
            let client = client(server, proof, isBound ? key : nil)
            do { try await run(flow, client, server, secrets, states) } catch { note(error) }
            let lines = printed.withLock(\.self)
            let texts = lines.joined(separator: "\n")
            #expect(texts.contains("the OAuth client app") && texts.contains("an OAuth session") || flow > 1)
            for secret in secrets.all + states.entries {
                for spelling in Self.spellings(secret) where texts.contains(spelling) {
                    let line = lines.first { $0.contains(spelling) } ?? ""
                    Issue.record("round \(round), flow \(flow), \(answers), \(secrets): \(spelling) in \(line)")
                    return
                }
            }
            count += lines.count
            printed.withLock { $0 = [] }
        }
        #expect(count > 500)
    }

    /// The forms of a secret, and of its ends.
    private static func spellings(_ secret: String) -> Set<String> {
        var bytes: [UInt8] = []
        bytes.append(percentEncoding: secret)
        return [
            secret, String(decoding: bytes, as: UTF8.self), String(secret.prefix(8)), String(secret.suffix(8)),
            Data(secret.utf8).base64EncodedString(),
        ]
    }

    private func client(_ server: LoopbackServer, _ proof: OAuthClient.Proof, _ key: DPoPKey?) -> OAuthClient {
        let url = server.baseURL
        let endpoints = OAuthServer(
            issuer: url, tokenURL: url.appending(path: "token"), authorizationURL: url.appending(path: "authorize"),
            deviceURL: url.appending(path: "device"), revocationURL: url.appending(path: "revoke"))
        let client = OAuthClient(
            id: "app", proof: proof, server: endpoints, key: key, http: HTTPClient(log: .custom { note($0) }),
            clock: SkippingClock())
        for value in [client, proof, endpoints, key as Any] as [Any] { note(value) }
        return client
    }

    private func stub(_ server: LoopbackServer, _ secrets: Secrets, _ answers: [Answer], _ type: JSON) {
        server.on(.post, "/token") {
            Self.answer(
                answers[0], to: $0,
                [
                    "access_token": .string(secrets.access), "refresh_token": .string(secrets.refresh),
                    "token_type": type, "expires_in": 60,
                ])
        }
        server.on(.post, "/device") {
            Self.answer(
                answers[1], to: $0,
                [
                    "device_code": .string(secrets.device), "user_code": .string(secrets.code),
                    "verification_uri": "https://example.com", "expires_in": 12,
                ])
        }
        for path in ["/revoke", "/data", "/next"] {
            for method in [HTTPMethod.get, .post] { server.on(method, path) { Self.answer(answers[2], to: $0, [:]) } }
        }
    }

    private func run(
        _ flow: Int, _ client: OAuthClient, _ server: LoopbackServer, _ secrets: Secrets, _ states: Log<String>
    ) async throws {
        let store = OAuthMemoryStore()
        var session = OAuthSession(client, store: store)
        @Sendable func present(_ url: URL) async throws -> String {
            let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
            func value(_ name: String) -> String { items.first { $0.name == name }?.value ?? "" }
            states.add(value("state"))
            var code: [UInt8] = []
            code.append(percentEncoding: secrets.code)
            // What the server says of a refusal contains the state.
            let answer = states.entries.count % 2 == 0 ? "error=no&error_description=\(value("state"))" : ""
            let end = "&code=\(String(decoding: code, as: UTF8.self))&state=\(value("state"))"
            return "\(value("redirect_uri"))?\(answer)\(end)"
        }
        switch flow {
        case 0: session = OAuthSession(clientCredentials: client, store: store)
        case 1:
            try await session.signIn(
                OAuthToken(accessToken: "expired", expiration: .distantPast, refreshToken: secrets.refresh))
        case 2:
            let token = try await client.deviceLogin { note($0) }
            note(token)
            try await session.signIn(token)
        case 3:
            let redirect = URL(string: "app:/callback")
            for isForged in [true, false, false] {
                do {
                    let token = try await client.login(redirectURL: try #require(redirect)) { url in
                        try #require(URL(string: try await present(url) + (isForged ? "x" : "")))
                    }
                    try await session.signIn(token)
                } catch { note(error) }
            }
        default:
            let token = try await client.browserLogin { url in
                let callback = try #require(URL(string: try await present(url)))
                // It is the browser's, whose log is not that of the library.
                let page = try await HTTPClient.shared.send(HTTPRequest(.get, callback))
                add(page.text)
            }
            note(token)
            try await session.signIn(token)
        }
        let api = DataAPI(
            baseURL: server.baseURL, authentication: .oauth(session), client: HTTPClient(log: .custom { note($0) }))
        do { add("\(try await api.data().count)") } catch { note(error) }
        for value in [session, store, Authentication.oauth(session)] as [Any] { note(value) }
        add("\(api) \(String(reflecting: api))")
        if let token = store.load() { note(token) }
        try await session.signOut()
    }
}

/// A clock whose time passes only while somebody sleeps, and then at once.
private struct SkippingClock: Clock {
    private let time = Lock(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock(\.self) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline) }
    }
}
