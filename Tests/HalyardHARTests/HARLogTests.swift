import Foundation
import HalyardAsync
import HalyardHAR
import HalyardTesting
import TestSupport
import Testing

/// The log that writes an HTTP Archive.
@Suite(.timeLimit(.minutes(3)))
struct HARLogTests {
    private let folder = try? TemporaryFolder()
    private var file: URL { get throws { try #require(folder).url.appending(path: "logs/session.har") } }

    private var fast: RetryPolicy {
        var policy = RetryPolicy.upTo(attempts: 2)
        policy.delay = .milliseconds(1)
        return policy
    }

    private func entries() throws -> [JSON] {
        let json = try JSON(parsing: Data(contentsOf: file))
        #expect(json["log"]["version"] == "1.2" && json["log"]["creator"]["name"] == "Halyard")
        return json["log"]["entries"].array ?? []
    }

    @Test func `each send has an entry with its times`() async throws {
        let server = try LoopbackServer()
            .on(.get, "/old", .status(302, headers: ["Location": "/new?x=1%262&y"]))
            .on(.get, "/new", .status(503), .json(text: #"{"name":"Ann"}"#))
        let api = TestAPI(server, "").with(\.client, HTTPClient(log: try .har(to: file)))
        _ = try await api.request(Route(path: "/old").retry(fast)).json()
        let entries = try entries()
        #expect(entries.map { $0["response"]["status"].int } == [302, 503, 200])
        #expect(entries[0]["response"]["redirectURL"] == "/new?x=1%262&y")
        #expect(entries[2]["request"]["queryString"] == [["name": "x", "value": "1&2"], ["name": "y", "value": ""]])
        #expect(entries[2]["response"]["content"]["text"] == #"{"name":"Ann"}"#)
        for entry in entries {
            #expect(entry["serverIPAddress"] == "127.0.0.1")
            #expect(Date(iso8601: entry["startedDateTime"].string ?? "") != nil)
            let timings = entry["timings"]
            let sum = ["dns", "connect", "send", "wait", "receive"].reduce(0.0) {
                $0 + max(0, timings[$1].double ?? .nan)
            }
            #expect(sum > 0 && sum < (entry["time"].double ?? 0) + 50)
        }
    }

    @Test func `the creator's version matches the newest release`() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../CHANGELOG.md")
        let changes = try String(contentsOf: root, encoding: .utf8)
        let release = try #require(changes.firstMatch(of: /\n## \[(\d+\.\d+\.\d+)\]/))
        let server = try LoopbackServer().on(.get, "/", .text("ok"))
        _ = try await TestAPI(server, "").with(\.client, HTTPClient(log: try .har(to: file)))
            .request(Route(path: "/")).text()
        let json = try JSON(parsing: Data(contentsOf: file))
        #expect(json["log"]["creator"]["version"].string == String(release.1))
    }

    @Test func `a failure has one entry with status 0`() async throws {
        let server = try LoopbackServer().on(.get, "/broken", .raw("HTTP/1.1 20")).on(.get, "/no", .status(404))
        let api = TestAPI(server, "").with(\.client, HTTPClient(log: try .har(to: file)))
        _ = await failure { _ = try await api.request(Route(path: "/broken").retry(fast)).text() }
        _ = await failure { _ = try await api.request(Route(path: "/no")).text() }
        let entries = try entries()
        #expect(entries.map { $0["response"]["status"].int } == [0, 0, 404])
        #expect(entries[0]["response"]["_error"].string?.isEmpty == false)
    }

    @Test func `secrets are masked, and bodies over the limit are omitted`() async throws {
        let server = try LoopbackServer().on(.post, "/login", .data(Data(repeating: 0xFF, count: 100)))
        let api = TestAPI(server, "").with(\.client, HTTPClient(log: try .har(to: file, bodyLimit: 50)))
        _ = try await api.request(
            Route(
                path: "/login?api_key=k3y-value", method: .post, params: ["password": "pa55word"],
                headers: ["Authorization": "Bearer t0ken"])
        ).data()
        let text = try String(contentsOf: file, encoding: .utf8)
        for secret in ["k3y-value", "pa55word", "t0ken"] { #expect(!text.contains(secret)) }
        let entry = try #require(try entries().first)
        #expect(entry["request"]["postData"]["text"] == #"{"password":"***"}"#)
        #expect(entry["response"]["content"]["size"] == 100 && entry["response"]["content"]["text"].string == nil)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `binary bodies are written in base64`() async throws {
        let server = try LoopbackServer().on(.put, "/b") { .data($0.body) }
        let api = TestAPI(server, "").with(\.client, HTTPClient(log: try .har(to: file)))
        let bytes = Data([0, 0xFF, 0xFE])
        _ = try await api.request(Route(path: "/b", method: .put, body: .data(bytes))).data()
        let entry = try #require(try entries().first)
        #expect(entry["request"]["postData"]["text"] == "AP/+" && entry["request"]["postData"]["_encoding"] == "base64")
        #expect(entry["response"]["content"]["text"] == "AP/+" && entry["response"]["content"]["encoding"] == "base64")
    }

    @Test func `many concurrent requests produce one complete archive`() async throws {
        let server = try LoopbackServer().on(.get, "/n/{i}", .text("n"))
        let api = TestAPI(server, "").with(\.client, HTTPClient(log: try .har(to: file)))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for i in 0..<100 { group.addTask { _ = try await api.request(Route(path: "/n/\(i)")).text() } }
            try await group.waitForAll()
        }
        let paths = try entries().compactMap { $0["request"]["url"].string.flatMap(URL.init)?.lastPathComponent }
        #expect(Set(paths) == Set((0..<100).map(String.init)) && paths.count == 100)
    }
}
