import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// The example of "First steps" is the text of `ReadmeExample.swift`, and runs. So do the README's examples.
struct ReadmeTests {
    @Test func exampleIsTheSame() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let article = here.appending(path: "../../Sources/Halyard/Halyard.docc/FirstSteps.md")
        let steps = try String(contentsOf: article, encoding: .utf8)
        let example = try String(contentsOf: here.appending(path: "ReadmeExample.swift"), encoding: .utf8)
        let start = try #require(steps.range(of: "```swift\n")).upperBound
        let end = try #require(steps.range(of: "```", range: start..<steps.endIndex)).lowerBound
        #expect(steps[start..<end] == example)
    }

    @Test("the first example compiles and runs", .defects("BN32")) func exampleRuns() async throws {
        let server = try LoopbackServer()
            .on(.get, "/v1/me", .json(text: #"{"id": "1", "name": "Ann"}"#))
            .on(.get, "/v1/search", .json(text: #"{"tracks": [{"title": "Anchors"}]}"#))
            .on(.get, "/v1/user/a%2Fb%3Fc", .status(404), .json(text: #"{"error": {"code": 800}}"#))
        let api = MusicAPI(baseURL: server.baseURL.appending(path: "v1"))
        #expect(try await greet(api) == ["Ann", "Anchors", "no such user"])
        #expect(server.requests[1].target == "/v1/search?q=halyard&count=8")
        await #expect(throws: MusicError(code: 800)) { try await greet(api) }
    }

    @Test func theReadmeRuns() async throws {
        let server = try LoopbackServer()
            .on(.get, "/v1/orders/7", .json(Order(id: 7, item: "mast"))).on(.post, "/v1/orders", .status(201))
        try await useShop(Shop(baseURL: server.baseURL.appending(path: "v1")))
        #expect(server.requests.map(\.target) == ["/v1/orders/7", "/v1/orders", "/v1/orders/9"])
        #expect(server.requests[1].text == #"{"id":8,"item":"rope"}"#)
    }

    @Test func theReadmesTestRuns() async throws {
        let stub = StubTransport()
            .on(.get, "/v1/orders/{id}", .json(Order(id: 7, item: "rope")))
        let shop = Shop(client: HTTPClient(transport: stub))
        #expect(try await shop.request(.order(7)).object(Order.self).item == "rope")
    }
}
