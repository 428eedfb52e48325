import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// A token whose expiry is known.
@Suite(.timeLimit(.minutes(3)))
struct ExpiringTokenTests {
    private let clock = ManualClock()
    private let server: LoopbackServer
    private let renewals = Lock(0)

    init() throws { server = try LoopbackServer().on(.get, "/me", .text("in")) }

    /// A source whose renewals return `t1`, `t2` and so on, each with a lifetime of a minute.
    private func source(
        _ token: AccessToken? = nil, _ wait: @escaping @Sendable () async throws -> Void = {}
    ) -> TokenSource {
        TokenSource(token, clock: clock) { [renewals] _ in
            let number = renewals.withLock { count in
                count += 1
                return count
            }
            try await wait()
            return AccessToken("t\(number)", expiresIn: .seconds(60))
        }
    }

    /// Sends a request, and returns the token that it had.
    @discardableResult
    private func send(_ tokens: TokenSource) async throws -> String {
        let api = TestAPI(baseURL: server.baseURL, authentication: .bearer(tokens))
        try await api.request(Route(path: "/me")).void()
        return String(server.requests.last?.headers["Authorization"]?.dropFirst("Bearer ".count) ?? "")
    }

    @Test("a token is renewed shortly before it expires, while requests use the old one")
    func early() async throws {
        let (began, mayEnd) = (Latch(), Latch())
        let tokens = source(AccessToken("old", expiresIn: .seconds(100))) {
            began.open()
            await mayEnd.wait()
        }
        #expect(try await send(tokens) == "old")
        clock.advance(by: .seconds(69))
        #expect(try await send(tokens) == "old")
        #expect(renewals.withLock { $0 } == 0)
        clock.advance(by: .seconds(1))
        #expect(try await send(tokens) == "old")
        await began.wait()
        #expect(try await send(tokens) == "old")
        mayEnd.open()
        try await eventually("the token is renewed") { tokens.token == "t1" }
        #expect(try await send(tokens) == "t1")
        #expect(renewals.withLock { $0 } == 1)
    }

    @Test("once it has expired, requests wait for one renewal, and none is sent with the old token")
    func late() async throws {
        let tokens = source(AccessToken("old", expiresIn: .seconds(100)))
        clock.advance(by: .seconds(100))
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await send(tokens) } }
            for try await token in group { #expect(token == "t1") }
        }
        #expect(renewals.withLock { $0 } == 1)
        #expect(server.requests.allSatisfy { $0.headers["Authorization"] == "Bearer t1" })
    }

    @Test("after a failed early renewal the old token is used until it expires, then the error is thrown")
    func failing() async throws {
        struct Down: Error {}
        let began = Latch()
        let tokens = source(AccessToken("old", expiresIn: .seconds(100))) {
            began.open()
            throw Down()
        }
        clock.advance(by: .seconds(90))
        #expect(try await send(tokens) == "old")
        await began.wait()
        for _ in 0..<5 { #expect(try await send(tokens) == "old") }
        #expect(renewals.withLock { $0 } == 1)
        clock.advance(by: .seconds(10))
        await #expect(throws: Down.self) { try await send(tokens) }
        await #expect(throws: Down.self) { try await send(tokens) }
        #expect(renewals.withLock { $0 } == 3)
    }

    @Test("a token shorter-lived than the leeway is renewed at half its lifetime, not per request")
    func short() async throws {
        let tokens = source(AccessToken("old", expiresIn: .seconds(20)))
        clock.advance(by: .seconds(9))
        for _ in 0..<5 { #expect(try await send(tokens) == "old") }
        #expect(renewals.withLock { $0 } == 0)
        clock.advance(by: .seconds(1))
        try await send(tokens)
        try await eventually("the token is renewed") { tokens.token == "t1" }
        for _ in 0..<5 { #expect(try await send(tokens) == "t1") }
        #expect(renewals.withLock { $0 } == 1)
    }

    @Test("a login sets a token with its lifetime; a token without one is kept until it is rejected")
    func login() async throws {
        let tokens = source()
        tokens.update(AccessToken("login", expiresIn: .seconds(100)))
        #expect(try await send(tokens) == "login")
        clock.advance(by: .seconds(100))
        #expect(try await send(tokens) == "t1")
        tokens.token = "other"
        clock.advance(by: .seconds(100_000))
        #expect(try await send(tokens) == "other")
        #expect("\(AccessToken("secret"))" == "an access token")
    }
}
