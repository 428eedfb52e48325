import ContractEngines
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Resumed downloads: the file has exactly the server's bytes, or it does not exist.
@Suite(.timeLimit(.minutes(3)))
struct ResumingTests {
    static let dump = Route(path: "/dump")
    private let content = Data.noise(1_000_000)

    @Test("an interrupted download requests the rest", arguments: [1, 2, 65_535, 65_536, 500_001, 999_999])
    func resumed(at point: Int) async throws {
        let (folder, ranged) = (try TemporaryFolder(), RangedContent(content, breaks: point))
        let (server, target) = (try LoopbackServer.giving(ranged), try folder.write("old", to: "dump"))
        let api = TestAPI(server)
        await #expect(throws: HTTPError.connectionLost) {
            try await api.request(Self.dump).download(to: target, resuming: true)
        }
        #expect(try folder.names == [".dump.halyard-part", ".dump.halyard-part.json", "dump"])
        #expect(try Data(contentsOf: folder.partialFile(of: "dump")).isSame(as: content.prefix(point)))
        #expect(try String(contentsOf: target, encoding: .utf8) == "old")

        #expect(try await api.request(Self.dump).download(to: target, resuming: true) == target)
        #expect(try Data(contentsOf: target).isSame(as: content))
        #expect(try folder.names == ["dump"])
        #expect(server.ranges == [nil, "bytes=\(point)-"])
        #expect(server.requests.map { $0.headers["If-Range"] } == [nil, "\"one\""])
        #expect(server.requests.allSatisfy { $0.headers["Accept-Encoding"] == "identity" })
    }

    @Test("a download resumes as often as it breaks off, with a date as its validator")
    func oftenResumed() async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let headers: HTTPHeaders = ["Last-Modified": date, "Date": "Sun, 06 Nov 1994 08:49:38 GMT"]
        let (folder, ranged) = (try TemporaryFolder(), RangedContent(content, headers, breaks: 100_000, 0, 7, 300_000))
        let server = try LoopbackServer.giving(ranged)
        for _ in 1...4 {
            await #expect(throws: HTTPError.connectionLost) {
                try await TestAPI(server).request(Self.dump).download(to: folder.file("dump"), resuming: true)
            }
        }
        _ = try await TestAPI(server).request(Self.dump).download(to: folder.file("dump"), resuming: true)
        #expect(try Data(contentsOf: folder.file("dump")).isSame(as: content))
        #expect(server.ranges == [nil, "bytes=100000-", "bytes=100000-", "bytes=100007-", "bytes=400007-"])
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["If-Range"] == date })
    }

    @Test("every engine logs why a body starts over or cannot be resumed", arguments: Engine.wire)
    func told(engine: Engine) async throws {
        let (folder, ranged) = (try TemporaryFolder(), RangedContent(content))
        let (server, notes) = (try LoopbackServer.giving(ranged), Log<String>())
        let client = HTTPClient(
            transport: engine.make(),
            log: .custom { event in
                guard event.kind == .response, event.response?.status != 416 else { return }
                notes.add(event.note ?? "none")
                #expect(event.note.map { event.description.hasSuffix("(\($0))") } ?? !event.description.hasSuffix(")"))
            })
        let api = TestAPI(server).with(\.client, client)
        func download() async throws {
            _ = try await api.request(Self.dump).download(to: folder.file("dump"), resuming: true)
        }
        @discardableResult
        func breakOff(_ headers: HTTPHeaders = ["ETag": "\"one\""]) async -> HTTPError? {
            ranged.change { [content] in ($0.content, $0.breaks, $0.headers) = (content, [1000], headers) }
            let error = await failure { try await download() }
            #expect(error == .connectionLost)
            return error
        }
        await breakOff()
        try await download()  // goes on
        await breakOff()
        ranged.change { $0.headers = ["ETag": "\"two\""] }
        try await download()
        await breakOff()
        ranged.change { [content] in $0.answers = [.data(content, headers: ["ETag": "\"one\""])] }
        try await download()
        await breakOff()
        ranged.change { ($0.content, $0.headers) = ($0.content.prefix(10), ["ETag": "\"one\""]) }
        try await download()
        let cases: [(HTTPHeaders, String)] = [
            (["ETag": "W/\"weak\""], "its ETag is weak, so its bytes may differ"),
            (["ETag": "bare"], "its ETag is not valid, for example because it has no quotes"),
            ([:], "the server sends no ETag, and no Last-Modified that is older than the response"),
        ]
        for (headers, reason) in cases {
            let error = await breakOff(headers)
            #expect(error?.reason?.hasSuffix("the download cannot be resumed: \(reason)") == true, "\(error as Any)")
            try await download()
        }
        #expect(
            notes.entries == [
                "none", "starts over: the body has changed on the server",
                "starts over: the server does not support ranges",
                "starts over: the server's body is shorter than the partial file",
            ] + cases.map { "cannot be resumed: \($0.1)" })
    }

    @Test("a download without resuming keeps no partial file and logs no note")
    func byDefault() async throws {
        let (folder, ranged) = (try TemporaryFolder(), RangedContent(content, breaks: 1000, 1000, 1000))
        let (server, target) = (try LoopbackServer.giving(ranged), folder.file("dump"))
        let api = TestAPI(server)
        _ = await failure { _ = try await api.request(Self.dump).download(to: target, resuming: true) }
        _ = await failure { _ = try await api.request(Self.dump).download(to: target) }
        let response = await response { api.request(Self.dump).responseFile(to: target, on: .global(), $0) }
        #expect(response.error == HTTPError.connectionLost)
        #expect(server.ranges == [nil, nil, nil])
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["Accept-Encoding"] != "identity" })
        try await eventually("what came is removed") {
            try folder.names == [".dump.halyard-part", ".dump.halyard-part.json"]
        }
    }

    @Test("a changed body is downloaded again from the start")
    func changed() async throws {
        let (folder, ranged, other) = (
            try TemporaryFolder(), RangedContent(content, breaks: 900_000), Data.noise(500_000)
        )
        let (server, target) = (try LoopbackServer.giving(ranged), folder.file("dump"))
        _ = await failure { _ = try await TestAPI(server).request(Self.dump).download(to: target, resuming: true) }
        ranged.change { ($0.content, $0.headers, $0.breaks) = (Data(other.reversed()), ["ETag": "\"two\""], [10]) }
        _ = await failure { _ = try await TestAPI(server).request(Self.dump).download(to: target, resuming: true) }
        #expect(try Data(contentsOf: folder.partialFile(of: "dump")) == Data(other.reversed().prefix(10)))
        _ = try await TestAPI(server).request(Self.dump).download(to: target, resuming: true)
        #expect(try Data(contentsOf: target).isSame(as: Data(other.reversed())))
        #expect(server.requests.map { $0.headers["If-Range"] } == [nil, "\"one\"", "\"two\""])
    }

    @Test(
        "no partial file is kept without a strong validator",
        arguments: [
            [:], ["ETag": "W/\"one\""],
            ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"],
        ] as [HTTPHeaders])
    func weak(headers: HTTPHeaders) async throws {
        let (folder, ranged) = (try TemporaryFolder(), RangedContent(content, headers, breaks: 1000))
        let server = try LoopbackServer.giving(ranged)
        let api = TestAPI(server)
        _ = await failure { _ = try await api.request(Self.dump).download(to: folder.file("dump"), resuming: true) }
        try await eventually("nothing is left") { try folder.names == [] }
        _ = try await api.request(Self.dump).download(to: folder.file("dump"), resuming: true)
        #expect(try Data(contentsOf: folder.file("dump")).isSame(as: content))
        #expect(server.ranges == [nil, nil])
        #expect(try folder.names == ["dump"])
    }

    @Test("a 416 restarts the download immediately")
    func outOfRange() async throws {
        let (folder, ranged, short) = (try TemporaryFolder(), RangedContent(content, breaks: 900_000), Data.noise(10))
        let (server, target) = (try LoopbackServer.giving(ranged), folder.file("dump"))
        _ = await failure { _ = try await TestAPI(server).request(Self.dump).download(to: target, resuming: true) }
        ranged.change { $0.content = short }
        let sends = Counter()
        let api = TestAPI(server).with(\.onValidate) { for _ in 0..<$0.sendCount { sends.increment() } }
        _ = try await api.request(Self.dump).download(to: target, resuming: true)
        #expect(try Data(contentsOf: target) == short)
        #expect(server.ranges == [nil, "bytes=900000-", nil])
        #expect(sends.count == 2)
        #expect(try folder.names == ["dump"])
    }

    @Test("validate and observers get the 206 and its file, and progress counts all bytes")
    func seen() async throws {
        let (folder, ranged) = (try TemporaryFolder(), RangedContent(content, breaks: 400_000))
        let (server, target, log) = (try LoopbackServer.giving(ranged), folder.file("dump"), Log<TransferProgress>())
        _ = await failure { _ = try await TestAPI(server).request(Self.dump).download(to: target, resuming: true) }
        let api = TestAPI(server).with(\.onValidate) { response in
            #expect(response.status == 206 && response.file == target && response.data.isEmpty)
        }
        let response = await response { handler in
            api.request(Self.dump).downloadProgress(on: .global()) { log.add($0) }
                .responseFile(to: target, resuming: true, on: .global(), handler)
        }
        #expect(response.value == target)
        #expect(response.response?.metrics?.bytesReceived == 600_000)
        #expect(log.entries.allSatisfy { $0.completed > 400_000 && $0.total == 1_000_000 })
        #expect(log.entries.last?.fraction == 1)
        #expect(try Data(contentsOf: target).isSame(as: content))
    }

    @Test("a retry resumes an interrupted download")
    func retried() async throws {
        let (folder, ranged) = (try TemporaryFolder(), RangedContent(content, breaks: 1, 300_000, 0))
        let server = try LoopbackServer.giving(ranged)
        var policy = RetryPolicy.upTo(attempts: 5)
        policy.delay = .milliseconds(1)
        let route = Route(path: "/dump").retry(policy)
        _ = try await TestAPI(server).request(route).download(to: folder.file("dump"), resuming: true)
        #expect(server.ranges == [nil, "bytes=1-", "bytes=300001-", "bytes=300001-"])
        #expect(try Data(contentsOf: folder.file("dump")).isSame(as: content))
        #expect(try folder.names == ["dump"])
    }

    @Test("a canceled download can be resumed later")
    func cancelled() async throws {
        let (folder, gate, content) = (try TemporaryFolder(), Gate(), content)
        defer { gate.open() }
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: 1000000\r\n\r\n")
            connection.write(content.prefix(200_000))
            gate.wait()
        }
        let request = TestAPI(baseURL: server.baseURL).request(Self.dump)
        let task = Task { try await request.download(to: folder.file("dump"), resuming: true) }
        let partialFile = folder.partialFile(of: "dump")
        try await eventually("it has begun") { (try? Data(contentsOf: partialFile).count) == 200_000 }
        request.cancel()
        await #expect(throws: HTTPError.cancelled) { try await task.value }
        #expect(try Data(contentsOf: partialFile).isSame(as: content.prefix(200_000)))
    }

    @Test("a complete download canceled during validate requests its last byte again")
    func cancelledLate() async throws {
        let (folder, ranged) = (try TemporaryFolder(), RangedContent(content))
        let (server, asked, going) = (try LoopbackServer.giving(ranged), Counter(), Counter())
        let api = TestAPI(server).with(\.onValidate) { _ in
            asked.increment()
            try await eventually("validate may end") { going.count > 0 }
        }
        let request = api.request(Self.dump)
        let task = Task { try await request.download(to: folder.file("dump"), resuming: true) }
        try await eventually("validate is asked") { asked.count == 1 }
        request.cancel()
        await #expect(throws: HTTPError.cancelled) { try await task.value }
        going.increment()
        // The cancelled request releases the file when its `validate` has ended.
        var last: HTTPError? = HTTPError(.unwritableFile(folder.file("dump").path))
        while last == HTTPError(.unwritableFile(folder.file("dump").path)) {
            let request = api.request(Self.dump)
            last = await failure { _ = try await request.download(to: folder.file("dump"), resuming: true) }
        }
        #expect(last == nil)
        #expect(server.ranges == [nil, "bytes=999999-"])
        #expect(try Data(contentsOf: folder.file("dump")).isSame(as: content))
    }

    @Test("a redirected download is resumed by the path of its URL, without the query")
    func redirected() async throws {
        let (folder, ranged, places) = (
            try TemporaryFolder(), RangedContent(content, breaks: 1000, 1000), Lock(["a?1", "a?2", "b?2"])
        )
        let server = try LoopbackServer.giving(ranged, at: "/stores/*").on(.get, "/api/dump") { _ in
            .status(302, headers: ["Location": "/stores/\(places.withLock { $0.removeFirst() })"])
        }
        for _ in 1...2 {
            await #expect(throws: HTTPError.connectionLost) {
                try await TestAPI(server).request(Self.dump).download(to: folder.file("dump"), resuming: true)
            }
        }
        _ = try await TestAPI(server).request(Self.dump).download(to: folder.file("dump"), resuming: true)
        #expect(server.ranges == [nil, nil, nil, "bytes=1000-", nil, nil])
        #expect(try Data(contentsOf: folder.file("dump")).isSame(as: content))
    }
}
