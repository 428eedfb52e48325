import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// What the requests of an upload contain, and how often they are sent.
@Suite(.timeLimit(.minutes(3)))
struct UploadRequestTests {
    private static let route = Route(path: "/videos", method: .post)

    private let server: UploadServer
    private let folder: TemporaryFolder
    private let file: URL
    private let content = UploadServer.content

    init() throws { (server, folder, file) = try UploadServer.withFile() }

    @Test("header fields about the creation are not in the requests that follow", arguments: UploadServer.protocols)
    func creationFields(upload: ResumableUpload) async throws {
        server.state.withLock { $0.cuts = [100] }
        let fields: HTTPHeaders = [
            "Content-Encoding": "gzip", "Repr-Digest": "sha-256=:AAAA:", "Content-MD5": "AA==",
            "If-None-Match": "*", "Idempotency-Key": "\"7\"", "X-Own": "kept",
        ]
        let route = Route(path: "/videos", method: .post, headers: fields)
        try await server.api.upload(file, to: route, resuming: upload)
        #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH"])
        for request in server.loopback.requests {
            let names = fields.filter { request.headers[$0.name] == $0.value }.map(\.name)
            #expect(names == (request.method == .post ? fields.map(\.name) : fields.map(\.name).suffix(1)))
        }
    }

    @Test("a policy that repeats any request does not repeat one at an old offset", arguments: UploadServer.protocols)
    func staleOffset(upload: ResumableUpload) async throws {
        server.state.withLock { $0.cuts = [100_000] }
        var policy = RetryPolicy.upTo(attempts: 3).withAnyMethod()
        policy.delay = .milliseconds(1)
        try await server.api.upload(file, to: Self.route.retry(policy), resuming: upload)
        #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH"])
        #expect(server.upload?.bytes == content)
    }

    @Test("a limit of no bytes is none", arguments: UploadServer.protocols)
    func emptyLimit(upload: ResumableUpload) async throws {
        server.state.withLock { $0.limits = ["Upload-Limit": "max-append-size=0"] }
        try await server.api.upload(file, to: Self.route, resuming: upload)
        #expect(server.upload?.bytes == content && server.methods == ["POST", "PATCH"])
    }

    @Test("a refusal of the smallest part that the server allows is not repeated", arguments: UploadServer.protocols)
    func leastPart(upload: ResumableUpload) async throws {
        server.state.withLock { $0.limits = ["Upload-Limit": "min-append-size=200000"] }
        server.state.withLock { $0.refusals = Array(repeating: .status(413), count: 10) }
        let error = await failure { try await server.api.upload(file, to: Self.route, resuming: upload) }
        #expect(error?.kind == .status(413))
        #expect(server.loopback.requests.map(\.body.count) == [0, 300_000, 0, 200_000])
    }

    @Test("a Location of another scheme is not recorded", arguments: ["ftp://example.com/a", "file:///tmp/a", "a:b"])
    func otherScheme(location: String) async throws {
        let loopback = try LoopbackServer()
            .on(.post, "/videos", times: .any, .status(201, headers: ["Location": location]))
        let error = await failure {
            try await TestAPI(baseURL: loopback.baseURL).upload(file, to: Self.route, resuming: .tus)
        }
        #expect(error?.kind == .invalidResponse && error?.reason?.contains("an HTTP URL") == true)
        #expect(try folder.names == ["clip.mp4"])
    }

    @Test("a status that only the provider accepts is no progress", arguments: UploadServer.protocols)
    func acceptedStatus(upload: ResumableUpload) async throws {
        let api = server.api.with(\.onValidate) { _ in }
        server.state.withLock { $0.refusals = [.status(503), .status(403)] }
        var small = upload
        small.partSize = 200_000
        let error = await failure { try await api.upload(file, to: Self.route, resuming: small) }
        #expect(error?.kind == .status(403) && server.methods == ["POST", "PATCH", "HEAD", "PATCH"])
        try await api.upload(file, to: Self.route, resuming: small)
        #expect(server.upload?.bytes == content)
    }

    @Test("a file that may have arrived twice is not sent again", arguments: UploadServer.protocols)
    func forgottenEnds(upload: ResumableUpload) async throws {
        server.state.withLock { $0.lostAnswers = 10 }
        let error = await failure {
            try await server.api.upload(file, to: Self.route, resuming: upload) { event in
                if case .interrupted = event { server.state.withLock { $0.uploads = [:] } }
            }
        }
        #expect(error?.kind == .status(404) || error?.kind == .status(410))
        #expect(error?.suggestion?.contains("whether it has arrived") == true)
        #expect(server.methods == ["POST", "PATCH", "HEAD", "POST", "PATCH", "HEAD"])
        #expect(try folder.names == ["clip.mp4"])
    }

    @Test("nor is it if a proxy gives up each time", arguments: UploadServer.protocols, [502, 504, 524])
    func impatientProxy(upload: ResumableUpload, status: Int) async throws {
        server.state.withLock { $0.refusals = Array(repeating: .status(status), count: 10) }
        let error = await failure {
            try await server.api.upload(file, to: Self.route, resuming: upload) { event in
                if case .interrupted = event { server.state.withLock { $0.uploads = [:] } }
            }
        }
        #expect(error?.suggestion?.contains("whether it has arrived") == true)
        #expect(server.methods == ["POST", "PATCH", "HEAD", "POST", "PATCH", "HEAD"])
    }

