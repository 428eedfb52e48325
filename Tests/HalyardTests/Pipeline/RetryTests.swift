import Foundation
import HalyardHTTP
import TestSupport
import Testing

@testable import Halyard

/// Whether and when a request is retried, without a network and without waiting.
struct RetryTests {
    private static let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

    private func delay(
        _ outcome: Result<Int, HTTPError>, _ method: HTTPMethod = .get, retryAfter: String? = nil, attempt: Int = 1,
        sent: String? = nil, body: HTTPBody? = nil, key: Bool = false, remaining: Duration? = nil, random: Double = 0.5,
        _ change: (inout RetryPolicy) -> Void = { _ in }
    ) throws -> Duration? {
        var policy = RetryPolicy.upTo(attempts: 3)
        change(&policy)
        let url = try #require(URL(string: "https://h/"))
        let request = try HTTPRequest(method, url, headers: key ? ["Idempotency-Key": "k"] : [:], body: body)
        var fields: HTTPHeaders = retryAfter.map { ["Retry-After": $0] } ?? [:]
        fields["Date"] = sent
        let result: Result<HTTPResponse, any Error> =
            switch outcome {
            case .success(let status): .success(HTTPResponse(status: status, headers: fields, url: url))
            case .failure(let error): .failure(error)
            }
        let decision = Retry(policy: policy, now: Self.now, random: random)
            .decision(after: result, to: request, attempt: attempt, remaining: remaining)
        if case .retry(let delay) = decision { return delay }
        return nil
    }

