import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Resumable uploads to servers with faults, and records that are not the program's own.
@Suite(.timeLimit(.minutes(3)))
struct UploadFaultTests {
    private static let route = Route(path: "/videos", method: .post)

    private let server: UploadServer
    private let folder: TemporaryFolder
    private let file: URL
    private let content = UploadServer.content

    init() throws { (server, folder, file) = try UploadServer.withFile() }

    private func refuse(_ answers: StubResponse...) { server.state.withLock { $0.refusals = answers } }

    @Test("a refusal of the target itself ends an upload of the draft", arguments: [400, 404, 409, 422, 500, 503])
    func refusedByTarget(status: Int) async throws {
        refuse(.status(status, headers: ["Upload-Complete": "?1"]))
        let error = await failure {
            try await server.api.upload(file, to: Self.route, resuming: UploadServer.protocols[1])
        }
        #expect(error?.kind == .status(status) && server.methods == ["POST", "PATCH"])
        #expect(try folder.names == ["clip.mp4"])
    }

    @Test("a refusal of the creation that would be the same again ends the upload", arguments: [409, 501, 505])
    func refusedCreation(status: Int) async throws {
        let loopback = try LoopbackServer().on(.post, "/videos", times: .any, .status(status))
        for upload in UploadServer.protocols {
            let error = await failure {
                try await TestAPI(baseURL: loopback.baseURL).upload(file, to: Self.route, resuming: upload)
            }
            #expect(error?.kind == .status(status))
        }
        #expect(loopback.requests.count == 2)
    }

    @Test("an upload that the server cannot remove is discarded", arguments: UploadServer.protocols, [405, 501])
    func discarded(upload: ResumableUpload, status: Int) async throws {
        refuse(.status(403))
        _ = await failure { try await server.api.upload(file, to: Self.route, resuming: upload) }
        #expect(try folder.names.count == 2)
        server.state.withLock { $0.removal = .status(500) }
        let error = await failure { try await server.api.discardUpload(file, to: Self.route, resuming: upload) }
        #expect(try error?.kind == .status(500) && folder.names.count == 2)
        server.state.withLock { $0.removal = .status(status) }
        try await server.api.discardUpload(file, to: Self.route, resuming: upload)
        #expect(try folder.names == ["clip.mp4"])
    }

    @Test("a server of the draft that answers its own version only is detected, and its limits hold from the start")
    func detectedWithLimits() async throws {
        server.loopback.on(.options, "/videos") { request in
            let isKnown = request.headers["Upload-Draft-Interop-Version"] == "10"
            return .status(204, headers: isKnown ? ["Upload-Limit": "max-append-size=100000"] : [:])
        }
        var upload = ResumableUpload.detected
        upload.createsWithBytes = true
        let response = try await server.api.upload(file, to: Self.route, resuming: upload)
        #expect(response.text == "stored" && server.upload?.bytes == content)
        #expect(server.loopback.requests.allSatisfy { $0.body.count <= 100_000 })
        #expect(server.methods == ["OPTIONS", "POST", "PATCH", "PATCH"])
    }

    @Test("a server that takes no byte is not asked for ever", arguments: UploadServer.protocols)
    func stuck(upload: ResumableUpload) async throws {
        let answer = StubResponse.status(204, headers: ["Upload-Offset": "0", "Upload-Complete": "?0"])
        server.state.withLock { $0.refusals = Array(repeating: answer, count: 100) }
        let error = await failure { try await server.api.upload(file, to: Self.route, resuming: upload) }
        #expect(error?.kind == .invalidResponse)
        #expect(server.methods.count { $0 == "PATCH" } == 11)
    }

    @Test("a refusal whose answer was lost is not taken for a success", arguments: [true, false])
    func lostRefusal(isCompletionHidden: Bool) async throws {
        server.state.withLock { ($0.lostAnswers, $0.hidesCompletion) = (1, isCompletionHidden) }
        server.state.withLock { $0.end = .status(422, headers: ["Upload-Complete": "?1"]) }
        let error = await failure {
            try await server.api.upload(file, to: Self.route, resuming: UploadServer.protocols[1])
        }
        #expect(error?.kind == .status(422) && server.methods == ["POST", "PATCH", "HEAD", "PATCH"])
        #expect(try folder.names == ["clip.mp4"])
    }

    @Test("a complete upload that the server then removes is not sent again")
    func removedEnd() async throws {
        server.state.withLock { ($0.lostAnswers, $0.end) = (1, .status(200).resetting()) }
        let interruptions = Log<Void>()
        let response = try await server.api.upload(file, to: Self.route, resuming: UploadServer.protocols[1]) { event in
            guard case .interrupted = event else { return }
            interruptions.add(())
            if interruptions.entries.count == 2 { server.state.withLock { $0.uploads = [:] } }
        }
        #expect(response.status == 204 && server.methods == ["POST", "PATCH", "HEAD", "PATCH", "HEAD"])
        #expect(try folder.names == ["clip.mp4"])
    }

