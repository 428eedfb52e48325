import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Downloads whose SHA-256 the caller knows, or the server.
@Suite(.timeLimit(.minutes(3)))
struct DownloadDigestTests {
    private static let route = Route(path: "/dump")
    private let content = Data.noise(300_000)
    private let other = SHA256Digest.hash(Data("other".utf8)).hexadecimal
    private let folder: TemporaryFolder
    private let place: URL

    init() throws {
        folder = try TemporaryFolder()
        place = folder.file("dump")
    }

    private var digest: String { SHA256Digest.hash(content).hexadecimal }

    private func download(
        _ server: LoopbackServer, resuming: Bool, _ sha256: String? = nil, policy: RetryPolicy = .never
    ) async throws {
        // The budget of the client of other tests may be used up.
        let client = HTTPClient(engine: EngineConfiguration(idleTimeout: nil))
        _ = try await TestAPI(server).with(\.client, client).request(Self.route.retry(policy))
            .download(to: place, resuming: resuming, sha256: sha256)
    }

    @Test("a file with its digest is in place", arguments: [false, true])
    func right(resuming: Bool) async throws {
        let server = try LoopbackServer.giving(RangedContent(content))
        try await download(server, resuming: resuming, digest.uppercased())
        #expect(try Data(contentsOf: place) == content && folder.names == ["dump"])
    }

    @Test("a file with another digest is an error with both, and replaces nothing", arguments: [false, true])
    func wrong(resuming: Bool) async throws {
        _ = try folder.write("old", to: "dump")
        let server = try LoopbackServer.giving(RangedContent(content))
        let error = await failure { try await download(server, resuming: resuming, other) }
        #expect(error?.kind == .digestMismatch(expected: other, actual: digest))
        #expect(error?.request != nil && error?.response?.status == 200)
        #expect(try String(contentsOf: place, encoding: .utf8) == "old" && folder.names == ["dump"])
    }

