import Foundation
import HalyardAsync
import HalyardTesting
import Testing

/// Files that cannot be sent, or change under way; streams that fail, or are wanted twice.
@Suite(.timeLimit(.minutes(3)))
struct FileFaultTests {
    enum Flaw: String, CaseIterable {
        case missing, folder, pipe, forbidden, notAFile

        /// A URL with that flaw; nil where this user may read everything.
        func url(in folder: TemporaryFolder) throws -> URL? {
            switch self {
            case .missing: return folder.file("missing")
            case .folder: return folder.url
            case .notAFile: return URL(string: "https://user:secret@example.com/a?token=secret")
            case .pipe:
                let file = folder.file("pipe")
                return mkfifo(file.path, 0o600) == 0 ? file : nil
            case .forbidden:
                let file = try folder.write("x", to: "forbidden")
                chmod(file.path, 0)
                return access(file.path, R_OK) == 0 ? nil : file
            }
        }

        var words: String {
            switch self {
            case .missing: "No such file"
            case .folder: "folder"
            case .pipe: "no regular file"
            case .forbidden: "ermission"
            case .notAFile: "no file URL"
            }
        }
    }

    @Test(
        "row 48, row 54, fault 19, BK2: a file that cannot be sent is an error, and nothing is sent",
        arguments: Flaw.allCases)
    func unreadable(flaw: Flaw) async throws {
        let (server, folder) = (try LoopbackServer.accepting(), try TemporaryFolder())
        guard let url = try flaw.url(in: folder) else { return }
        let routes = [
            Route(path: "/f", method: .post, body: .file(url)),
            Route(path: "/f", method: .post, multipart: [.text("a", name: "b"), .file(url, name: "file")]),
            Route(path: "/f", method: .post, params: ["file": .file(url)]),
        ]
        for route in routes {
            let error = try #require(await failure { try await TestAPI(server).request(route).void() })
            #expect(error == HTTPError.unreadableFile(flaw == .notAFile ? "https://example.com/a" : url.path))
            #expect(error.description.contains(flaw.words), "\(error)")
            #expect(!"\(error)".contains("secret"))
        }
        #expect(server.connectionCount == 0)
    }

    /// Changes the world between the building of a request and its sending.
    struct Meddler: Interceptor {
        let act: @Sendable () throws -> Void
        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            try act()
            return try await next.proceed(request)
        }
    }

    @Test("fault 20: a file that shrinks while it is sent is an error, and never padded", arguments: [true, false])
    func shrinking(isForm: Bool) async throws {
        let (server, folder) = (try LoopbackServer.accepting(), try TemporaryFolder())
        let file = try folder.write(Data.noise(500_000), to: "f")
        let meddler = Meddler { truncate(file.path, 100_000) }
        let api = TestAPI(server).with(\.client, HTTPClient(interceptors: [meddler]))
        let route =
            isForm
            ? Route(path: "/f", method: .post, multipart: [.file(file, name: "f")])
            : Route(path: "/f", method: .post, body: .file(file))
        let error = try #require(await failure { try await api.request(route).void() })
        #expect(error == HTTPError.unreadableFile(file.path))
        #expect(error.reason?.contains("shrank") == true)
        try await eventually("the connection ends") { server.openConnectionCount == 0 }
        #expect(server.requests.isEmpty)
    }

    @Test("a file that grows before it is sent to its end is an error, and its measured part is not taken for it")
    func growing() async throws {
        let (server, folder) = (try LoopbackServer.accepting(), try TemporaryFolder())
        let content = Data.noise(100_000)
        let file = try folder.write(content, to: "f")
        let meddler = Meddler { try (content + content).write(to: file, options: []) }
        let api = TestAPI(server).with(\.client, HTTPClient(interceptors: [meddler]))
        let route = Route(path: "/f", method: .post, body: .file(file))
        let error = await failure { try await api.request(route).void() }
        #expect(error == HTTPError.unreadableFile(file.path) && error?.reason == "it changed while it was sent")
        #expect(server.requests.isEmpty)
    }

    struct Broken: AsyncSequence, Sendable {
        struct Snapped: Error, Equatable {}
        struct AsyncIterator: AsyncIteratorProtocol {
            var count = 0
            mutating func next() async throws -> Data? {
                count += 1
                if count > 3 { throw Snapped() }
                return Data(count: 50_000)
            }
        }
        func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }

    @Test("fault 21: the error of a body's stream is the request's, and the server never gets a whole one")
    func throwingStream() async throws {
        let server = try LoopbackServer.accepting()
        for length in [nil, Int64(200_000)] {
            let plain = Route(path: "/f", method: .post, body: .stream(Broken(), length: length))
            let part = Multipart.Part.stream(Broken(), name: "s", filename: "s", length: length)
            for route in [plain, Route(path: "/f", method: .post, multipart: [part, .text("a", name: "b")])] {
                await #expect(throws: Broken.Snapped()) { try await TestAPI(server).request(route).void() }
            }
        }
        try await eventually("the connections end") { server.openConnectionCount == 0 }
        #expect(server.requests.isEmpty)
    }

    struct Twice: Interceptor {
        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            _ = try await next.proceed(request)
            return try await next.proceed(request)
        }
    }

    @Test("fault 22: a stream that is wanted twice is an error, and never an empty body", arguments: [nil, Int64(6)])
    func streamTwice(length: Int64?) async throws {
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server).with(\.client, HTTPClient(interceptors: [Twice()]))
        let body = RouteBody.stream([Data("stream".utf8)].async, length: length)
        await #expect(throws: HTTPError.bodyConsumed) {
            try await api.request(Route(path: "/f", method: .post, body: body)).void()
        }
        try await eventually("the connections end") { server.openConnectionCount == 0 }
        #expect(try server.request.text == "stream")
    }

    @Test("fault 22: bytes, files and forms of them can be sent as often as they are wanted")
    func othersTwice() async throws {
        let (server, folder) = (try LoopbackServer.accepting(), try TemporaryFolder())
        let content = Data.noise(100_000)
        let file = try folder.write(content, to: "f")
        let api = TestAPI(server).with(\.client, HTTPClient(interceptors: [Twice()]))
        try await api.request(Route(path: "/f", method: .post, body: .data(content))).void()
        try await api.request(Route(path: "/f", method: .post, body: .file(file))).void()
        try await api.request(Route(path: "/f", method: .post, multipart: [.file(file, name: "f")])).void()
        #expect(server.requests.prefix(4).allSatisfy { $0.body == content })
        #expect(try server.requests.suffix(2).allSatisfy { try ParsedForm($0).parts.map(\.body) == [content] })
    }
}
