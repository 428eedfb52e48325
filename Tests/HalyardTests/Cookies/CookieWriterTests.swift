import Foundation
import TestSupport
import Testing

@testable import Halyard

/// A jar on a slow disk: which calls wait for the disk, and which do not.
@Suite(.timeLimit(.minutes(5)))
struct CookieWriterTests {
    /// A disk whose writes wait for the test.
    private final class Disk: Sendable {
        let gate = Gate()
        /// The number of cookies in each write.
        let counts = Lock<[Int]>([])

        func write(_ cookies: [Cookie]) {
            counts.withLock { $0.append(cookies.count) }
            gate.wait()
        }
    }

    private let disk = Disk()
    private let jar: CookieJar

    init() {
        jar = CookieJar([], disk.write, .rules, CookieStore.Limits()) { Date() }
    }

    private func take(_ field: String, from host: String = "x.com") async throws {
        var headers = HTTPHeaders()
        try headers.append(field, for: "Set-Cookie")
        await jar.store(
            cookiesOf: try HTTPResponse(status: 200, headers: headers, url: #require(URL(string: "https://\(host)/"))))
    }

    /// Begins a write that lasts until the disk's gate is opened.
    private func begin() async throws -> Task<Void, any Error> {
        let first = Task { try await take("a=1; Max-Age=100") }
        try await eventually("the write began") { disk.counts.withLock { !$0.isEmpty } }
        return first
    }

    @Test func `the jar can be read and session cookies set during a write, without waiting`() async throws {
        let first = try await begin()
        #expect(jar.writeError == nil)
        #expect(jar.cookies.map(\.name) == ["a"])
        #expect(try jar.cookies(for: #require(URL(string: "https://x.com/"))).count == 1)
        #expect(
            try jar.adding(to: HTTPRequest(.get, #require(URL(string: "https://x.com/")))).headers["Cookie"] == "a=1")
        try await take("session=1")
        #expect(jar.cookies.count == 2 && disk.counts.withLock { $0 } == [1])
        disk.gate.open()
        try await first.value
    }

    @Test func `a response is delivered once its cookies are written, and waiting responses share one write`()
        async throws
    {
        let back = Lock(0)
        let first = try await begin()
        let others = (0..<20).map { number in
            Task {
                // Each cookie is set by two responses. The second one waits for the write of the first.
                try await take("b=\(number / 2); Max-Age=100", from: "h\(number / 2).com")
                back.withLock { $0 += 1 }
            }
        }
        try await eventually("all are in memory") { jar.cookies.count == 11 }
        #expect(back.withLock { $0 } == 0)
        disk.gate.open()
        try await first.value
        for other in others { try await other.value }
        #expect(disk.counts.withLock { $0 } == [1, 11])
    }

    @Test func `a canceled request does not wait for the disk, but its cookie is written`() async throws {
        let first = try await begin()
        let cancelled = Task { try await take("b=2; Max-Age=100") }
        try await eventually("it is in memory") { jar.cookies.count == 2 }
        cancelled.cancel()
        try await cancelled.value
        #expect(disk.counts.withLock { $0 } == [1])
        disk.gate.open()
        try await first.value
        try await eventually("it is written") { disk.counts.withLock { $0 } == [1, 2] }
    }

    @Test func `cookies set by the program are written when the call returns`() async throws {
        let first = try await begin()
        let isSet = Lock(false)
        Thread.detachNewThread { [jar] in
            try? jar.set(Cookie("b", "2", domain: "x.com", expires: .distantFuture))
            isSet.withLock { $0 = true }
        }
        try await eventually("it is in memory") { jar.cookies.count == 2 }
        #expect(!isSet.withLock { $0 })
        disk.gate.open()
        try await first.value
        try await eventually("it has returned") { isSet.withLock { $0 } }
        #expect(disk.counts.withLock { $0 } == [1, 2])
    }

    @Test func `a failed write is retried once for each change, and on demand`() async throws {
        let tries = Lock(0)
        let jar = CookieJar(
            [],
            { _ throws(HTTPError) in
                tries.withLock { $0 += 1 }
                throw HTTPError(.unwritableFile("/jar"))
            }, .rules, CookieStore.Limits()
        ) { Date() }
        try jar.set(Cookie("a", "1", domain: "x.com", expires: .distantFuture))
        #expect(jar.writeError == HTTPError(.unwritableFile("/jar")) && tries.withLock { $0 } == 1)
        try jar.set(Cookie("s", "1", domain: "x.com"))
        #expect(tries.withLock { $0 } == 1)
        #expect(throws: HTTPError(.unwritableFile("/jar"))) { try jar.save() }
        #expect(tries.withLock { $0 } == 2)
    }
}
