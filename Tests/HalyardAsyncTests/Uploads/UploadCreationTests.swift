import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Uploads whose creation has bytes, and checksums.
@Suite(.timeLimit(.minutes(3)))
struct UploadCreationTests {
    private static let route = Route(path: "/videos", method: .post)
    private static let protocols = UploadServer.protocols.map { upload in
        var upload = upload
        (upload.createsWithBytes, upload.sendsChecksums) = (true, true)
        return upload
    }

    private let server: UploadServer
    private let folder: TemporaryFolder
    private let file: URL
    private let content = UploadServer.content

    init() throws { (server, folder, file) = try UploadServer.withFile() }

    private func expectDone(_ methods: String...) throws {
        #expect(server.upload?.bytes == content && server.upload?.isComplete == true)
        #expect(server.methods == methods)
        #expect(try folder.names == ["clip.mp4"])
    }

    @Test("one request is enough", arguments: protocols)
    func once(upload: ResumableUpload) async throws {
        let progress = Log<Int64>()
        let response = try await server.api.upload(file, to: Self.route, resuming: upload) { event in
            if case .progress(let now) = event { progress.add(now.completed) }
        }
        try expectDone("POST")
        #expect(response.status == (server.upload?.isDraft == true ? 200 : 201))
        #expect(progress.entries == progress.entries.sorted() && progress.entries.last == 300_000)
        #expect(
            server.upload?.headers["Content-Type"]?.hasPrefix(
                server.upload?.isDraft == true ? "video/mp4" : "application/offset") == true)
    }

    @Test("a part is the beginning, and the rest follows", arguments: protocols)
    func parts(upload: ResumableUpload) async throws {
        var small = upload
        small.partSize = 100_000
        try await server.api.upload(file, to: Self.route, resuming: small)
        try expectDone("POST", "PATCH", "PATCH")
    }

    @Test("a server of the draft may complete the upload before it has all bytes")
    func early() async throws {
        let answer = StubResponse.text("early", headers: ["Upload-Complete": "?1", "Location": "/videos/7"])
        let loopback = try LoopbackServer().on(.post, "/videos", answer)
        var small = Self.protocols[1]
        small.partSize = 100_000
        let response = try await TestAPI(baseURL: loopback.baseURL).upload(file, to: Self.route, resuming: small)
        #expect(response.text == "early" && loopback.requests.map(\.body.count) == [100_000])
        #expect(try folder.names == ["clip.mp4"])
    }

    @Test("a file that is too small for a server to resume is one request", arguments: [0, 1000, 1001])
    func small(count: Int) async throws {
        server.loopback.on(.options, "/videos", .status(204, headers: ["Upload-Limit": "min-size=1001"]))
        let file = try folder.write(content.prefix(count), to: "small.mp4")
        var upload = ResumableUpload.detected
        upload.partSize = 600
        try await server.api.upload(file, to: Self.route, resuming: upload)
        #expect(server.methods == ["OPTIONS", "POST"] + (count > 1000 ? ["PATCH", "PATCH"] : []))
        #expect(server.upload?.bytes == content.prefix(count) && server.upload?.isComplete == true)
    }

    @Test("a server that takes no request of that size gets parts of a small file")
    func smallParts() async throws {
        let limits = StubResponse.status(204, headers: ["Upload-Limit": "min-size=1001, max-append-size=600"])
        server.loopback.on(.options, "/videos", limits)
        let file = try folder.write(content.prefix(1000), to: "small.mp4")
        try await server.api.upload(file, to: Self.route, resuming: .detected)
        #expect(server.loopback.requests.map(\.body.count) == [0, 0, 600, 400])
        #expect(server.upload?.isComplete == true)
    }

    @Test(
        "a small file may have arrived if the answer is lost, and a 413 is final", arguments: [0, 100_000],
        [0, 503, 413])
    func smallLost(count: Int, status: Int) async throws {
        let limit: HTTPHeaders = ["Upload-Limit": "min-size=100001"]
        let loopback = try LoopbackServer()
            .on(.options, "/videos", .status(204, headers: limit))
            .on(.post, "/videos", times: .any, status == 0 ? .status(200).resetting() : .status(status, headers: limit))
        let file = try folder.write(content.prefix(count), to: "small.mp4")
        var upload = ResumableUpload.detected
        upload.reconnecting = Self.protocols[1].reconnecting
        let error = await failure {
            try await TestAPI(baseURL: loopback.baseURL).upload(file, to: Self.route, resuming: upload)
        }
        #expect(error?.kind == (status == 0 ? .connectionLost : .status(status)))
        #expect((error?.suggestion?.contains("whether it has arrived") == true) == (status != 413))
        #expect(loopback.requests.map(\.body.count) == [0, count])
    }

    @Test("the protocol is detected again for a file that has changed since the record")
    func detectedAgain() async throws {
        server.state.withLock { $0.cuts = [120_000] }
        var once = UploadServer.protocols[1]
        once.reconnecting = .upTo(attempts: 0)
        _ = await failure { try await server.api.upload(file, to: Self.route, resuming: once) }
        #expect(try folder.names.count == 2)
        try content.prefix(1000).write(to: file)
        server.loopback.on(.options, "/videos", .status(204, headers: ["Upload-Limit": "min-size=1001"]))
        try await server.api.upload(file, to: Self.route, resuming: .detected)
        #expect(server.methods == ["POST", "PATCH", "OPTIONS", "DELETE", "POST"])
        #expect(server.upload?.bytes == content.prefix(1000) && server.upload?.isComplete == true)
    }

    @Test("an empty file is complete with its creation, and tus asks", arguments: protocols)
    func empty(upload: ResumableUpload) async throws {
        let file = try folder.write(Data(), to: "empty.mp4")
        try await server.api.upload(file, to: Self.route, resuming: upload)
        let isDraft = server.upload?.isDraft == true
        #expect(server.methods == (isDraft ? ["POST"] : ["POST", "HEAD"]))
        #expect(server.upload?.headers["Upload-Complete"] == (isDraft ? "?1" : nil))
        #expect(server.upload?.isComplete == isDraft)
    }

    @Test("a server of tus without this extension gets the bytes again")
    func ignored() async throws {
        server.state.withLock { $0.ignoresBytes = true }
        try await server.api.upload(file, to: Self.route, resuming: Self.protocols[0])
        try expectDone("POST", "HEAD", "PATCH")
    }

    @Test("after a lost connection, the upload goes on if a 104 has named its URL", arguments: [10, 9, nil])
    func announced(version: Int?) async throws {
        server.state.withLock { ($0.announcedVersion, $0.cuts) = (version, [120_000]) }
        guard version == 10 else {
            // Nothing tells that the server, which may have the whole file, knows this version of the draft.
            let error = await failure {
                try await server.api.upload(file, to: Self.route, resuming: Self.protocols[1])
            }
            #expect(error?.kind == .connectionLost && server.methods == ["POST"])
            return
        }
        try await server.api.upload(file, to: Self.route, resuming: Self.protocols[1])
        try expectDone("POST", "HEAD", "PATCH")
        #expect(server.loopback.requests.last?.body.count == 180_000)
    }

    @Test("another call goes on with an upload whose creation was interrupted after a 104")
    func later() async throws {
        server.state.withLock { ($0.announcedVersion, $0.cuts) = (10, [120_000]) }
        var once = Self.protocols[1]
        once.reconnecting = .upTo(attempts: 0)
        let error = await failure { try await server.api.upload(file, to: Self.route, resuming: once) }
        #expect(error?.kind == .connectionLost)
        try await server.api.upload(file, to: Self.route, resuming: once)
        try expectDone("POST", "HEAD", "PATCH")
    }

    @Test("a server that does not know the draft takes an ordinary upload")
    func ordinary() async throws {
        let loopback = try LoopbackServer()
            .on(.post, "/videos", .text("done", status: 201, headers: ["Location": "/videos/7"]))
        let response = try await TestAPI(baseURL: loopback.baseURL)
            .upload(file, to: Self.route, resuming: Self.protocols[1])
        #expect(response.text == "done" && loopback.requests.map(\.body) == [content])
        #expect(try folder.names == ["clip.mp4"])
    }

    @Test("a creation with a part of the file begins again after a lost connection", arguments: protocols)
    func partLost(upload: ResumableUpload) async throws {
        server.state.withLock { $0.cuts = [50_000] }
        var small = upload
        small.partSize = 200_000
        try await server.api.upload(file, to: Self.route, resuming: small)
        #expect(server.methods == ["POST", "POST", "PATCH"])
        #expect(server.state.withLock { $0.uploads["2"]?.bytes } == content)
    }

    @Test("a refusal is an error of the request", arguments: protocols, [403, 413])
    func refused(upload: ResumableUpload, status: Int) async throws {
        let loopback = try LoopbackServer().on(.post, "/videos", times: .any, .status(status))
        var patient = upload
        patient.reconnecting.attempts = 10
        let error = await failure {
            try await TestAPI(baseURL: loopback.baseURL).upload(file, to: Self.route, resuming: patient)
        }
        #expect(error?.kind == .status(status))
        // A part that is too large is halved, down to 64 KiB. A server that does not know the draft might take a part for
        // the whole file.
        let isTus = loopback.requests.first?.headers.contains("Tus-Resumable") == true
        let sizes = status == 413 && isTus ? [300_000, 150_000, 75_000, 65_536] : [300_000]
        #expect(loopback.requests.map(\.body.count) == sizes)
    }

    @Test("a checksum covers at most 16 MB", arguments: protocols)
    func large(upload: ResumableUpload) async throws {
        let large = try folder.write(Data.pattern((16 << 20) + 5), to: "large.mp4")
        var plain = upload
        plain.createsWithBytes = false
        try await server.api.upload(large, to: Self.route, resuming: plain)
        #expect(server.loopback.requests.map(\.body.count) == [0, 16 << 20, 5])
        try await server.api.upload(large, to: Self.route, resuming: upload)
        // A server that does not know the draft takes the first request for the whole file.
        let isDraft = server.loopback.requests.first?.headers.contains("Tus-Resumable") == false
        #expect(
            server.loopback.requests.dropFirst(3).map(\.body.count) == (isDraft ? [(16 << 20) + 5] : [16 << 20, 5]))
    }

    @Test("bytes that the server has found damaged are sent again", arguments: protocols)
    func damaged(upload: ResumableUpload) async throws {
        server.state.withLock { $0.refusals = [.status(460)] }
        var plain = upload
        plain.createsWithBytes = false
        try await server.api.upload(file, to: Self.route, resuming: plain)
        try expectDone("POST", "PATCH", "HEAD", "PATCH")
        let digest = SHA256Digest.hash(content).base64EncodedString()
        let headers = try #require(server.loopback.requests.last).headers
        #expect(
            headers["Upload-Checksum"] ?? headers["Content-Digest"]
                == (server.upload?.isDraft == true ? "sha-256=:\(digest):" : "sha256 \(digest)"))
    }
}
