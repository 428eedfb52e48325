import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardSigning
import HalyardTesting
import TestSupport
import Testing

/// The policy that checks the digests of bodies (RFC 9530).
@Suite(.timeLimit(.minutes(3)))
struct DigestCheckingTests {
    private struct Files: HTTPProvider {
        let baseURL: URL
        var client = HTTPClient(configuration: .init(policies: [.checkingDigests()]))
    }

    private static let body = Data("content of a file".utf8)
    private static let digest = digest(of: body)
    private static let otherDigest = digest(of: Data())
    private let server: LoopbackServer
    private let files: Files

    init() throws {
        server = try LoopbackServer()
        files = Files(baseURL: server.baseURL)
    }

    private static func digest(of bytes: Data) -> String {
        "sha-256=:\(SHA256Digest.hash(bytes).base64EncodedString()):"
    }

    /// Calls a closure with each response before its digest is checked.
    private struct Observer: Interceptor {
        let onResponse: @Sendable (HTTPResponse) throws -> Void

        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            let response = try await next.proceed(request)
            try onResponse(response)
            return response
        }
    }

    private func files(observing onResponse: @escaping @Sendable (HTTPResponse) throws -> Void) -> Files {
        let policies: [ClientPolicy] = [.checkingDigests(), ClientPolicy(.sending, Observer(onResponse: onResponse))]
        return Files(baseURL: server.baseURL, client: HTTPClient(configuration: .init(policies: policies)))
    }

    private func serve(_ digest: String?, in name: String) {
        let headers: HTTPHeaders = digest.map { HTTPHeaders([name: $0]) } ?? [:]
        server.on(.get, "/file", times: .any, .data(Self.body, headers: headers))
    }

    @Test("a body in memory is compared with its digest", arguments: ["Content-Digest", "Repr-Digest"])
    func memory(name: String) async throws {
        serve(Self.digest, in: name)
        #expect(try await files.request(Route(path: "/file")).data() == Self.body)
        let sent = try #require(server.requests.first)
        #expect(sent.headers["Accept-Encoding"] == "identity" && sent.headers["Want-Repr-Digest"] == "sha-256=1")
    }

    @Test(
        "a body with another digest is an error, and no file is in place", arguments: ["Content-Digest", "Repr-Digest"])
    func differs(name: String) async throws {
        serve(Self.otherDigest, in: name)
        await #expect(throws: MessageSignatureError.bodyDiffers) {
            try await files.request(Route(path: "/file")).data()
        }
        let folder = try TemporaryFolder()
        for isResumable in [false, true] {
            let target = folder.file("file")
            await #expect(throws: MessageSignatureError.bodyDiffers) {
                _ = try await files.request(Route(path: "/file")).download(to: target, resuming: isResumable)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
        }
    }

    @Test("a download is compared with its digest, and one without a digest is not", arguments: [digest, nil])
    func download(digest: String?) async throws {
        serve(digest, in: "Content-Digest")
        let folder = try TemporaryFolder()
        let target = folder.file("file")
        _ = try await files.request(Route(path: "/file")).download(to: target)
        #expect(try Data(contentsOf: target) == Self.body)
    }

    @Test("a resumed download is compared as a whole, and removed if it differs", arguments: [digest, otherDigest])
    func resumed(digest: String) async throws {
        let ranged = RangedContent(Self.body, ["ETag": "\"one\"", "Repr-Digest": digest], breaks: 10)
        server.on(.get, "/file", times: .any) { ranged.answer(to: $0) }
        let folder = try TemporaryFolder()
        let load = {
            _ = try await files.request(Route(path: "/file")).download(to: folder.file("file"), resuming: true)
        }
        #expect(await failure { try await load() } == .connectionLost)
        if digest == Self.digest {
            try await load()
            #expect(try Data(contentsOf: folder.file("file")) == Self.body)
        } else {
            await #expect(throws: MessageSignatureError.bodyDiffers) { try await load() }
            #expect(try folder.names == [])
        }
        #expect(server.ranges == [nil, "bytes=10-"])
    }

    @Test("the rest of a resumed download is compared with its Content-Digest", arguments: [true, false])
    func rest(isRight: Bool) async throws {
        let ranged = RangedContent(Self.body, breaks: 10)
        server.on(.get, "/file", times: .any) { ranged.answer(to: $0) }
        let folder = try TemporaryFolder()
        let load = {
            _ = try await files.request(Route(path: "/file")).download(to: folder.file("file"), resuming: true)
        }
        #expect(await failure { try await load() } == .connectionLost)
        let digest = isRight ? Self.digest(of: Self.body.dropFirst(10)) : Self.digest
        ranged.change { $0.headers["Content-Digest"] = digest }
        if isRight {
            try await load()
            #expect(try Data(contentsOf: folder.file("file")) == Self.body)
        } else {
            await #expect(throws: MessageSignatureError.bodyDiffers) { try await load() }
            #expect(try folder.names == [])
        }
    }

    @Test("a complete download that could not be compared is kept", arguments: [true, false])
    func notCompared(isCancelled: Bool) async throws {
        // For a `Content-Digest`, the file is read.
        let ranged = RangedContent(Self.body, ["ETag": "\"one\"", "Content-Digest": Self.digest])
        server.on(.get, "/file", times: .any) { ranged.answer(to: $0) }
        let folder = try TemporaryFolder()
        let (part, aside) = (folder.partialFile(of: "file"), folder.file("aside"))
        let files = files { [server] _ in
            guard server.requests.count == 1 else { return }
            if isCancelled { return withUnsafeCurrentTask { $0?.cancel() } }
            try FileManager.default.moveItem(at: part, to: aside)
        }
        let load: @Sendable () async throws -> Void = {
            _ = try await files.request(Route(path: "/file")).download(to: folder.file("file"), resuming: true)
        }
        if isCancelled {
            await #expect(throws: CancellationError.self) { try await Task { try await load() }.value }
        } else {
            #expect(await failure { try await load() }?.kind == .unreadableFile(part.path))
            try FileManager.default.moveItem(at: aside, to: part)
        }
        ranged.change { $0.headers["Content-Digest"] = nil }
        try await load()
        #expect(try Data(contentsOf: folder.file("file")) == Self.body)
        // The last byte tells whether the server still has this version.
        #expect(server.ranges == [nil, "bytes=\(Self.body.count - 1)-"])
    }

    @Test("a download without a digest, or with a Repr-Digest, is not read again", arguments: [false, true])
    func notRead(isStated: Bool) async throws {
        serve(isStated ? Self.digest : nil, in: "Repr-Digest")
        let folder = try TemporaryFolder()
        // A folder has no bytes that can be read.
        let files = files { response in
            guard let path = response.downloadFile?.path else { return }
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        _ = try await files.request(Route(path: "/file")).download(to: folder.file("file"))
        #expect(try folder.names == ["file"])
    }

    @Test(
        "a download over connections does not continue bytes that differ from their digest",
        arguments: ["Content-Digest", "Repr-Digest"])
    func connections(name: String) async throws {
        let content = Data.pattern(3_000_000)
        let ranged = RangedContent(Data(count: content.count), ["ETag": "\"two\"", name: Self.digest(of: content)])
        // The policy compares the `Repr-Digest` of a body that is sent as a whole: here, after a change.
        if name == "Repr-Digest" {
            let headers: HTTPHeaders = ["ETag": "\"one\"", "Content-Range": "bytes 0-1048575/\(content.count)"]
            ranged.change { $0.answers = [.data(content.prefix(1 << 20), status: 206, headers: headers)] }
        }
        server.on(.get, "/file", times: .any) { ranged.answer(to: $0) }
        let folder = try TemporaryFolder()
        let load = {
            _ = try await files.download(Route(path: "/file"), to: folder.file("file"), connections: 4)
        }
        await #expect(throws: MessageSignatureError.bodyDiffers) { try await load() }
        #expect(try folder.names == [])
        ranged.change { ($0.content, $0.headers) = (content, ["ETag": "\"two\""]) }
        try await load()
        #expect(try Data(contentsOf: folder.file("file")).isSame(as: content))
    }

    @Test("a download over connections does not continue bytes whose digest cannot be read")
    func unreadable() async throws {
        let ranged = RangedContent(Data(count: 3_000_000), ["ETag": "\"one\"", "Content-Digest": "sha-256=:!:"])
        server.on(.get, "/file", times: .any) { ranged.answer(to: $0) }
        let folder = try TemporaryFolder()
        for _ in 0..<2 {
            let error = await failure {
                _ = try await files.download(Route(path: "/file"), to: folder.file("file"), connections: 4)
            }
            #expect(try error == .decoding && folder.names == [])
        }
    }

    @Test("a part that is too short is continued by a retry")
    func shortPart() async throws {
        let ranged = RangedContent(Self.body, ["ETag": "\"one\"", "Repr-Digest": Self.digest], breaks: 5)
        server.on(.get, "/file", times: .any) { ranged.answer(to: $0) }
        let folder = try TemporaryFolder()
        let load = { (route: Route) in
            _ = try await files.request(route).download(to: folder.file("file"), resuming: true)
        }
        #expect(await failure { try await load(Route(path: "/file")) } == .connectionLost)
        let (end, total) = (11, Self.body.count)
        ranged.change {
            $0.answers = [
                .data(
                    Self.body[5..<end], status: 206,
                    headers: ["ETag": "\"one\"", "Content-Range": "bytes 5-\(end - 1)/\(total)"])
            ]
        }
        try await load(Route(path: "/file").retry(.upTo(attempts: 2)))
        #expect(try Data(contentsOf: folder.file("file")) == Self.body)
        #expect(server.ranges == [nil, "bytes=5-", "bytes=11-"])
    }

    @Test(
        "a stream is compared with its digest at its end", arguments: ["Content-Digest", "Repr-Digest"], [true, false])
    func stream(name: String, isRight: Bool) async throws {
        serve(isRight ? Self.digest : Self.otherDigest, in: name)
        var bytes = Data()
        let read = { for try await chunk in files.request(Route(path: "/file")).chunks { bytes += chunk } }
        if isRight {
            try await read()
        } else {
            await #expect(throws: MessageSignatureError.bodyDiffers) { try await read() }
        }
        #expect(bytes == Self.body)
    }

    @Test("the digest may be a trailer", arguments: [true, false])
    func trailer(isRight: Bool) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let digest = "Content-Digest: \(isRight ? Self.digest : Self.otherDigest)\r\n"
        let body = "\(String(Self.body.count, radix: 16))\r\n\(String(decoding: Self.body, as: UTF8.self))\r\n0\r\n"
        server.on(.get, "/file", times: .any, .raw(head + body + digest + "\r\n"))
        let request = { files.request(Route(path: "/file")) }
        let folder = try TemporaryFolder()
        let reads: [() async throws -> Void] = [
            { _ = try await request().data() },
            { _ = try await request().download(to: folder.file("file")) },
            { for try await _ in request().chunks {} },
        ]
        for read in reads {
            if isRight {
                try await read()
            } else {
                await #expect(throws: MessageSignatureError.bodyDiffers) { try await read() }
            }
        }
    }

    @Test("the response to HEAD is not checked")
    func head() async throws {
        server.on(.head, "/file", .status(200, headers: ["Repr-Digest": Self.digest]))
        try await files.request(Route(path: "/file", method: .head)).void()
    }
}
