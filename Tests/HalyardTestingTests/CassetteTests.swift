import Foundation
import HalyardAsync
import HalyardHAR
import HalyardTesting
import TestSupport
import Testing

/// Cassettes record a server, and replay it when the server is gone.
@Suite(.timeLimit(.minutes(3)))
struct CassetteTests {
    private struct API: HTTPProvider {
        let baseURL: URL
        let client: HTTPClient
        var secretNames: [String] = []

        init(_ url: URL, _ cassette: Cassette) {
            baseURL = url
            client = HTTPClient(transport: cassette)
        }
    }

    private let folder = try? TemporaryFolder()
    private var file: URL { get throws { try #require(folder).url.appending(path: "tapes/session.har") } }

    /// Records what a closure does with a server, and returns the URL of the server, which is stopped.
    private func record(
        _ server: LoopbackServer, _ work: (API) async throws -> Void
    ) async throws -> URL {
        let cassette = try Cassette(at: file, mode: .record, mayRecord: true)
        #expect(cassette.isRecording)
        try await work(API(server.baseURL, cassette))
        server.stop()
        return server.baseURL
    }

    private func replay(
        matching rules: [CassetteRule] = [.method, .url], timedBy clock: (any Clock<Duration>)? = nil
    ) throws -> Cassette {
        try Cassette(at: file, mode: .replay, matching: rules, timedBy: clock, mayRecord: true)
    }

    @Test func `a recorded response is replayed without its server`() async throws {
        let server = try LoopbackServer()
            .on(.get, "/text", .text("héllo", headers: ["X-Kind": "greeting"]))
            .on(.post, "/bytes", .data(Data([0xFF, 0, 1]), status: 201))
            .on(.get, "/empty", .status(204))
        func requests(_ api: API) async throws {
            let text = try await api.request(Route(path: "/text")).response()
            #expect(text.text == "héllo" && text.headers["X-Kind"] == "greeting")
            let bytes = try await api.request(Route(path: "/bytes", method: .post, body: .text("x"))).response()
            #expect(bytes.status == 201 && bytes.data == Data([0xFF, 0, 1]))
            #expect(try await api.request(Route(path: "/empty")).response().status == 204)
        }
        let url = try await record(server, requests)
        let cassette = try replay()
        try await requests(API(url, cassette))
        #expect(cassette.problems.isEmpty)
    }

    @Test func `each response answers one request, in the order recorded`() async throws {
        let server = try LoopbackServer().on(.get, "/n", .text("1"), .text("2"))
        let route = Route(path: "/n")
        let url = try await record(server) { api in for _ in 0..<2 { _ = try await api.request(route).text() } }
        let cassette = try replay()
        let api = API(url, cassette)
        #expect(try await api.request(route).text() == "1")
        #expect(cassette.problems == ["The recorded response to GET \(url.absoluteString)/n was not used"])
        #expect(try await api.request(route).text() == "2")
        let error = await failure { _ = try await api.request(route).text() }
        #expect(error?.kind == .noStub("GET \(url.absoluteString)/n"))
        #expect("\(error.map { "\($0)" } ?? "")".contains("the cassette has 2 responses to it, and all were used"))
        #expect(cassette.problems.count == 1)
    }

    @Test func `the file contains no secrets, and requests with other secrets find their responses`() async throws {
        let server = try LoopbackServer()
            .on(
                .post, "/login",
                .json(text: #"{"access_token":"t0k-9999","name":"Ann"}"#, headers: ["Set-Cookie": "sid=c00kie"]))
        func login(_ api: API, _ secret: String) async throws -> JSON {
            try await api.request(
                Route(
                    path: "/login", method: .post, params: ["user": "ann", "password": "pa55-\(secret)"],
                    headers: ["Authorization": "Bearer b3arer-\(secret)", "X-Plain": "shown"])
            ).json()
        }
        let url = try await record(server) { api in
            #expect(try await login(api, "first")["access_token"] == "t0k-9999")
            _ = try await api.request(Route(path: "/login", method: .post, params: ["pin": 4711])).json()
            _ = try await api.request(Route(path: "/login?api_key=k3y-value", method: .post)).json()
        }
        let text = try String(contentsOf: file, encoding: .utf8)
        for secret in ["t0k-9999", "c00kie", "pa55", "b3arer", "4711", "k3y-value"] {
            #expect(!text.contains(secret), "\(secret) is in the file")
        }
        #expect(text.contains("shown") && text.contains("ann"))
        let api = API(url, try replay(matching: [.method, .url, .body]))
        let json = try await login(api, "second")
        #expect(json == ["access_token": "***", "name": "Ann"])
    }

    @Test func `the error names the most similar request even if its response was used`() async throws {
        let server = try LoopbackServer().on(.get, "/a", .text("a"))
        let url = try await record(server) { _ = try await $0.request(Route(path: "/a")).response() }
        let api = API(url, try replay())
        _ = try await api.request(Route(path: "/a")).response()
        let error = await #expect(throws: HTTPError.self) {
            _ = try await api.request(Route(path: "/b")).response()
        }
        #expect(error?.reason?.contains("the most similar recorded request is GET \(url.absoluteString)/a") == true)
    }

    @Test func `the file contains each response once its request returns`() async throws {
        let server = try LoopbackServer().on(.get, "/{n}", .text("a"), .text("b"))
        _ = try await record(server) { api in
            for count in 1...2 {
                _ = try await api.request(Route(path: "/\(count)")).response()
                #expect(try HAREntry.entries(of: Data(contentsOf: file)).count == count)
            }
        }
    }

    @Test func `the error for an unmatched request says how it differs from the nearest one`() async throws {
        let server = try LoopbackServer().on(.post, "/a", .text("a")).on(.get, "/b", .text("b"))
        let url = try await record(server) { api in
            _ = try await api.request(Route(path: "/a", method: .post, params: ["x": 1, "y": 2])).text()
            _ = try await api.request(Route(path: "/b")).text()
        }
        let cassette = try replay(matching: [.method, .path, .query, .body, .header("Accept-Language")])
        let api = API(url, cassette)
        // JSON with its members in another order is the same.
        #expect(try await api.request(Route(path: "/a", method: .post, body: .text(#"{"y":2,"x":1}"#))).text() == "a")
        let error = await failure {
            _ = try await api.request(Route(path: "/b", params: ["q": "1"], headers: ["Accept-Language": "de"])).text()
        }
        let message = error.map { "\($0)" } ?? ""
        #expect(message.contains("GET \(url.absoluteString)/b, and its query is empty and not q=1"), "\(message)")
        #expect(message.contains("its header field Accept-Language is empty and not de"), "\(message)")
        #expect(cassette.problems.first?.contains("its query is empty and not q=1") == true)
    }

    @Test func `a query can ignore parameters, and a custom rule can compare anything`() async throws {
        let server = try LoopbackServer().on(.get, "/a", .text("a"))
        let url = try await record(server) { api in
            _ = try await api.request(Route(path: "/a", params: ["now": 1, "x": 1])).text()
        }
        let rule = CassetteRule.comparing("its x") { $0.queryValue("x") }
        for rules in [[.method, .path, .query(ignoring: ["now"])], [rule]] {
            let api = API(url, try replay(matching: rules))
            #expect(try await api.request(Route(path: "/a", params: ["x": 1, "now": 2])).text() == "a")
        }
        let error = await failure {
            _ = try await API(url, try replay(matching: [rule])).request(Route(path: "/a", params: ["x": 2])).text()
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("its x is 1 and not 2"))
    }

    @Test func `an API recorded on one host can be replayed for another unless the origin is compared`()
        async throws
    {
        let server = try LoopbackServer().on(.get, "/v1/a", .text("a"))
        let url = try await record(server) { api in
            _ = try await api.request(Route(path: "/v1/a", params: ["x": 1])).text()
        }
        let other = try #require(URL(string: "https://api.example.com/v1"))
        let route = Route(path: "/a", params: ["x": 1])
        #expect(try await API(other, try replay(matching: [.method, .path, .query])).request(route).text() == "a")
        let error = await failure {
            _ = try await API(other, try replay(matching: [.method, .path, .origin])).request(route).text()
        }
        let message = error.map { "\($0)" } ?? ""
        #expect(message.contains("its origin is \(url.absoluteString) and not https://api.example.com"), "\(message)")
    }

    @Test func `a form with a file matches despite another boundary`() async throws {
        let server = try LoopbackServer().on(.post, "/f", .text("f"))
        func send(_ api: API, _ name: String) async throws -> String {
            let form: [MultipartPart] = [
                .text(name, name: "name"), .data(Data([0xFE, 0xFF]), name: "f", filename: "f.bin"),
            ]
            return try await api.request(Route(path: "/f", method: .post, multipart: form)).text()
        }
        let url = try await record(server) { api in _ = try await send(api, "Ann") }
        #expect(try await send(API(url, try replay(matching: [.url, .body])), "Ann") == "f")
        let error = await failure { _ = try await send(API(url, try replay(matching: [.url, .body])), "Bob") }
        #expect(error?.kind == .noStub("POST \(url.absoluteString)/f"))
    }

    @Test func `a stream is recorded with the times of its chunks`() async throws {
        let server = try LoopbackServer()
            .on(.get, "/events", .events(["1", "2", "3"], every: .milliseconds(20)))
        let url = try await record(server) { api in
            var data: [String] = []
            for try await event in api.request(Route(path: "/events")).events { data.append(event.data) }
            #expect(data == ["1", "2", "3"])
        }
        let entry = try JSON(parsing: Data(contentsOf: file))["log"]["entries"][0]
        let chunks = try #require(entry["response"]["content"]["_chunks"].array)
        #expect(chunks.compactMap { $0["size"].int }.reduce(0, +) == 27)
        let times = chunks.compactMap { $0["time"].double }
        #expect(times == times.sorted() && times.count == chunks.count)
        #expect(entry["response"]["bodySize"] == 27)
        var all: [String] = []
        for try await event in API(url, try replay()).request(Route(path: "/events")).events { all.append(event.data) }
        #expect(all == ["1", "2", "3"])
    }

    @Test func `a stream is replayed with its original timing`() async throws {
        let content: JSON = [
            "size": 27, "mimeType": "text/event-stream", "text": "data: 1\n\ndata: 2\n\ndata: 3\n\n",
            "_chunks": [["time": 5, "size": 9], ["time": 20, "size": 9], ["time": 30000, "size": 9]],
        ]
        let url = try #require(URL(string: "https://api.example.com"))
        try write(content, of: "\(url.absoluteString)/events")
        let clock = ManualClock()
        let api = API(url, try replay(timedBy: clock))
        let seen = Log<String>()
        let reader = Task {
            for try await event in api.request(Route(path: "/events")).events { seen.add(event.data) }
        }
        for (count, time) in [(0, 5), (1, 15), (2, 29_980)] {
            try await clock.waitForSleepers()
            try await eventually("the pieces before are read") { seen.entries.count == count }
            clock.advance(by: .milliseconds(time))
        }
        try await reader.value
        #expect(seen.entries == ["1", "2", "3"])
    }

    @Test(arguments: ["1e300", "-1e300", "9223372036854775807", "1e18"])
    func `the time and size of a chunk can be any number`(_ number: String) async throws {
        let value = try #require(JSON.Number(text: number))
        let content: JSON = [
            "size": 18, "mimeType": "text/event-stream", "text": "data: 1\n\ndata: 2\n\n",
            "_chunks": [
                ["time": .number(value), "size": 9], ["time": 1, "size": -9_223_372_036_854_775_808],
                ["time": .number(value), "size": 9_223_372_036_854_775_807], ["time": 2, "size": 1],
            ],
        ]
        let url = try #require(URL(string: "https://api.example.com"))
        try write(content, of: "\(url.absoluteString)/events")
        let api = API(url, try replay(timedBy: ImpatientClock()))
        var all: [String] = []
        for try await event in api.request(Route(path: "/events")).events { all.append(event.data) }
        #expect(all == ["1", "2"])
    }

    @Test(arguments: [100, 199, 1000, Int.max])
    func `a response recorded with an invalid status is not replayed`(_ status: Int) async throws {
        let url = try #require(URL(string: "https://api.example.com"))
        try write(["size": 2, "mimeType": "text/plain", "text": "hi"], of: "\(url.absoluteString)/x", status: status)
        let error = await failure { _ = try await API(url, try replay()).request(Route(path: "/x")).response() }
        #expect(error?.kind == .noStub("GET https://api.example.com/x"))
    }

    /// Writes an archive as a browser exports it: with members and header fields that are not Halyard's, and with a
    /// request that has failed.
    private func write(_ content: JSON, of url: String, status: Int = 200) throws {
        let answer: JSON = [
            "status": JSON(status), "statusText": "", "httpVersion": "h2", "cookies": [], "redirectURL": "",
            "headers": [["name": ":status", "value": "200"], ["name": "content-type", "value": "text/event-stream"]],
            "content": content, "headersSize": -1, "bodySize": -1, "_transferSize": 100,
        ]
        let failure: JSON = [
            "status": 0, "statusText": "", "httpVersion": "", "cookies": [], "headers": [], "redirectURL": "",
            "content": ["size": 0, "mimeType": "x-unknown"], "headersSize": -1, "bodySize": -1,
            "_error": "net::ERR_FAILED",
        ]
        let entries = [failure, answer].map { response -> JSON in
            [
                "startedDateTime": "2030-01-31T14:02:03.004Z", "time": 1, "_priority": "High", "pageref": "page_1",
                "request": [
                    "method": "GET", "url": .string(url), "httpVersion": "h2", "cookies": [], "queryString": [],
                    "headers": [["name": ":authority", "value": "api.example.com"]], "headersSize": -1, "bodySize": 0,
                ],
                "response": response, "cache": [:], "timings": ["send": 0, "wait": 1, "receive": 0],
            ]
        }
        let log: JSON = [
            "log": [
                "version": "1.2", "creator": ["name": "A browser", "version": "1"], "pages": [],
                "entries": .array(entries),
            ]
        ]
        let folder = try file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try log.encoded().write(to: file)
    }

    @Test func `a browser's archive is replayed`() async throws {
        let url = try #require(URL(string: "https://api.example.com"))
        try write(
            ["size": 2, "mimeType": "text/plain", "text": "aGk=", "encoding": "base64"], of: "\(url.absoluteString)/x")
        let cassette = try replay()
        let response = try await API(url, cassette).request(Route(path: "/x")).response()
        #expect(response.text == "hi" && response.headers.count == 1)
        #expect(cassette.problems.isEmpty)
        // Without the body, the browser has not kept it.
        try write(["size": 2, "mimeType": "text/plain"], of: "\(url.absoluteString)/x")
        let error = await failure { _ = try await API(url, try replay()).request(Route(path: "/x")).response() }
        #expect("\(error.map { "\($0)" } ?? "")".contains("without its body"))
    }

    @Test func `a stream whose reader leaves is recorded as far as it was read`() async throws {
        let server = try LoopbackServer().on(.get, "/events") { _ in
            .events((0..<500).map(String.init), every: .milliseconds(20))
        }
        let url = try await record(server) { api in
            for try await event in api.request(Route(path: "/events")).events where event.data == "1" { break }
            try await eventually("the stream is recorded") { (try? Data(contentsOf: file).count) ?? 0 > 200 }
        }
        var data: [String] = []
        for try await event in API(url, try replay()).request(Route(path: "/events")).events { data.append(event.data) }
        #expect(data.starts(with: ["0", "1"]) && data.count < 500)
    }

    @Test func `downloads and uploads of a stream are recorded`() async throws {
        let body = Data.noise(300_000)
        let server = try LoopbackServer().on(.put, "/file") { .data($0.body) }
        let target = try #require(folder).url.appending(path: "target")
        func download(_ api: API) async throws {
            let chunks = AsyncStream { continuation in
                continuation.yield(body.prefix(1000))
                continuation.yield(body.dropFirst(1000))
                continuation.finish()
            }
            let route = Route(path: "/file", method: .put, body: .stream(chunks))
            _ = try await api.request(route).download(to: target)
            #expect(try Data(contentsOf: target) == body)
            try FileManager.default.removeItem(at: target)
        }
        let url = try await record(server, download)
        try await download(API(url, try replay(matching: [.method, .url, .body])))
    }

    @Test func `a failed request is not recorded`() async throws {
        let server = try LoopbackServer().on(.get, "/broken", .raw("HTTP/1.1 20")).on(.get, "/n", .text("1"))
        let url = try await record(server) { api in
            let error = await failure { _ = try await api.request(Route(path: "/broken")).text() }
            #expect(error != nil)
            _ = try await api.request(Route(path: "/n")).text()
        }
        let error = await failure { _ = try await API(url, try replay()).request(Route(path: "/broken")).text() }
        #expect(error?.kind == .noStub("GET \(url.absoluteString)/broken"))
    }
}
