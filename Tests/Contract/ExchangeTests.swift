import ContractEngines
import Foundation
import HalyardHTTP
import HalyardTesting
import Testing

@Suite(.timeLimit(.minutes(3)))
struct ExchangeTests {
    @Test(arguments: Engine.allCases) func `a GET and its response`(engine: Engine) async throws {
        let server = try LoopbackServer().on(.get, "/a/{b}", .text("hello", headers: ["X-A": "1"]))
        let response = try await engine.make().send(to: server, "/a/b?c=d%2Fe", headers: ["X-B": "2"])
        #expect(response.status == 200 && response.text == "hello" && response.headers["x-a"] == "1")
        #expect(server.requests.map(\.target) == ["/a/b?c=d%2Fe"])
        #expect(server.requests.first?.headers["X-B"] == "2")
    }
}
