import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Uploads that go on after an interruption: tus 1.0, and draft-ietf-httpbis-resumable-upload.
@Suite(.timeLimit(.minutes(3)))
struct ResumableUploadTests {
    private static let route = Route(path: "/videos", method: .post, params: ["folder": "a b"])

    private let server: UploadServer
    private let folder: TemporaryFolder
    private let file: URL
    private let content = UploadServer.content

    init() throws { (server, folder, file) = try UploadServer.withFile(named: "clip ä.mp4") }

    private func expectDone() throws {
        #expect(server.upload?.bytes == content && server.upload?.isComplete == true)
        #expect(try folder.names == ["clip ä.mp4"])
    }

    @Test("a file is uploaded with one request after its creation", arguments: UploadServer.protocols)
    func once(upload: ResumableUpload) async throws {
        let events = Log<UploadEvent>()
        let response = try await server.api.upload(file, to: Self.route, resuming: upload) { events.add($0) }
        try expectDone()
        #expect(response.status == (server.upload?.isDraft == true ? 200 : 204))
        #expect(server.methods == ["POST", "PATCH"])
        #expect(server.loopback.requests.first?.query == "folder=a%20b")
        let progress = events.entries.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
        #expect(progress.count == events.entries.count)
        #expect(progress.last == TransferProgress(completed: 300_000, total: 300_000))
        let headers = try #require(server.upload?.headers)
        if server.upload?.isDraft == true {
            #expect(headers["Content-Disposition"] == "inline; filename*=UTF-8''clip%20%C3%A4.mp4")
            #expect(headers["Content-Type"] == "video/mp4")
        } else {
            #expect(headers["Upload-Metadata"] == "filename Y2xpcCDDpC5tcDQ=,filetype dmlkZW8vbXA0")
        }
    }

    @Test(
        "an interrupted upload goes on where the server says, and its progress never decreases",
        arguments: UploadServer.protocols)
    func interrupted(upload: ResumableUpload) async throws {
        server.state.withLock { $0.cuts = [0, 100_000, 7, 150_000] }
        let events = Log<UploadEvent>()
        try await server.api.upload(file, to: Self.route, resuming: upload) { events.add($0) }
        try expectDone()
        let pairs: [String] = (0..<4).flatMap { _ in ["PATCH", "HEAD"] }
        #expect(server.methods == ["POST"] + pairs + ["PATCH"])
        var (completed, resumed, interruptions) = (Int64(-1), [Int64](), 0)
        for event in events.entries {
            switch event {
            case .progress(let progress):
                #expect(progress.completed > completed && progress.total == 300_000)
                completed = progress.completed
            case .resumed(let offset): resumed.append(offset)
            case .interrupted: interruptions += 1
            case .startedOver: Issue.record("It started over")
            }
        }
        #expect(resumed == [0, 100_000, 100_007, 250_007] && interruptions == 4 && completed == 300_000)
    }

