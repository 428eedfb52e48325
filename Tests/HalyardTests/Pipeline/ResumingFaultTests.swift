import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Bytes that must not be appended to a resumed download, and the use of its partial file.
@Suite(.timeLimit(.minutes(3)))
struct ResumingFaultTests {
    static let dump = Route(path: "/dump")
    let content = Data.noise(100_000)
    let folder: TemporaryFolder
    let ranged: RangedContent
    let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        ranged = RangedContent(content, breaks: 40_000)
        server = try LoopbackServer.giving(ranged)
    }

    func download(_ api: TestAPI? = nil, _ route: Route = dump) async -> HTTPError? {
        await failure {
            _ = try await (api ?? TestAPI(server)).request(route).download(to: folder.file("dump"), resuming: true)
        }
    }

    var isWhole: Bool {
        get throws { try Data(contentsOf: folder.file("dump")).isSame(as: content) && folder.names == ["dump"] }
    }

    @Test(
        "a 206 that does not match fails and removes the partial file",
        arguments: [
            ["Content-Range": "bytes 0-99999/100000"], ["Content-Range": "bytes 40001-99999/100000"], [:],
            ["Content-Range": "bytes 40000-99999/100000", "ETag": "\"two\""],
            ["Content-Range": "bytes 40000-99999/100000", "Content-Encoding": "gzip"],
            ["Content-Range": "bytes 40000-109999/110000"], ["Content-Type": "multipart/byteranges; boundary=x"],
        ] as [HTTPHeaders])
    func misfit(headers: HTTPHeaders) async throws {
        #expect(await download() == .connectionLost)
        let target = try folder.write("old", to: "dump")
        ranged.change { [content] in $0.answers = [.data(content.dropFirst(40_000), status: 206, headers: headers)] }
        let error = await download()
        #expect(error == HTTPError(.invalidResponse))
        #expect(error?.request?.url.path == "/api/dump")
        #expect(try String(contentsOf: target, encoding: .utf8) == "old")
        #expect(try folder.names == ["dump"])
        #expect(await download() == nil)
        #expect(try isWhole)
    }

    @Test("a chunked 206 with too many bytes fails; one with too few is resumed by the next download")
    func chunks() async throws {
        _ = await download()
        let headers: HTTPHeaders = ["Content-Range": "bytes 40000-99999/100000"]
        ranged.change { [content] in
            $0.answers = [.chunked([content.dropFirst(40_000), Data([1])], status: 206, headers: headers)]
        }
        #expect(await download() == HTTPError(.invalidResponse))
        #expect(try folder.names == [])

        ranged.change { $0.breaks = [40_000] }
        #expect(await download() == .connectionLost)
        ranged.change { [content] in
            let first: HTTPHeaders = ["Content-Range": "bytes 40000-49999/100000"]
            $0.answers = [
                .chunked([content.dropFirst(40_000).prefix(1000)], status: 206, headers: headers),
                .data(content.dropFirst(41_000).prefix(9000), status: 206, headers: first),
                .data(
                    content.dropFirst(41_000).prefix(9000), status: 206,
                    headers: ["Content-Range": "bytes 41000-49999/100000"]),
            ]
        }
        let error = await download()
        #expect(error == .connectionLost && error?.reason == "only 41000 of 100000 bytes arrived")
        // The response starts at 40000, but 41000 was requested.
        #expect(await download() == HTTPError(.invalidResponse))

        ranged.change {
            $0.answers = []; $0.breaks = [41_000]
        }
        _ = await download()
        ranged.change { [content] in
            $0.answers = [
                .data(
                    content.dropFirst(41_000).prefix(9000), status: 206,
                    headers: ["Content-Range": "bytes 41000-49999/100000"])
            ]
        }
        #expect(await download()?.reason == "only 50000 of 100000 bytes arrived")
        #expect(await download() == nil)
        #expect(try isWhole)
        #expect(server.ranges.last == "bytes=50000-")
    }

    @Test(
        "an error page, or a 200 that validate rejects, leaves the partial file unchanged", arguments: [401, 404, 503])
    func errorsBetween(status: Int) async throws {
        _ = await download()
        ranged.change { $0.answers = [.text("an error's page", status: status), .text("a page to sign in")] }
        #expect(await download() == .status(status))
        let api = TestAPI(server).with(\.onValidate) { _ in throw HTTPError(.decoding) }
        #expect(await download(api) == .decoding)
        #expect(try folder.names == [".dump.halyard-part", ".dump.halyard-part.json"])
        #expect(await download() == nil)
        #expect(server.ranges.last == "bytes=40000-")
        #expect(try isWhole)
    }

    @Test("an accepted 200 without a validator replaces the partial file")
    func replacedAside() async throws {
        _ = await download()
        ranged.change { $0.answers = [.text("another")] }
        #expect(await download() == nil)
        #expect(try String(contentsOf: folder.file("dump"), encoding: .utf8) == "another")
        #expect(try folder.names == ["dump"])
    }

    @Test("a complete body that validate rejects is not resumed")
    func refused() async throws {
        _ = await download()
        let api = TestAPI(server).with(\.onValidate) { _ in throw HTTPError(.decoding) }
        let request = api.request(Self.dump)
        let response = await response {
            request.responseFile(to: folder.file("dump"), resuming: true, on: .global(), $0)
        }
        #expect(response.error! == HTTPError.decoding)
        #expect(try folder.names == [])
        withExtendedLifetime((request, response)) {}
    }

    @Test(
        "a download of another URL to the same file starts over and keeps the partial file until then",
        arguments: ["other", "dump?v=2"])
    func otherURL(path: String) async throws {
        _ = await download()
        server.on(
            .get, "/api/\(path)", .status(404), .raw("HTTP/1.1 200 OK\r\n"),
            .text("other", headers: ["ETag": "\"one\""]))
        let route = Route(url: try #require(URL(string: "\(server.baseURL)/api/\(path)")))
        #expect(await download(nil, route) == .status(404))
        #expect(await download(nil, route) == .connectionLost)
        #expect(try folder.names == [".dump.halyard-part", ".dump.halyard-part.json"])
        #expect(await download(nil, route) == nil)
        #expect(server.ranges == [nil, nil, nil, nil])
        #expect(try String(contentsOf: folder.file("dump"), encoding: .utf8) == "other")
        #expect(try folder.names == ["dump"])
    }

    @Test("a request with its own Range or a method other than GET is not changed")
    func notResumed() async throws {
        _ = await download()
        server.on(.post, "/api/dump", .text("posted", headers: ["ETag": "\"one\""]))
        let own = Route(path: "/dump", headers: ["Range": "bytes=99990-"])
        #expect(await download(nil, own) == nil)
        #expect(try Data(contentsOf: folder.file("dump")) == content.suffix(10))
        #expect(await download(nil, Route(path: "/dump", method: .post)) == nil)
        #expect(try String(contentsOf: folder.file("dump"), encoding: .utf8) == "posted")
        #expect(server.ranges == [nil, "bytes=99990-", nil])
        #expect(server.requests.dropFirst().allSatisfy { !$0.headers.contains("If-Range") })
    }

    @Test("the request in an error can be sent again")
    func sentAgain() async throws {
        _ = await download()
        ranged.change { $0.breaks = [10_000] }
        let error = await download()
        let client = HTTPClient()
        let response = try await client.send(#require(error?.request))
        #expect(response.status == 206 && server.ranges == [nil, "bytes=40000-", "bytes=50000-"])
        #expect(try isWhole)
    }

    @Test("the engine's body limit applies to the whole body of a resumed download")
    func limited() async throws {
        var api = TestAPI(server)
        api.client = HTTPClient(engine: EngineConfiguration(bodyLimit: 90_000))
        _ = await download()
        #expect(await download(api) == HTTPError(.bodyTooLarge(limit: 90_000)))
        #expect(await download() == nil)
        #expect(try isWhole)
    }

    @Test("downloads resume with a stub, with a transport that cannot write files, and in dry mode")
    func otherTransports() async throws {
        _ = await download()
        let ranged = RangedContent(content)
        let stub = StubTransport().on(.get, "/api/dump") { ranged.answer(to: $0) }
        var api = TestAPI(server)
        for transport in [stub, Plain(inner: stub)] as [any Transport] {
            api.client = HTTPClient(transport: transport)
            #expect(await download(api) == nil)
            #expect(stub.requests.last?.headers["Range"] == "bytes=40000-")
            #expect(try isWhole)
            try FileManager.default.removeItem(at: folder.file("dump"))
            self.ranged.change { $0.breaks = [40_000] }
            _ = await download()
        }
        api.client = HTTPClient(transport: Forgetful(inner: stub, file: folder.file("dump")))
        #expect(await download(api) == HTTPError(.invalidResponse))
        #expect(try folder.names == [".dump.halyard-part", ".dump.halyard-part.json"])
        api.client = api.client.dry()
        #expect(await download(api) == nil)
        #expect(try folder.names == ["dump"])
    }

    /// A transport that returns every body in memory.
    private struct Plain: Transport {
        let inner: any Transport
        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            var request = request
            request.destination = .memory()
            return try await inner.send(request, context: context)
        }
    }

    /// A transport that sends another request than it was given, with another destination.
    private struct Forgetful: Transport {
        let inner: any Transport
        let file: URL
        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            let other = try HTTPRequest(
                request.method, request.url, headers: request.headers, destination: .file(file))
            return try await inner.send(other, context: context)
        }
    }
}
