import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

@testable import Halyard

/// Digest authentication with a session key, over the wire (RFC 7616 section 3.4.2).
@Suite(.timeLimit(.minutes(3)))
struct DigestSessionTests {
    /// A server that calculates A1 once for each nonce, with the client nonce of the first request that has it.
    private final class Server: Sendable {
        private struct State: Sendable {
            var nonces = 0
            var sessions: [String: String] = [:]
            var counts: Set<String> = []
        }

        private let state = Lock(State())
        private let challenge: String
        private let maximumUses: Int

        init(_ challenge: String, maximumUses: Int = .max) {
            (self.challenge, self.maximumUses) = (challenge, maximumUses)
        }

        func answer(_ request: RecordedRequest) -> StubResponse {
            let field = request.headers["Authorization"] ?? ""
            let given = AuthenticationField.challenges(in: field).first?.parameters ?? [:]
            return state.withLock { state in
                if isRight(given, request.target, &state) { return .text("in") }
                state.nonces += 1
                return .status(
                    401, headers: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\(state.nonces)\", \(challenge)"])
            }
        }

        private func isRight(_ given: [String: String], _ target: String, _ state: inout State) -> Bool {
            guard let nonce = given["nonce"], let name = given["algorithm"],
                let algorithm = DigestChallenge.Algorithm(rawValue: name), given["uri"] == target
            else { return false }
            let first = state.sessions[nonce] ?? given["cnonce"] ?? ""
            state.sessions[nonce] = first
            let secret = algorithm.hash("\(algorithm.hash("u:r:p")):\(nonce):\(first)")
            var parts = [secret, nonce]
            if let quality = given["qop"] {
                // No count of a nonce is used twice.
                guard let count = given["nc"], state.counts.insert("\(nonce) \(count)").inserted,
                    Int(count, radix: 16) ?? .max <= maximumUses
                else { return false }
                parts += [count, given["cnonce"] ?? "", quality]
            }
            parts.append(algorithm.hash("GET:\(target)"))
            return given["response"] == algorithm.hash(parts.joined(separator: ":"))
        }
    }

    private func statuses(_ server: Server, at once: Int) async throws -> [Int] {
        let loopback = try LoopbackServer().on(.get, "/{any}") { server.answer($0) }
        let api = TestAPI(loopback, "").with(\.authentication, .digest(user: "u", password: "p"))
            .with(\.onValidate) { _ in }
        return try await withThrowingTaskGroup(of: Int.self) { group in
            var statuses: [Int] = []
            for number in 0..<40 {
                if number >= once, let status = try await group.next() { statuses.append(status) }
                group.addTask { try await api.request(Route(path: "/\(number)")).response().status }
            }
            for try await status in group { statuses.append(status) }
            return statuses
        }
    }

    @Test(
        "A1 is computed once with the first client nonce, even with eight concurrent requests",
        arguments: ["MD5-sess", "SHA-256-sess"], [1, 8])
    func session(algorithm: String, once: Int) async throws {
        let server = Server("algorithm=\(algorithm), qop=\"auth\"")
        let statuses = try await statuses(server, at: once)
        #expect(statuses == Array(repeating: 200, count: 40))
    }

    @Test("without qop, A1 uses no client nonce that is not sent", arguments: [1, 8])
    func withoutQuality(once: Int) async throws {
        let statuses = try await statuses(Server("algorithm=MD5-sess"), at: once)
        #expect(statuses == Array(repeating: 200, count: 40))
    }
}