    @Test("an overloaded server gets a creation with the whole file again", arguments: UploadServer.protocols)
    func overloaded(upload: ResumableUpload) async throws {
        let stored = StubResponse.status(201, headers: ["Location": "/videos/7", "Upload-Offset": "300000"])
        let loopback = try LoopbackServer().on(.post, "/videos", .status(503), .status(503), .status(503), stored)
        var whole = upload
        whole.createsWithBytes = true
        let error = await failure {
            try await TestAPI(baseURL: loopback.baseURL).upload(file, to: Self.route, resuming: whole)
        }
        // Of a server that does not know the draft, a 503 does not say whether the file is there.
        let isDraft = loopback.requests.first?.headers.contains("Tus-Resumable") == false
        #expect(error?.kind == (isDraft ? .status(503) : nil) && loopback.requests.count == (isDraft ? 1 : 4))
        #expect(isDraft == (error?.suggestion?.contains("whether it has arrived") ?? false))
    }

    @Test("a creation with the whole file goes on if not all of it was sent", arguments: [nil, 100_000, 300_000])
    func lostCreation(completed: Int64?) async throws {
        let api = server.api.with(\.client, HTTPClient(transport: Losing(completed: completed)))
        var whole = UploadServer.protocols[1]
        whole.createsWithBytes = true
        let error = await failure { try await api.upload(file, to: Self.route, resuming: whole) }
        #expect(error?.kind == (completed == 300_000 ? .connectionLost : nil))
        #expect(server.methods == (completed == 300_000 ? [] : ["POST"]))
        #expect(error?.suggestion?.contains("whether it has arrived") == (completed == 300_000 ? true : nil))
    }

    @Test("a file that the server has certainly not processed has not arrived")
    func refusedCreation() async throws {
        let losing = Losing(completed: 300_000, mayHaveBeenProcessed: false)
        let api = server.api.with(\.client, HTTPClient(transport: losing))
        var whole = UploadServer.protocols[1]
        whole.createsWithBytes = true
        let interruptions = Log<Void>()
        try await api.upload(file, to: Self.route, resuming: whole) { event in
            if case .interrupted = event { interruptions.add(()) }
        }
        #expect(server.upload?.bytes == content && server.methods == ["POST"] && interruptions.entries.count == 1)
    }

    @Test("a refusal to discard an upload that only the provider accepts keeps the record")
    func acceptedRefusal() async throws {
        server.state.withLock { $0.refusals = [.status(403)] }
        _ = await failure { try await server.api.upload(file, to: Self.route, resuming: UploadServer.protocols[0]) }
        server.state.withLock { $0.removal = .status(403) }
        let api = server.api.with(\.onValidate) { _ in }
        let error = await failure { try await api.discardUpload(file, to: Self.route, resuming: .tus) }
        #expect(try error?.kind == .status(403) && folder.names.count == 2)
    }

    @Test("a file whose creations have no answer is sent twice, not for each attempt")
    func unansweredCreations() async throws {
        let loopback = try LoopbackServer().on(.post, "/videos", times: .any, .status(201).resetting())
        var upload = UploadServer.protocols[0]
        upload.createsWithBytes = true
        let error = await failure {
            try await TestAPI(baseURL: loopback.baseURL).upload(file, to: Self.route, resuming: upload)
        }
        #expect(error?.kind == .connectionLost && loopback.requests.map(\.body.count) == [300_000, 300_000])
        #expect(error?.suggestion?.contains("whether it has arrived") == true)
    }

    @Test(
        "a file of which the server has said that it is incomplete has not arrived", arguments: UploadServer.protocols)
    func forgottenMiddle(upload: ResumableUpload) async throws {
        server.state.withLock { $0.cuts = [100_000, 50_000] }
        let interruptions = Log<Void>()
        try await server.api.upload(file, to: Self.route, resuming: upload) { event in
            let earlier = interruptions.entries.count
            switch event {
            case .interrupted where earlier == 0, .resumed where earlier == 2:
                server.state.withLock { $0.uploads = [:] }
            default: break
            }
            if case .interrupted = event { interruptions.add(()) }
        }
        #expect(server.upload?.bytes == content)
        #expect(server.methods.count { $0 == "POST" } == 3)
    }
}

/// A transport that loses the first request with a body, after some of it.
private struct Losing: Transport {
    let completed: Int64?
    let mayHaveBeenProcessed: Bool
    private let isFirst = Lock(true)

    init(completed: Int64?, mayHaveBeenProcessed: Bool = true) {
        (self.completed, self.mayHaveBeenProcessed) = (completed, mayHaveBeenProcessed)
    }

    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        let isLost =
            request.body != nil
            && isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
        guard isLost else { return try await TestAPI.patientClient.transport.send(request, context: context) }
        if let completed { context.progress?(.upload, TransferProgress(completed: completed, total: 300_000)) }
        // The pipeline itself sends a request again whose connection was lost before it was processed.
        throw HTTPError(mayHaveBeenProcessed ? .connectionLost : .timedOut).with {
            $0.mayHaveBeenProcessed = mayHaveBeenProcessed
        }
    }
}
