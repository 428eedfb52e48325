import ContractEngines
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Which requests are retried, how often, and after which delay, with every engine.
@Suite(.timeLimit(.minutes(3)))
struct RetryFaultTests {
    private let server: LoopbackServer
    private let clock = ImpatientClock()

    init() throws { server = try LoopbackServer() }

    @Test(
        "a GET whose connection is dropped twice is sent three times, but never more than allowed", .faults(46),
        arguments: Engine.wire)
    func dropped(engine: Engine) async throws {
        server.on(.get, "/api/a", .raw(""), .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .text("whole"))
            .on(.get, "/api/b", .raw(""))
        for attempts in [2, 3, 4] {
            server.on(
                .get, "/api/a", .raw(""), .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .text("whole"))
            let api = TestAPI(server).with(
                \.client, engine.client(.init(retry: .upTo(attempts: attempts)), clock: clock))
            let before = server.requests.count
            let outcome = await api.request(Route(path: "a")).outcomeAndAttempts()
            withKnownIssue(
                "swift-corelibs-foundation: a connection that breaks is error -1, which is no reason to try again"
            ) {
                #expect(outcome == (attempts == 2 ? "The connection was lost 2" : "whole 3"))
                #expect(server.requests.count - before == min(attempts, 3))
            } when: {
                engine.isCorelibs
            }
            #expect(server.requests.count - before <= attempts)
        }
    }

    private static let retryAfters: [(String, ClosedRange<Double>)] = [
        ("-1", 0...1), ("soon", 0...1), ("", 0...1), ("1.5", 2...2), ("0", 0...0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0...1),
        ("Sun, 99 Nov 2094 08:49:37 GMT", 0...1), ("7", 6...7), ("7, 8", 6...7), ("0x10", 0...1), ("+7", 0...1),
    ]

    @Test(
        "an invalid Retry-After never shortens the delay, and a very long one ends the request", .faults(47),
        arguments: Engine.wire
    )
    func retryAfter(engine: Engine) async throws {
        let api = TestAPI(server).with(
            \.client, engine.client(.init(retry: .upTo(attempts: 2), retryBudget: .unlimited), clock: clock))
        for (value, seconds) in Self.retryAfters {
            server.on(.get, "/api/a", .status(503, headers: ["Retry-After": value]), .text("at last"))
            #expect(try await api.request(Route(path: "a")).text() == "at last")
            let wait = try #require(clock.waits.entries.last) / .seconds(1)
            #expect(wait > seconds.lowerBound - 0.9 && wait <= seconds.upperBound, "\(value): \(wait)")
        }
        #expect(clock.waits.entries.count == Self.retryAfters.count)
        for value in ["61", "999999999", "99999999999999999999999", "Fri, 01 Jan 2100 00:00:00 GMT"] {
            server.on(.get, "/api/a", .status(429, headers: ["Retry-After": value]), .text("too soon"))
            let error = await #expect(throws: HTTPError.self) { try await api.request(Route(path: "a")).text() }
            #expect(error == .status(429) && error?.reason?.contains("retryAfterLimit") == true)
            #expect(try #require(error?.retryDelay) > .seconds(60))
        }
        #expect(clock.waits.entries.count == Self.retryAfters.count)
    }

    @Test("a thousand clients that fail together do not retry together", .faults(48))
    func jitter() async throws {
        let stub = StubTransport().on(.get, "/v1/a", .status(503))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    let client = HTTPClient(
                        transport: stub, configuration: .init(retry: .upTo(attempts: 3)), clock: clock)
                    try? await TestAPI(stub).with(\.client, client).request(Route(path: "a")).void()
                }
            }
        }
        let waits = clock.waits.entries.map { $0 / .seconds(1) }
        #expect(stub.requests.count == 3000 && waits.count == 2000)
        #expect(waits.allSatisfy { $0 <= 1 })
        // The first delays are random, up to half a second. No tenth of a second has more than twice its expected
        // share.
        for part in 0..<5 {
            let share = waits.count { ($0 * 10).rounded(.down) == Double(part) }
            // 1000 of the 2000 delays are spread over half a second, the others over a whole second.
            #expect(share > 150 && share < 600, "\(part): \(share)")
        }
    }

    @Test(
        "a client that gets many 503s sends at most a fifth more requests, plus ten", .faults(48),
        arguments: Engine.wire)
    func storm(engine: Engine) async throws {
        server.on(.get, "/api/a", .status(503))
        let api = TestAPI(server).with(\.client, engine.client(.init(retry: .upTo(attempts: 5)), clock: clock))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<500 { group.addTask { try? await api.request(Route(path: "a")).void() } }
        }
        #expect(server.requests.count > 500 && server.requests.count <= 500 + 500 / 5 + 10)
    }

    @Test(
        "a token rejected again is renewed once for all requests, and each request is sent twice", .faults(49),
        arguments: Engine.wire)
    func noLoop(engine: Engine) async throws {
        struct API: HTTPProvider {
            let baseURL: URL
            let authentication: Authentication
            let client: HTTPClient
        }
        server.on(.get, "/a", .status(401))
        let renewals = Counter()
        let tokens = TokenSource("old") { _ in
            renewals.increment()
            return "still old"
        }
        let api = API(baseURL: server.baseURL, authentication: .bearer(tokens), client: engine.client())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let error = await failure { try await api.request(Route(path: "/a")).void() }
                    #expect(error == HTTPError.status(401) && (error?.sendCount ?? 9) <= 2)
                }
            }
        }
        #expect(server.requests.count <= 100)
        // Requests that start with the new token may get a 401 as well, and renew it again.
        #expect(renewals.count >= 1 && renewals.count <= 50)
    }
}

extension Request {
    /// The text or the kind of the error, and the number of attempts.
    fileprivate func outcomeAndAttempts() async -> String {
        do {
            let response = try await response()
            return "\(response.text) \(response.sendCount)"
        } catch { return (error as? HTTPError).map { "\($0.kind) \($0.sendCount)" } ?? "\(error)" }
    }
}