    @Test("a complete upload whose server neither says so nor repeats its answer fails soon, and says why")
    func silentEnd() async throws {
        let answer = StubResponse.status(409, headers: ["Upload-Offset": "300000", "Upload-Complete": "?0"])
        server.state.withLock { ($0.lostAnswers, $0.hidesCompletion, $0.end) = (1, true, answer) }
        let error = await failure {
            try await server.api.upload(file, to: Self.route, resuming: UploadServer.protocols[1])
        }
        #expect(error?.kind == .invalidResponse && error?.reason?.contains("the whole file") == true)
        #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"])
    }

    @Test("a page of a proxy is not the answer to a complete upload")
    func page() async throws {
        refuse(.text("<p>Sign in</p>"))
        try await server.api.upload(file, to: Self.route, resuming: UploadServer.protocols[1])
        #expect(server.upload?.bytes == content && server.methods == ["POST", "PATCH", "HEAD", "PATCH"])
    }

    @Test("an offset that is larger than that of the last byte is an error", arguments: UploadServer.protocols)
    func wrongOffset(upload: ResumableUpload) async throws {
        var small = upload
        small.partSize = 1000
        refuse(.status(204, headers: ["Upload-Offset": "300000", "Upload-Complete": "?0"]))
        let error = await failure { try await server.api.upload(file, to: Self.route, resuming: small) }
        #expect(error?.kind == .invalidResponse && error?.suggestion?.contains("discardUpload") == true)
    }

    @Test("errors of the provider's own type do not end an upload that may go on", arguments: UploadServer.protocols)
    func ownErrors(upload: ResumableUpload) async throws {
        struct Own: Error { let status: Int }
        let api = server.api.with(\.onValidate) { if !$0.isSuccessful { throw Own(status: $0.status) } }
        refuse(.status(503), .status(409))
        try await api.upload(file, to: Self.route, resuming: upload)
        #expect(server.upload?.bytes == content)
        #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"])
        refuse(.status(403))
        await #expect(throws: Own.self) { try await api.upload(file, to: Self.route, resuming: upload) }
        server.state.withLock { $0.uploads = [:] }
        try await api.upload(file, to: Self.route, resuming: upload)
        #expect(server.upload?.bytes == content)
    }

    @Test("a long wait ends the call with an error of the provider's own type too", arguments: UploadServer.protocols)
    func ownLongWait(upload: ResumableUpload) async throws {
        struct Own: Error {}
        let api = server.api.with(\.onValidate) { if !$0.isSuccessful { throw Own() } }
        refuse(.status(503, retryAfter: 31_536_000))
        await #expect(throws: Own.self) { try await api.upload(file, to: Self.route, resuming: upload) }
        #expect(server.methods == ["POST", "PATCH"])
    }

    @Test("parameters of the provider are not the body of a question", arguments: UploadServer.protocols)
    func parameters(upload: ResumableUpload) async throws {
        var api = server.api.with(\.additionalParams, ["key": "a"])
        api.encodings = [.head: .json, .delete: .json]
        server.state.withLock { $0.cuts = [100] }
        try await api.upload(file, to: Self.route, resuming: upload)
        let question = try #require(server.loopback.requests.first { $0.method == .head })
        #expect(question.body.isEmpty && question.query == "key=a")
    }

    @Test("the provider's Content-Type is not that of the bytes", arguments: UploadServer.protocols)
    func contentType(upload: ResumableUpload) async throws {
        let api = server.api.with(\.additionalHeaders, ["Content-Type": "application/json"])
        try await api.upload(file, to: Self.route, resuming: upload)
        #expect(server.upload?.bytes == content)
    }

    @Test("a server that asks for a long wait ends the call", arguments: UploadServer.protocols)
    func longWait(upload: ResumableUpload) async throws {
        refuse(.status(503, retryAfter: 31_536_000))
        let error = await failure { try await server.api.upload(file, to: Self.route, resuming: upload) }
        #expect(error?.kind == .status(503) && error?.retryDelay == .seconds(31_536_000))
        try await server.api.upload(file, to: Self.route, resuming: upload)
        #expect(server.state.withLock { $0.created } == 1)
    }

    @Test("a part that is too large is halved, or as small as the server says", arguments: UploadServer.protocols)
    func tooLarge(upload: ResumableUpload) async throws {
        // Smaller parts are no failed attempts.
        var upload = upload
        upload.reconnecting.attempts = 0
        refuse(.status(413), .status(413, headers: ["Upload-Limit": "max-append-size=100000, min-append-size=50"]))
        try await server.api.upload(file, to: Self.route, resuming: upload)
        let sizes = server.loopback.requests.filter { $0.method == .patch }.map(\.body.count)
        #expect(sizes.prefix(2) == [300_000, 150_000])
        #expect(sizes.dropFirst(2).allSatisfy { $0 <= 75_000 } && sizes.dropFirst(2).reduce(0, +) == 300_000)
    }

