import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Responses that are no success and whose bodies cannot be decoded: their status is what counts.
@Suite(.timeLimit(.minutes(3)))
struct UndecodableBodyTests {
    private static let codings = ["compress", "gzip", "deflate, gzip"]

    private func answer(_ status: Int, _ coding: String) -> StubResponse {
        .data(Data("no gzip at all".utf8), status: status, headers: ["Content-Encoding": coding, "X-Kind": "a"])
    }

    @Test("the status is the error's kind, and the coding is its cause", arguments: codings, [404, 500, 300])
    func status(coding: String, status: Int) async throws {
        let server = try LoopbackServer().on(.get, "/api/me", answer(status, coding))
        let error = await failure { _ = try await TestAPI(server).request(.me).data() }
        #expect(error == .status(status) && error?.response?.headers["X-Kind"] == "a")
        #expect(error?.response?.data.isEmpty == true && error?.sendCount == 1)
        let cause = error?.cause as? HTTPError
        #expect(cause == (coding == "gzip" ? HTTPError(.invalidResponse) : HTTPError(.unsupportedCoding(coding))))
        #expect(error.map { "\($0)" }?.contains(coding) == true)
    }

    @Test("the error is the same for every destination")
    func destinations() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", answer(404, "gzip"))
        let folder = try TemporaryFolder()
        let request = { TestAPI(server).request(.me) }
        #expect(await failure { _ = try await request().download(to: folder.url.appending(path: "x")) } == .status(404))
        #expect(await failure { for try await _ in request().chunks {} } == .status(404))
        #expect(await failure { for try await _ in request().events {} } == .status(404))
    }

    @Test("a 503 is retried, and a success with an undecodable body fails")
    func pipeline() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/busy", answer(503, "compress"), answer(503, "gzip"), .text("a"))
            .on(.get, "/api/ok", answer(200, "compress"))
        let api = TestAPI(server)
        var policy = RetryPolicy.upTo(attempts: 3)
        policy.delay = .milliseconds(1)
        #expect(try await api.request(Route(path: "/busy").retry(policy)).text() == "a")
        #expect(
            await failure { _ = try await api.request(Route(path: "/ok")).data() }
                == HTTPError(.unsupportedCoding("compress")))
        #expect(server.requests.count == 4)
    }

    @Test("reading a body that the provider accepts throws the cause")
    func accepted() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", answer(404, "compress"))
        let api = TestAPI(server).with(\.onValidate) { _ in }
        #expect(await failure { _ = try await api.request(.me).data() } == HTTPError(.unsupportedCoding("compress")))
        #expect(await failure { _ = try await api.request(.me).json() } == HTTPError(.unsupportedCoding("compress")))
        #expect(try await api.request(.me).response().status == 404)
        try await api.request(.me).void()
    }
}