    @Test("another call goes on with the upload of one that ended", arguments: UploadServer.protocols)
    func later(upload: ResumableUpload) async throws {
        server.state.withLock { $0.cuts = [120_000] }
        var once = upload
        once.reconnecting = .upTo(attempts: 0)
        let error = await failure { try await server.api.upload(file, to: Self.route, resuming: once) }
        #expect(error?.kind == .connectionLost)
        let record = try #require(try folder.names.first { $0.hasSuffix(".upload") })
        let attributes = try FileManager.default.attributesOfItem(
            atPath: folder.file(record).path(percentEncoded: false))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try folder.names.count == 2)
        try await server.api.upload(file, to: Self.route, resuming: upload)
        try expectDone()
        #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH"])
        #expect(server.loopback.requests.last?.body.count == 180_000)
    }

    @Test("an upload whose last answer was lost is not sent again", arguments: UploadServer.protocols)
    func lostAnswer(upload: ResumableUpload) async throws {
        server.state.withLock { $0.lostAnswers = 1 }
        let response = try await server.api.upload(file, to: Self.route, resuming: upload)
        try expectDone()
        // A server of the draft is asked for the answer of the target, and need not have it any more.
        let end = server.upload?.isDraft == true ? ["PATCH"] : []
        #expect(response.isSuccessful && server.methods == ["POST", "PATCH", "HEAD"] + end)
        #expect(end.isEmpty || server.loopback.requests.last?.body.isEmpty == true)
    }

    @Test("a server of the draft need not say whether an upload is complete, and sends a lost answer again")
    func hiddenCompletion() async throws {
        server.state.withLock { ($0.lostAnswers, $0.hidesCompletion) = (1, true) }
        let response = try await server.api.upload(file, to: Self.route, resuming: UploadServer.protocols[1])
        try expectDone()
        #expect(response.text == "stored" && server.methods == ["POST", "PATCH", "HEAD", "PATCH"])
        #expect(server.loopback.requests.last?.body.isEmpty == true)
    }

    @Test("an upload that the server has forgotten starts over, and says so", arguments: UploadServer.protocols)
    func forgotten(upload: ResumableUpload) async throws {
        server.state.withLock { $0.cuts = [200_000] }
        let events = Log<UploadEvent>()
        try await server.api.upload(file, to: Self.route, resuming: upload) { event in
            events.add(event)
            if case .interrupted = event { server.state.withLock { $0.uploads = [:] } }
        }
        try expectDone()
        #expect(server.methods == ["POST", "PATCH", "HEAD", "POST", "PATCH"])
        let restarts = events.entries.filter { if case .startedOver = $0 { true } else { false } }
        #expect(restarts.count == 1)
    }

    @Test(
        "an upload of a file that has changed since starts over, and the old one is removed",
        arguments: UploadServer.protocols)
    func changed(upload: ResumableUpload) async throws {
        server.state.withLock { $0.cuts = [120_000] }
        var once = upload
        once.reconnecting = .upTo(attempts: 0)
        _ = await failure { try await server.api.upload(file, to: Self.route, resuming: once) }
        let other = Data(repeating: 7, count: 300_000)
        try other.write(to: file)
        let events = Log<UploadEvent>()
        try await server.api.upload(file, to: Self.route, resuming: upload) { events.add($0) }
        #expect(server.upload?.bytes == other)
        #expect(server.methods == ["POST", "PATCH", "DELETE", "POST", "PATCH"])
        #expect(events.entries.first.map { "\($0)" } == #"startedOver("the file has changed")"#)
    }

    @Test(
        "a file that changes while it is uploaded fails, and the server never has a mixture",
        arguments: UploadServer.protocols)
    func changing(upload: ResumableUpload) async throws {
        server.state.withLock { $0.cuts = [120_000] }
        let error = await failure {
            try await server.api.upload(file, to: Self.route, resuming: upload) { event in
                if case .interrupted = event { try? Data(repeating: 7, count: 300_000).write(to: file) }
            }
        }
        #expect(error?.kind == .unreadableFile(file.path(percentEncoded: false)))
        #expect(server.upload?.bytes == content.prefix(120_000) && server.upload?.isComplete == false)
    }

    @Test("parts are as large as the caller and the server allow", arguments: UploadServer.protocols)
    func parts(upload: ResumableUpload) async throws {
        server.state.withLock { $0.limits = ["Upload-Limit": "max-append-size=90000, max-age=60"] }
        var small = upload
        small.partSize = 100_000
        try await server.api.upload(file, to: Self.route, resuming: small)
        try expectDone()
        let sizes = server.loopback.requests.dropFirst().map(\.body.count)
        #expect(sizes == [90_000, 90_000, 90_000, 30_000])
    }

    @Test("an empty file is uploaded too", arguments: UploadServer.protocols)
    func empty(upload: ResumableUpload) async throws {
        try Data().write(to: file)
        try await server.api.upload(file, to: Self.route, resuming: upload)
        #expect(server.upload?.bytes == Data())
        #expect(server.methods == (server.upload?.isDraft == true ? ["POST", "PATCH"] : ["POST", "HEAD"]))
    }

    @Test(
        "a busy server is asked again, a refusal ends the upload and keeps its beginning",
        arguments: UploadServer.protocols)
    func refused(upload: ResumableUpload) async throws {
        server.state.withLock { $0.refusals = [423, 503, 409, 403].map { .status($0) } }
        let error = await failure { try await server.api.upload(file, to: Self.route, resuming: upload) }
        #expect(error?.kind == .status(403))
        #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"])
        try await server.api.upload(file, to: Self.route, resuming: upload)
        try expectDone()
        #expect(server.state.withLock { $0.created } == 1)
    }

    @Test("a canceled upload ends at once, and the next call goes on with it", arguments: UploadServer.protocols)
    func canceled(upload: ResumableUpload) async throws {
        server.state.withLock { $0.cuts = [100_000] }
        var patient = upload
        (patient.reconnecting.delay, patient.reconnecting.maximumDelay) = (.seconds(600), .seconds(600))
        let interruptions = Counter()
        let task = Task { [patient] in
            try await server.api.upload(file, to: Self.route, resuming: patient) { event in
                if case .interrupted = event { interruptions.increment() }
            }
        }
        try await eventually("it waits for another attempt") { interruptions.count == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try folder.names.count == 2 && server.methods == ["POST", "PATCH"])

        let resumed = Log<Int64>()
        try await server.api.upload(file, to: Self.route, resuming: upload) { event in
            if case .resumed(let offset) = event { resumed.add(offset) }
        }
        try expectDone()
        #expect(resumed.entries == [100_000] && server.state.withLock { $0.created } == 1)
    }

    @Test("a timeout ends the whole call, and the next call goes on with it", arguments: UploadServer.protocols)
    func timeout(upload: ResumableUpload) async throws {
        server.state.withLock { $0.cuts = [100_000] }
        let clock = ManualClock()
        let client = HTTPClient(transport: PlatformTransport.make(EngineConfiguration()), clock: clock)
        let api = server.api.with(\.client, client)
        var limited = upload
        (limited.reconnecting.delay, limited.reconnecting.maximumDelay) = (.seconds(600), .seconds(600))
        limited.timeout = .seconds(60)
        let interruptions = Counter()
        let task = Task { [limited] in
            await failure {
                try await api.upload(file, to: Self.route, resuming: limited) { event in
                    if case .interrupted = event { interruptions.increment() }
                }
            }
        }
        try await eventually("it waits for another attempt") { interruptions.count == 1 }
        try await clock.advance(by: .seconds(60), waking: 1)
        let error = await task.value
        #expect(error == .timedOut && error?.reason == "the upload took longer than 60.0 seconds")
        #expect(try folder.names.count == 2 && server.methods == ["POST", "PATCH"])

        limited.timeout = .seconds(3600)
        let resumed = Log<Int64>()
        try await api.upload(file, to: Self.route, resuming: limited) { event in
            if case .resumed(let offset) = event { resumed.add(offset) }
        }
        try expectDone()
        #expect(resumed.entries == [100_000] && server.state.withLock { $0.created } == 1 && clock.sleeperCount == 0)
    }

    @Test("attempts that bring nothing are limited", arguments: UploadServer.protocols)
    func attempts(upload: ResumableUpload) async throws {
        server.state.withLock { $0.cuts = Array(repeating: 0, count: 100) }
        var few = upload
        few.reconnecting.attempts = 3
        let error = await failure { try await server.api.upload(file, to: Self.route, resuming: few) }
        #expect(error?.kind == .connectionLost)
        #expect(server.methods.count { $0 == "PATCH" } == 4)
    }

    @Test("a second call for the same file and target is an error while the first one runs")
    func twice() async throws {
        var upload = ResumableUpload.tus
        upload.record = folder.file("record")
        let lock = try UserOwnedFile.forLock(at: folder.file("record.lock").path(percentEncoded: false))
        #expect(try lock.lock())
        let error = await failure { try await server.api.upload(file, to: Self.route, resuming: upload) }
        let path = folder.file("record.lock").path(percentEncoded: false)
        #expect(error?.kind == .unwritableFile(path))
        #expect(error?.reason == "another call is uploading the file" && server.methods == [])
        lock.release()
        try await server.api.upload(file, to: Self.route, resuming: upload)
        try expectDone()
    }

    @Test("an upload can be discarded", arguments: UploadServer.protocols)
    func discarded(upload: ResumableUpload) async throws {
        server.state.withLock { $0.cuts = [120_000] }
        var once = upload
        once.reconnecting = .upTo(attempts: 0)
        _ = await failure { try await server.api.upload(file, to: Self.route, resuming: once) }
        try await server.api.discardUpload(file, to: Self.route, resuming: upload)
        #expect(server.upload == nil && server.methods == ["POST", "PATCH", "DELETE"])
        #expect(try folder.names == ["clip ä.mp4"])
        try await server.api.discardUpload(file, to: Self.route, resuming: upload)
        #expect(server.methods.count == 3)
    }

    @Test("the protocol can be detected", arguments: ["Tus-Resumable", "Upload-Limit", ""])
    func detected(header: String) async throws {
        server.loopback.on(.options, "/videos", .status(204, headers: header == "" ? [:] : [header: "1.0.0"]))
        guard header != "" else {
            let error = await failure { try await server.api.upload(file, to: Self.route, resuming: .detected) }
            #expect(error?.kind == .invalidResponse && error?.suggestion?.contains(".tus") == true)
            return
        }
        try await server.api.upload(file, to: Self.route, resuming: .detected)
        try expectDone()
        #expect(server.upload?.isDraft == (header == "Upload-Limit"))
    }

    @Test("the record is found again whatever the provider adds, and another file is never replaced")
    func records() async throws {
        server.state.withLock { $0.cuts = [120_000] }
        var once = ResumableUpload.tus
        once.reconnecting = .upTo(attempts: 0)
        var api = server.api
        api.additionalParams = ["nonce": "1"]
        _ = await failure { try await api.upload(file, to: Self.route, resuming: once) }
        try await server.api.upload(file, to: Self.route, resuming: .tus)
        try expectDone()
        #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH"])

        once.record = try folder.write("my notes", to: "notes")
        let error = await failure { try await server.api.upload(file, to: Self.route, resuming: once) }
        #expect(error?.kind == .unwritableFile(folder.file("notes").path))
        #expect(try String(contentsOf: folder.file("notes"), encoding: .utf8) == "my notes")
        #expect(server.methods.count == 4)
    }

    @Test("a server that forgets again and again is not asked for ever")
    func forgetful() async throws {
        let loopback = try LoopbackServer()
            .on(.post, "/videos", times: .any, .status(201, headers: ["Location": "/u"]))
            .on(.patch, "/u", times: .any, .status(404))
        var few = UploadServer.protocols[0]
        few.reconnecting.attempts = 3
        let error = await failure {
            try await TestAPI(baseURL: loopback.baseURL).upload(file, to: Self.route, resuming: few)
        }
        #expect(error?.kind == .status(404))
        #expect(loopback.requests.count { $0.method == .post } == 5)
    }

    @Test("a server that does not follow the protocol is an error, not an endless upload")
    func broken() async throws {
        for headers: HTTPHeaders in [
            [:], ["Upload-Offset": "-1"], ["Upload-Offset": "999999999"], ["Upload-Offset": "x"],
        ] {
            let loopback = try LoopbackServer()
                .on(.post, "/videos", times: .any, .status(201, headers: ["Location": "/u"]))
                .on(.patch, "/u", times: .any, .status(204, headers: headers))
            let error = await failure {
                try await TestAPI(baseURL: loopback.baseURL).upload(
                    file, to: Self.route, resuming: UploadServer.protocols[0])
            }
            #expect(error?.kind == .invalidResponse)
        }
        let silent = try LoopbackServer().on(.post, "/videos", .status(201))
        let other = try folder.write(content, to: "other")
        let error = await failure {
            try await TestAPI(baseURL: silent.baseURL).upload(other, to: Self.route, resuming: .draft)
        }
        #expect(error?.kind == .invalidResponse && error?.reason?.contains("Location") == true)
    }

    @Test("hundreds of interruptions and ended calls lose and mix nothing", arguments: UploadServer.protocols)
    func torn(upload: ResumableUpload) async throws {
        var generator = SystemRandomNumberGenerator()
        server.state.withLock { $0.cuts = (0..<100).map { _ in Int.random(in: 0..<5000, using: &generator) } }
        func isComplete() -> Bool { server.state.withLock { $0.uploads.values.contains(where: \.isComplete) } }
        for _ in 0..<100 where !isComplete() {
            var impatient = upload
            impatient.reconnecting.attempts = Int.random(in: 0...2, using: &generator)
            let task = Task { [impatient] in
                try await server.api.upload(file, to: Self.route, resuming: impatient)
            }
            if Bool.random(using: &generator) { task.cancel() }
            _ = await task.result
        }
        if !isComplete() { try await server.api.upload(file, to: Self.route, resuming: upload) }
        let uploads = server.state.withLock { Array($0.uploads.values) }
        #expect(uploads.filter(\.isComplete).map(\.bytes) == [content])
        // A call that is canceled before it knows the URL of its upload leaves an empty one.
        #expect(uploads.allSatisfy { $0.isComplete || $0.bytes.isEmpty })
        #expect(try folder.names == ["clip ä.mp4"])
    }
}