    @Test("a refusal of the whole file is not repeated", arguments: UploadServer.protocols)
    func refusedFile(upload: ResumableUpload) async throws {
        var bytes = upload
        bytes.createsWithBytes = true
        for upload in [upload, bytes] {
            let loopback = try LoopbackServer()
                .on(.post, "/videos", times: .any, .status(413, headers: ["Tus-Max-Size": "1000"]))
            let error = await failure {
                try await TestAPI(baseURL: loopback.baseURL).upload(file, to: Self.route, resuming: upload)
            }
            #expect(error?.kind == .status(413) && loopback.requests.count == 1)
        }
    }

    @Test("a file that is larger than the server accepts is not sent", arguments: ["max-size=1000", "max-size=x", ""])
    func limits(text: String) async throws {
        let headers: HTTPHeaders = text == "" ? ["Tus-Max-Size": "1000"] : ["Upload-Limit": text]
        server.state.withLock { $0.limits = headers }
        let error = await failure {
            try await server.api.upload(file, to: Self.route, resuming: UploadServer.protocols[0])
        }
        // A value of another type makes the header void.
        #expect(error?.kind == (text == "max-size=x" ? nil : .encoding("the file")))
        #expect(server.methods == (text == "max-size=x" ? ["POST", "PATCH"] : ["POST"]))
    }

    @Test("a Location that is no URL is not recorded")
    func location() async throws {
        let loopback = try LoopbackServer()
            .on(.post, "/videos", times: .any, .status(201, headers: ["Location": "http://[x"]))
        let error = await failure {
            try await TestAPI(baseURL: loopback.baseURL).upload(file, to: Self.route, resuming: .tus)
        }
        #expect(error?.kind == .invalidResponse)
        #expect(try folder.names == ["clip.mp4"])
    }

    @Test("neither a link in the record's place is followed, nor a file of the user removed")
    func foreignFiles() async throws {
        var upload = UploadServer.protocols[0]
        upload.record = folder.file("record")
        let other = try folder.write("{}", to: "other")
        try FileManager.default.createSymbolicLink(at: folder.file("record"), withDestinationURL: other)
        let error = await failure { try await server.api.upload(file, to: Self.route, resuming: upload) }
        #expect(error?.kind == .unwritableFile(folder.file("record").path))
        try FileManager.default.removeItem(at: folder.file("record"))

        _ = try folder.write("mine", to: "record.lock")
        let second = await failure { try await server.api.upload(file, to: Self.route, resuming: upload) }
        #expect(second?.kind == .unwritableFile(folder.file("record.lock").path))
        #expect(second?.suggestion?.contains("record") == true && server.methods == [])
        #expect(try String(contentsOf: folder.file("record.lock"), encoding: .utf8) == "mine")
    }

    @Test("a record of another target is not used")
    func otherTarget() async throws {
        var upload = UploadServer.protocols[0]
        (upload.record, upload.reconnecting.attempts) = (folder.file("record"), 0)
        server.state.withLock { $0.cuts = [100] }
        _ = await failure { try await server.api.upload(file, to: Self.route, resuming: upload) }
        let other = try UploadServer()
        try await other.api.upload(file, to: Self.route, resuming: upload)
        #expect(other.upload?.bytes == content && server.upload?.bytes.count == 100)

        // Nor does it tell the protocol, and discardUpload does not remove its upload.
        server.state.withLock { $0.cuts = [100] }
        _ = await failure { try await server.api.upload(file, to: Self.route, resuming: upload) }
        try await other.api.discardUpload(file, to: Self.route, resuming: upload)
        #expect(server.state.withLock { $0.uploads.count } == 2 && !server.methods.contains("DELETE"))
        other.loopback.on(.options, "/videos", .status(204, headers: ["Upload-Limit": "max-size=1000000"]))
        var detected = ResumableUpload.detected
        detected.record = upload.record
        try await other.api.upload(file, to: Self.route, resuming: detected)
        #expect(other.state.withLock { $0.uploads["2"]?.isDraft } == true)
    }

    @Test("an upload that the server has forgotten can be discarded", arguments: UploadServer.protocols)
    func discardForgotten(upload: ResumableUpload) async throws {
        refuse(.status(403))
        _ = await failure { try await server.api.upload(file, to: Self.route, resuming: upload) }
        server.state.withLock { $0.uploads = [:] }
        try await server.api.discardUpload(file, to: Self.route, resuming: upload)
        #expect(try folder.names == ["clip.mp4"])
    }

    @Test("long names have a record too", arguments: [("\u{6F22}", 80), ("👨‍👩‍👧‍👦", 8)])
    func longName(character: String, count: Int) async throws {
        let name = String(repeating: character, count: count) + ".mp4"
        let long = try folder.write(content, to: name)
        server.state.withLock { $0.cuts = [100] }
        try await server.api.upload(long, to: Self.route, resuming: UploadServer.protocols[0])
        #expect(server.upload?.bytes == content)
    }
}
