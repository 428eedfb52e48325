import Foundation
import HalyardTesting
import TestSupport
import Testing

/// The README's example stands in `ReadmeExample.swift`, letter by letter, and runs.
struct ReadmeTests {
    @Test func exampleIsTheSame() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let readme = try String(contentsOf: here.appending(path: "../../README.md"), encoding: .utf8)
        let example = try String(contentsOf: here.appending(path: "ReadmeExample.swift"), encoding: .utf8)
        let start = try #require(readme.range(of: "```swift\n")).upperBound
        let end = try #require(readme.range(of: "```", range: start..<readme.endIndex)).lowerBound
        #expect(readme[start..<end] == example)
    }

    @Test("the README's example compiles and runs", .defects("BN32")) func exampleRuns() async throws {
        let server = try LoopbackServer()
            .on(.get, "/v1/me", .json(text: #"{"id": "1", "name": "Ann"}"#))
            .on(.get, "/v1/search", .json(text: #"{"tracks": [{"title": "Anchors"}]}"#))
            .on(.get, "/v1/user/a%2Fb%3Fc", .status(404), .json(text: #"{"error": {"code": 800}}"#))
        let api = MusicAPI(baseURL: server.baseURL.appending(path: "v1"))
        #expect(try await greet(api) == ["Ann", "Anchors", "no such user"])
        #expect(server.requests[1].target == "/v1/search?q=halyard&count=8")
        await #expect(throws: MusicError(code: 800)) { try await greet(api) }
    }
}
