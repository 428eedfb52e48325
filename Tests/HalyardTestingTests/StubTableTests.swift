import HalyardTesting
import Testing

@Suite("Choosing the stub that answers", .timeLimit(.minutes(3)))
struct StubTableTests {
    @Test(arguments: [
        ("/user/{id}", "/user/1", true), ("/user/{id}", "/user/a%2Fb", true), ("/user/{id}", "/user/", false),
        ("/user/{id}", "/user/1/x", false), ("/user/{id}", "/user", false), ("user/{id}", "/user/1", true),
        ("/files/*", "/files/a/b", true), ("/files/*", "/files/", true), ("/files/*", "/files", false),
        ("*", "/", true), ("*", "/a/b", true), ("/*/a", "/x/a", false), ("/", "/", true), ("/", "/a", false),
        ("/a", "/a?b=1", true), ("/a?b=1", "/a?b=1", true), ("/a?b=1", "/a?b=2", false), ("/a?b=1", "/a", false),
        ("/a%20b", "/a%20b", true), ("/a", "/a/", false),
    ])
    func patternsMatch(pattern: String, target: String, matches: Bool) throws {
        let server = try LoopbackServer().on(.get, pattern, .text("yes"))
        let answer = try RawClient(port: server.port).exchange("GET", target)
        #expect(answer.status == (matches ? 200 : 404))
    }

    @Test func placeholdersAreDecoded() throws {
        let server = try LoopbackServer().on(.get, "/{a}/x/{b}", .text(""))
        _ = try RawClient(port: server.port).exchange("GET", "/%C3%A9%2F/x/100%zz%4")
        #expect(server.requests.first?.pathParameters == ["a": "\u{e9}/", "b": "100%zz%4"])
    }

    @Test func theMoreSpecificPatternAnswers() throws {
        let server = try LoopbackServer()
            .on(.get, "*", .text("any")).on(.get, "/user/*", .text("rest")).on(.get, "/user/{id}", .text("one"))
            .on(.get, "/user/me", .text("me")).on(.get, "/user/me?full=1", .text("all of me"))
        let client = try RawClient(port: server.port)
        let targets = ["/x", "/user/a/b", "/user/1", "/user/me", "/user/me?full=1", "/user/me?full=2"]
        let bodies = try targets.map { try client.exchange("GET", $0).body }
        #expect(bodies == ["any", "rest", "one", "me", "all of me", "me"])
    }

    @Test func answersComeInOrderAndTheLastRepeats() throws {
        let server = try LoopbackServer().on(.get, "/", .status(503), .text("a"), .text("b"))
        let client = try RawClient(port: server.port)
        let bodies = try (0..<5).map { _ in try client.exchange("GET", "/").body }
        #expect(bodies == ["", "a", "b", "b", "b"])
    }

    @Test func aLaterStubReplacesOneOfTheSameMethodAndPattern() throws {
        let server = try LoopbackServer().on(.get, "/", .text("old")).on(.post, "/", .text("post"))
        let client = try RawClient(port: server.port)
        #expect(try client.exchange("GET", "/").body == "old")
        server.on(.get, "/") { _ in .text("new") }
        #expect(try client.exchange("GET", "/").body == "new")
        #expect(try client.exchange("POST", "/").body == "post")
    }

    @Test func whatNothingMatchesIsA404ThatNamesTheStubs() throws {
        let server = try LoopbackServer().on(.get, "/a/long/way", .text("")).on(.post, "/user/{id}", .text(""))
        let client = try RawClient(port: server.port)
        let answer = try client.exchange("POST", "/users/1?x=secret")
        #expect(answer.status == 404)
        #expect(answer.headers["Content-Type"] == "text/plain; charset=utf-8")
        let known = "POST /user/{id}\nGET /a/long/way\n"
        #expect(answer.body == "No stub matches POST /users/1. The stubs are:\n" + known)
        #expect(server.requests.first?.pathParameters == [:])
    }
}