    @Test("temporary statuses are retried and others are not")
    func statuses() throws {
        for status in [408, 429, 500, 502, 503, 504] { #expect(try delay(.success(status)) != nil) }
        for status in [200, 204, 301, 400, 401, 403, 404, 409, 501, 505] { #expect(try delay(.success(status)) == nil) }
        #expect(try delay(.success(418)) { $0.statuses = [418] } != nil)
    }

    @Test("temporary errors are retried and others are not")
    func errors() throws {
        for error: HTTPError in [
            .connectionLost, .timedOut, HTTPError(.cannotConnect("x")), HTTPError(.hostNotFound("x")),
        ] {
            #expect(try delay(.failure(error)) != nil, "\(error)")
        }
        for error: HTTPError in [
            HTTPError(.tls(.expired)), .cancelled, HTTPError(.invalidResponse), HTTPError(.bodyTooLarge(limit: 1)),
            HTTPError(.shutDown), HTTPError(.encoding("x")),
            HTTPError(.unreadableFile("x")), HTTPError(.engineUnavailable), HTTPError(.tooManyRedirects(limit: 1)),
            HTTPError(.insecureRedirect("x")),
        ] { #expect(try delay(.failure(error)) == nil, "\(error)") }
    }

    @Test("a non-idempotent request without a key is sent once; a stream is never sent again", .faults(45))
    func methods() throws {
        for method: HTTPMethod in [.get, .head, .put, .delete, .options, .trace] {
            #expect(try delay(.success(503), method) != nil)
        }
        for method: HTTPMethod in [.post, .patch, .connect] {
            #expect(try delay(.success(503), method) == nil)
            #expect(try delay(.failure(.connectionLost), method) == nil)
            #expect(try delay(.success(503), method, key: true) != nil)
        }
        #expect(try delay(.success(503), .put, body: HTTPBody(stream: AsyncStream<Data> { $0.finish() })) == nil)
    }

    @Test("retries stop at the allowed number of attempts", .faults(46))
    func attempts() throws {
        #expect(try delay(.success(503), attempt: 2) != nil)
        #expect(try delay(.success(503), attempt: 3) == nil)
        #expect(RetryPolicy.upTo(attempts: -3).attempts == 1)
    }

    @Test("delays double up to a maximum and are random between zero and their value")
    func backoff() throws {
        let waits = try (1...9).map {
            try delay(.success(503), attempt: $0) { ($0.attempts, $0.hasJitter) = (100, false) }
        }
        #expect(waits == [0.5, 1, 2, 4, 8, 16, 20, 20, 20].map { Duration.seconds($0) })
        #expect(try delay(.success(503), attempt: 90) { ($0.attempts, $0.hasJitter) = (100, false) } == .seconds(20))
        #expect(try delay(.success(503), attempt: 2, random: 0) == .zero)
        #expect(try delay(.success(503), attempt: 2, random: 0.25) == .milliseconds(250))
    }

    @Test(
        "Retry-After is a number of seconds or a date, and an invalid one never shortens the delay",
        .faults(47),
        arguments: [
            ("3", 3.0), ("0", 0), ("60", 60), ("1.5", 2), ("1.0", 1), ("59.01", 60),
            ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sunday, 06-Nov-94 08:49:47 GMT", 10),
            ("Sun Nov  6 08:49:47 1994", 10), ("-1", 0.5), ("soon", 0.5),
            ("", 0.5), ("Sun, 06 Nov 1994 08:49:27 GMT", 0), ("Sun, 06 Nov 1904 08:49:47 GMT", 0),
            ("Sun, 99 Nov 1994 08:49:47 GMT", 0.5), ("+7", 0.5), ("0x10", 0.5), ("7, 8", 7), ("30s", 30), ("1.", 1),
            ("Sun, 06 Nov 1994 08:49:47 CET", 0.5), ("٣", 0.5),
        ])
    func retryAfter(text: String, seconds: Double) throws {
        #expect(try delay(.success(503), retryAfter: text) == .seconds(seconds))
    }

    @Test("a Retry-After date is measured on the server's clock, whatever this machine's shows")
    func clocks() throws {
        let ahead = ("Sun, 06 Nov 1994 07:49:47 GMT", "Sun, 06 Nov 1994 07:49:37 GMT")
        #expect(try delay(.success(503), retryAfter: ahead.0, sent: ahead.1) == .seconds(10))
        let behind = ("Sun, 06 Nov 1994 09:49:47 GMT", "Sun, 06 Nov 1994 09:49:37 GMT")
        #expect(try delay(.success(503), retryAfter: behind.0, sent: behind.1) == .seconds(10))
        #expect(try delay(.success(503), retryAfter: "Sun, 06 Nov 1994 08:49:47 GMT", sent: "now") == .seconds(10))
        #expect(try delay(.success(503), retryAfter: "3", sent: behind.1) == .seconds(3))
    }

    @Test(
        "a Retry-After beyond the limit ends the request", .faults(47),
        arguments: [
            "61", "120", "999999999", "99999999999999999999999999", "60.5", "Sun, 06 Nov 2094 08:49:47 GMT",
            "3600 seconds",
        ])
    func longRetryAfter(text: String) throws {
        #expect(try delay(.success(503), retryAfter: text) == nil)
        #expect(try delay(.success(503), retryAfter: text) { $0.retryAfterLimit = .seconds(1 << 40) } != nil)
    }

    @Test("no retry follows the deadline")
    func deadline() throws {
        #expect(try delay(.success(503), retryAfter: "3", remaining: .seconds(3)) == nil)
        #expect(try delay(.success(503), retryAfter: "3", remaining: .seconds(4)) == .seconds(3))
        #expect(try delay(.failure(.connectionLost), remaining: .milliseconds(-1)) == nil)
    }

    @Test("the budget allows a share of the requests plus a burst", .faults(48))
    func budget() {
        var tokens = RetryBudget(ratio: 0.5, reserve: 3).bucket
        #expect(take(5, from: &tokens) == 3)
        tokens.deposit()
        #expect(take(1, from: &tokens) == 0)
        tokens.deposit()
        #expect(take(2, from: &tokens) == 1)
        for _ in 0..<100 { tokens.deposit() }
        #expect(take(5, from: &tokens) == 3)
    }

    @Test("a budget of any numbers sets a limit, and inexact shares add up to a whole retry")
    func unusualBudgets() {
        let numbers: [Double] = [-1, 0, .nan, 0.5, 1, 1e300, .infinity]
        for (ratio, reserve) in numbers.flatMap({ ratio in numbers.map { (ratio, $0) } }) {
            var tokens = RetryBudget(ratio: ratio, reserve: reserve).bucket
            for _ in 0..<100 { tokens.deposit() }
            #expect(take(1, from: &tokens) == (reserve >= 1 ? 1 : 0))
            tokens.deposit()
            #expect(take(3, from: &tokens) == (reserve > 1 ? 3 : reserve == 1 && ratio >= 1 ? 1 : 0))
        }
        for parts in 1...100 {
            var tokens = RetryBudget(ratio: 1 / Double(parts), reserve: 1).bucket
            #expect(take(2, from: &tokens) == 1)
            for _ in 1..<parts { tokens.deposit() }
            #expect(take(1, from: &tokens) == 0)
            tokens.deposit()
            #expect(take(1, from: &tokens) == 1)
        }
    }

    /// Takes tokens, and returns how many there were.
    private func take(_ count: Int, from tokens: inout TokenBucket) -> Int {
        var taken = 0
        for _ in 0..<count where tokens.tryTake() { taken += 1 }
        return taken
    }

    @Test("all date formats are parsed, and invalid dates are rejected")
    func dates() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "sun, 06 NOV 1994 08:49:37 gmt",
        ] {
            #expect(HTTPDate.seconds(text).map(Double.init) == Self.now.timeIntervalSince1970)
        }
        #expect(HTTPDate.seconds("Thu, 29 Feb 2024 00:00:00 GMT") == 1_709_164_800)
        #expect(HTTPDate.seconds("Tue, 01 Mar 2070 00:00:00 GMT") == 3_160_857_600)
        for text in ["Thu, 30 Feb 2024 00:00:00 GMT", "Thu, 29 Feb 2023 00:00:00 GMT", "Sun Nov 31 08:49:37 1994"] {
            #expect(HTTPDate.seconds(text) == nil)
        }
        for text in ["Sun, 06 Nov 1994", "6", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT"] {
            #expect(HTTPDate.seconds(text) == nil)
        }
    }

    @Test("a policy that allows any method retries a POST without a key, but not a one-shot body")
    func anyMethod() throws {
        #expect(try delay(.success(503), .post) == nil)
        #expect(try delay(.success(503), .post) { $0 = $0.withAnyMethod() } != nil)
        #expect(try delay(.failure(.connectionLost), .patch) { $0.allowsAnyMethod = true } != nil)
        let stream = HTTPBody(stream: AsyncStream<Data> { $0.finish() })
        #expect(try delay(.success(503), .post, body: stream) { $0 = $0.withAnyMethod() } == nil)
        #expect(RetryPolicy.upTo(attempts: 2).withAnyMethod().sendsIdempotencyKey == false)
    }
}
