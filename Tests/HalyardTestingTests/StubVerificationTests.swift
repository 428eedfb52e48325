import Foundation
import HalyardAsync
import HalyardTesting
import HalyardTestingTraits
import TestSupport
import Testing

/// `verify()` and the trait that calls it.
@Suite(.timeLimit(.minutes(3)))
struct StubVerificationTests {
    private struct API: HTTPProvider {
        let baseURL: URL
        var client = HTTPClient.shared

        init(_ stub: StubTransport) throws {
            baseURL = try #require(URL(string: "https://api.example.com"))
            client = HTTPClient(transport: stub)
        }

        init(_ server: LoopbackServer) { baseURL = server.baseURL }
    }

    private func problems(_ host: some StubHost, order: [String]? = nil) -> [String] {
        do { try host.verify(order: order) } catch { return error.problems }
        return []
    }

    @Test func `every problem is reported by name`() async throws {
        let stub = StubTransport()
            .on(.get, "/used", .text("")).on(.get, "/unused", .text("")).on(.get, "/free", times: .any, .text(""))
            .on(.post, "/once", times: 1, .text("")).on(.post, "/never", times: 0, .text(""))
            .on(.put, "/some", times: .between(2...3), .text("")).on(.get, "/three", .text("1"), .text("2"), .text("3"))
        let api = try API(stub)
        for (method, path) in [
            (HTTPMethod.get, "/used"), (.get, "/used"), (.post, "/once"), (.post, "/once"), (.post, "/never"),
            (.put, "/some"), (.get, "/three"), (.get, "/three"),
        ] { try await api.request(Route(path: RoutePath(verbatim: path), method: method)).void() }
        // The code under test ignores the error.
        try? await api.request(Route(path: "/missing")).void()
        let stubs = problems(stub).last.map { $0.drop { $0 != "." } } ?? ""
        #expect(
            Set(problems(stub)) == [
                "GET /unused was not requested", "POST /once was requested 2 times, not 1",
                "POST /never was requested once, not 0", "PUT /some was requested once, not 2...3",
                "GET /three: 2 of its 3 responses were used", "GET /missing matched no stub" + stubs,
            ])
        #expect(stubs.contains("The stubs are: "))
    }

    @Test func `verification compares the order of requests`() async throws {
        let stub = StubTransport().on(.post, "/login", .text("")).on(.get, "/users/{id}", .text(""))
        let api = try API(stub)
        try await api.request(Route(path: "/users/1")).void()
        try await api.request(Route(path: "/login", method: .post)).void()
        try stub.verify()
        try stub.verify(order: ["GET /users/{id}", "POST /login"])
        #expect(
            problems(stub, order: ["POST /login", "GET /users/{id}"]) == [
                "The order of requests is GET /users/{id}, POST /login, and not POST /login, GET /users/{id}"
            ])
    }

    @Test func `a server is verified too, even after it has stopped`() async throws {
        let server = try LoopbackServer().on(.get, "/a", .text("")).on(.get, "/b") { _ in .text("") }
        try await API(server).request(Route(path: "/a")).void()
        server.stop()
        #expect(problems(server) == ["GET /b was not requested"])
    }

    @Test(.verifyingStubs) func `the trait accepts stubs that were all requested`() async throws {
        let stub = StubTransport().on(.get, "/a", .text("a"))
        #expect(try await API(stub).request(Route(path: "/a")).text() == "a")
        _ = try LoopbackServer().on(.get, "/b", times: 0, .text("b"))
    }

    @Test func `the trait records an issue for each problem`() async throws {
        let (test, testCase) = (try #require(Test.current), try #require(Test.Case.current))
        let found = Lock<[String]>([])
        try await withKnownIssue {
            try await StubVerificationTrait().provideScope(for: test, testCase: testCase) {
                let stub = StubTransport().on(.get, "/a", .text("a"))
                _ = try LoopbackServer().on(.get, "/b", .text("b"))
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { try? await API(stub).request(Route(path: "/c")).void() }
                }
            }
        } matching: { issue in
            found.withLock { $0 += issue.comments.map(\.rawValue) }
            return true
        }
        #expect(
            found.withLock { $0 } == [
                "GET /a was not requested", "GET /c matched no stub. The stubs are: GET /a", "GET /b was not requested",
            ])
    }

    @Test func `a thousand concurrent tests do not see each other's stubs`() async throws {
        let counts = await withTaskGroup(of: Int.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    let collector = StubCollector()
                    StubCollector.$current.withValue(collector) {
                        if index % 2 == 0 { StubTransport().on(.get, "/", .text("")) }
                    }
                    return collector.problems.count
                }
            }
            return await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(counts == [0: 500, 1: 500])
    }
}
