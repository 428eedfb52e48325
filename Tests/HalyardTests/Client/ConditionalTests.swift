import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Conditional requests with header fields that the caller sets.
@Suite(.timeLimit(.minutes(3)))
struct ConditionalTests {
    @Test("an unchanged resource gives a 304 without a body, which fails unless validate accepts it")
    func notModified() async throws {
        let server = try LoopbackServer().on(.get, "/api/news") {
            $0.headers["If-None-Match"] == "\"2\"" ? .status(304) : .text("two", headers: ["ETag": "\"2\""])
        }
        .on(.put, "/api/news") { $0.headers["If-Match"] == "\"2\"" ? .status(204) : .status(412) }
        let api = TestAPI(server)

        let first = try await api.request(Route(path: "/news")).response()
        let etag = try #require(first.headers["ETag"])
        let again = Route(path: "/news", headers: ["If-None-Match": etag])
        await #expect(throws: HTTPError.status(304)) { try await api.request(again).text() }

        let lenient = api.with(\.onValidate) { if $0.status != 304 { try $0.requireSuccess() } }
        let second = try await lenient.request(again).response()
        #expect(second.status == 304 && second.data.isEmpty && first.text == "two")
        let old = Route(path: "/news", headers: ["If-None-Match": "\"1\""])
        #expect(try await lenient.request(old).text() == "two")

        let change = Route(path: "/news", method: .put, headers: ["If-Match": etag], body: .text("three"))
        #expect(try await api.request(change).response().status == 204)
        let late = Route(path: "/news", method: .put, headers: ["If-Match": "\"1\""], body: .text("three"))
        await #expect(throws: HTTPError.status(412)) { try await api.request(late).void() }
    }
}
