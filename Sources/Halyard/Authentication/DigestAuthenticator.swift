import HalyardFoundation
import HalyardHTTP

/// Answers digest challenges (RFC 7616). The server challenges the first request. Later requests use the same nonce
/// with a count for each nonce, and the same client nonce: a session key is calculated once for a nonce, with the first
/// client nonce (section 3.4.2), and the server may receive requests that are sent at once in any order.
final class DigestAuthenticator: ImmediateAuthenticator {
    private struct State: Sendable {
        var challenge: DigestChallenge?
        /// The uses of each of the last nonces, the oldest nonce first. A late 401 may bring an earlier nonce again, and
        /// no count of a nonce may be used twice.
        private var uses: [Use] = []

        /// Counts a use of the challenge's nonce.
        mutating func countUse() -> (challenge: DigestChallenge, use: Use)? {
            guard let challenge else { return nil }
            let index = uses.firstIndex { $0.nonce == challenge.nonce }
            var use = index.map { uses.remove(at: $0) } ?? Use(nonce: challenge.nonce)
            use.count += 1
            uses.append(use)
            if uses.count > 32 { uses.removeFirst() }
            return (challenge, use)
        }
    }

    /// How often a nonce was used, and the client nonce for it.
    private struct Use: Sendable {
        let nonce: String
        let clientNonce: String
        var count = 0

        init(nonce: String) {
            var random = SystemRandomNumberGenerator()
            self.nonce = nonce
            clientNonce = String(random.next(), radix: 16) + String(random.next(), radix: 16)
        }
    }

    private let user, password: String
    private let state = Lock(State())

    init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    func authenticate(_ request: inout HTTPRequest) throws {
        guard let (challenge, use) = state.withLock({ $0.countUse() }) else { return }
        do throws(DigestChallenge.Problem) { try challenge.check(request) } catch {
            throw HTTPError(.encoding("the body"), reason: error.reason, request: request)
        }
        let url = request.address.text
        let start = url.firstRange(of: "://").flatMap { url[$0.upperBound...].firstIndex { "/?".contains($0) } }
        let target = start.map { String(url[$0...].prefix { $0 != "#" }) } ?? ""
        request.headers[.authorization] = challenge.answer(
            user: user, password: password, method: request.method.rawValue,
            uri: target.hasPrefix("/") ? target : "/" + target,
            body: challenge.quality == .integrity ? Array(request.body?.dataInMemory ?? Data()) : [],
            clientNonce: use.clientNonce,
            count: use.count)
    }

    func recover(from response: HTTPResponse, to request: HTTPRequest) throws -> Bool {
        let all = response.headers.values(for: "WWW-Authenticate").flatMap(DigestChallenge.all(in:)).map { result in
            result.flatMap { challenge in
                Result { () throws(DigestChallenge.Problem) in
                    try challenge.check(request)
                    return challenge
                }
            }
        }
        let offered = all.compactMap { try? $0.get() }
        guard let best = offered.first(where: { $0.algorithm.isSHA }) ?? offered.first else {
            _ = try all.first?.get()
            return false
        }
        // The server would reject the same answer again, unless only the nonce is stale.
        let wasAnswered = request.headers[.authorization]?.hasPrefix("Digest ") ?? false
        guard !wasAnswered || best.isStale || best.nonce != state.withLock({ $0.challenge?.nonce }) else {
            return false
        }
        state.withLock { $0.challenge = best }
        return true
    }
}