    @Test("a resumed download is checked as a whole", arguments: [true, false], [0, 1])
    func resumed(isRight: Bool, retries: Int) async throws {
        let ranged = RangedContent(content)
        ranged.change { $0.breaks = [100_000, 50_000] }
        let server = try LoopbackServer.giving(ranged)
        var policy = RetryPolicy.upTo(attempts: 1 + retries)
        policy.delay = .zero
        // A first part that another program has changed.
        #expect(await failure { try await download(server, resuming: true, digest) } == .connectionLost)
        if !isRight {
            let handle = try FileHandle(forWritingTo: folder.partialFile(of: "dump"))
            try handle.write(contentsOf: Data("x".utf8))
            try handle.close()
        }
        if retries == 0 {
            #expect(await failure { try await download(server, resuming: true, digest) } == .connectionLost)
        }
        let error = await failure { try await download(server, resuming: true, digest, policy: policy) }
        #expect(server.ranges == [nil, "bytes=100000-", "bytes=150000-"])
        if isRight {
            #expect(error == nil)
            #expect(try Data(contentsOf: place) == content && folder.names == ["dump"])
        } else {
            guard case .digestMismatch(digest, _) = error?.kind else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try folder.names == [])
        }
    }

    @Test(
        "a malformed digest is an error before anything is sent",
        arguments: ["", "ab", String(repeating: "g", count: 64)])
    func malformed(sha256: String) async throws {
        let server = try LoopbackServer.giving(RangedContent(content))
        let error = await failure { try await download(server, resuming: false, sha256) }
        #expect(error?.kind == .configuration("sha256"))
        #expect(server.requests.isEmpty)
    }

    /// The header fields of a server that states a digest of the whole file.
    private func stating(_ bytes: Data, _ further: HTTPHeaders = ["ETag": "\"one\""]) -> HTTPHeaders {
        var headers = further
        let digest = SHA256Digest.hash(bytes).base64EncodedString()
        headers["Repr-Digest"] = "sha-512=:AAAA:, sha-256=:\(digest):"
        return headers
    }

    @Test("the Repr-Digest of a server is checked while the bytes arrive", arguments: [false, true])
    func stated(resuming: Bool) async throws {
        let right = try LoopbackServer.giving(RangedContent(content, stating(content)))
        try await download(right, resuming: resuming)
        #expect(try Data(contentsOf: place) == content && folder.names == ["dump"])

        let wrong = try LoopbackServer.giving(RangedContent(content, stating(Data("other".utf8))))
        let error = await failure { try await download(wrong, resuming: resuming) }
        #expect(error?.kind == .digestMismatch(expected: other, actual: digest))
        #expect(try Data(contentsOf: place) == content && folder.names == ["dump"])
        // The caller knows better.
        try await download(wrong, resuming: resuming, digest)
    }

    @Test("the Repr-Digest of a resumed download covers the bytes that were there", arguments: [true, false])
    func statedOfResumed(isRight: Bool) async throws {
        let server = try LoopbackServer.giving(RangedContent(content, stating(content), breaks: 100_000))
        #expect(await failure { try await download(server, resuming: true) } == .connectionLost)
        if !isRight {
            let handle = try FileHandle(forWritingTo: folder.partialFile(of: "dump"))
            try handle.write(contentsOf: Data("x".utf8))
            try handle.close()
        }
        let error = await failure { try await download(server, resuming: true) }
        #expect(server.ranges == [nil, "bytes=100000-"])
        #expect(try folder.names == (isRight ? ["dump"] : []))
        if isRight {
            #expect(try error == nil && Data(contentsOf: place) == content)
        } else {
            guard case .digestMismatch(digest, _) = error?.kind else { throw try #require(error) }
        }
    }

    @Test("a Repr-Digest that is not that of the bytes in the file is not compared")
    func incomparable() async throws {
        let compressed = Data([
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 76, 74, 6, 0, 194, 65, 36, 53, 3, 0, 0, 0,
        ])
        let other = Data("other".utf8)
        let server = try LoopbackServer()
            .on(
                .get, "/api/part",
                .text("abc", status: 206, headers: stating(other, ["Content-Range": "bytes 2-4/9"]))
            )
            .on(.get, "/api/gzip", .data(compressed, headers: stating(other, ["Content-Encoding": "gzip"])))
            .on(.head, "/api/head", .data(Data(), headers: stating(other)))
            .on(.get, "/api/none", .status(204, headers: stating(other)))
            .on(.get, "/api/malformed", .text("abc", headers: ["Repr-Digest": "sha-256=abc, x"]))
            .on(.get, "/api/short", .text("abc", headers: ["Repr-Digest": "sha-256=:AAAA:"]))
        let api = TestAPI(server)
        let routes = [
            Route(path: "/part", headers: ["Range": "bytes=2-4"]), Route(path: "/gzip"),
            Route(path: "/head", method: .head), Route(path: "/none"), Route(path: "/malformed"), Route(path: "/short"),
        ]
        for route in routes { _ = try await api.request(route).download(to: place) }
        #expect(server.requests.count == 6)
    }

    @Test("a Repr-Digest is compared for a client without a provider, and for a body in memory")
    func statedElsewhere() async throws {
        let server = try LoopbackServer.giving(RangedContent(content, stating(Data("other".utf8))))
        let api = TestAPI(server)
        let mismatch = HTTPError.Kind.digestMismatch(expected: other, actual: digest)
        let plain = try HTTPRequest(.get, server.baseURL.appending(path: "api/dump"), destination: .file(place))
        #expect(await failure { _ = try await api.client.send(plain) }?.kind == mismatch)
        let request = api.request(Self.route)
        #expect(try await request.data() == content)
        #expect(await failure { _ = try await request.download(to: place) }?.kind == mismatch)
        #expect(try folder.names == [])
    }

    @Test("a body in memory, and the file of another observer, are checked as well", arguments: [true, false])
    func shared(isFile: Bool) async throws {
        let server = try LoopbackServer.giving(RangedContent(content))
        let request = TestAPI(server).request(Self.route)
        if isFile { _ = try await request.download(to: place) } else { _ = try await request.data() }
        #expect(
            await failure { _ = try await request.download(to: place, sha256: other) }?.kind
                == .digestMismatch(expected: other, actual: digest))
        #expect(try await request.download(to: place, sha256: digest) == place)
        #expect(try Data(contentsOf: place) == content)
    }

    @Test("a response of an interceptor is checked as well")
    func intercepted() async throws {
        struct Answering: Interceptor {
            let content: Data
            func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
                HTTPResponse(status: 200, data: content, url: request.url)
            }
        }
        let api = TestAPI(StubTransport(), Answering(content: content))
        #expect(
            await failure { _ = try await api.request(Self.route).download(to: place, sha256: other) }?.kind
                == .digestMismatch(expected: other, actual: digest))
        #expect(try folder.names == [])
    }
}
