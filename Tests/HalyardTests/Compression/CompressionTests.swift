#if os(macOS) || os(Linux)
    import Foundation
    import HalyardAsync
    import HalyardHTTP
    import HalyardTesting
    import TestSupport
    import Testing

    @testable import Halyard

    /// Bodies of requests in gzip.
    @Suite(.timeLimit(.minutes(3)))
    struct CompressionTests {
        /// JSON that compression makes smaller, with a secret.
        static let text = String(repeating: "harbour ", count: 500)
        static let save = Route(path: "/notes", method: .post, params: ["text": text, "password": "s3cret-word"])
            .compressed()

        @Test("compressed data has the right length, type and coding, and decompresses with gzip")
        func inMemory() async throws {
            let server = try LoopbackServer.accepting()
            try await TestAPI(server).request(Self.save).void()
            let request = try server.request
            #expect(request.headers.values(for: "Content-Encoding") == ["gzip"])
            #expect(request.headers["Content-Type"] == "application/json")
            #expect(request.headers["Content-Length"] == "\(request.body.count)")
            #expect(request.body.count < 300)
            let json = try JSON(parsing: request.body.gunzipped())
            #expect(json["text"].string == Self.text)
        }

        @Test("a body that would not shrink or has its own coding is sent unchanged")
        func asItIs() async throws {
            let server = try LoopbackServer.accepting()
            let api = TestAPI(server)
            try await api.request(Route(path: "/a", method: .post, body: .text("short")).compressed()).void()
            let coded = Route(
                path: "/a", method: .post, headers: ["Content-Encoding": "br"], body: .data(Data(Self.text.utf8)))
            try await api.request(coded.compressed()).void()
            try await api.request(Route(path: "/a", method: .post, body: .data(Data())).compressed()).void()
            try await api.request(Route(path: "/a").compressed()).void()
            #expect(server.requests.map { $0.headers["Content-Encoding"] } == [nil, "br", nil, nil])
            #expect(server.requests.map(\.body.count) == [5, Self.text.utf8.count, 0, 0])
        }

        @Test("a client compresses the bodies of all routes unless a route opts out")
        func clientDefault() async throws {
            let server = try LoopbackServer.accepting()
            let client = HTTPClient(configuration: .init(compression: .gzip))
            let api = TestAPI(server).with(\.client, client)
            let note = Route(path: "/notes", method: .put, body: .text(Self.text))
            try await api.request(note).void()
            try await api.request(note.compressed(.none)).void()
            #expect(server.requests.map { $0.headers["Content-Encoding"] } == ["gzip", nil])
            #expect(server.requests.last?.text == Self.text)
        }

        @Test(
            "a file is sent again after a redirect, for a retry and with new credentials", arguments: [307, 503, 401])
        func repeatable(status: Int) async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(Data(Self.text.utf8), to: "note.txt")
            let server = try LoopbackServer()
            server.on(
                .put, "/api/notes", .status(status, headers: ["Location": "/api/notes", "WWW-Authenticate": "Bearer"]),
                .status(200))
            let route = Route(path: "/notes", method: .put, body: .file(file)).compressed()
                .retry(.upTo(attempts: 2))
            let api = TestAPI(server).with(\.authentication, Authentication(Renewal(), allowsHTTP: true))
            try await api.request(route).void()
            #expect(server.requests.count == 2)
            for request in server.requests { #expect(try request.body.gunzipped() == Data(Self.text.utf8)) }
        }

        private struct Renewal: Authenticator {
            func authenticate(_ request: inout HTTPRequest) async throws {}
            func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool { true }
        }

        @Test("a stream is compressed and can be sent once")
        func stream() async throws {
            let server = try LoopbackServer()
            server.on(.put, "/api/notes", .status(307, headers: ["Location": "/api/other"]))
            let chunks = Array(repeating: Data("harbour ".utf8), count: 500)
            let route = Route(path: "/notes", method: .put, body: .stream(chunks.async)).compressed()
            let error = await failure { try await TestAPI(server).request(route).void() }
            #expect(error == HTTPError(.bodyConsumed))
            let request = try server.request
            #expect(try request.body.gunzipped() == Data(Self.text.utf8))
            #expect(request.headers["Transfer-Encoding"] == "chunked")
            #expect(request.headers["Content-Length"] == nil)
        }

        @Test("an endless stream is read only as fast as the server accepts it")
        func backpressure() async throws {
            let gate = Gate()
            let server = try ScriptedServer { connection in
                _ = connection.readHead()
                gate.wait()
            }
            defer { gate.open() }
            let (pulled, noise) = (Counter(), Data.noise(64 << 10))
            let chunks = AsyncStream<Data>(unfolding: {
                pulled.increment()
                return noise
            })
            let route = Route(path: "/notes", method: .put, body: .stream(chunks)).compressed()
            let request = TestAPI(baseURL: server.baseURL).request(route).start()
            let count = try await settled { pulled.count }
            // The system's own buffers hold 32 MB and more.
            #expect(count < 2048, "\(count) chunks of 64 KiB")
            request.cancel()
        }

        @Test("interceptors see the bytes that are sent")
        func signedBytes() async throws {
            struct Signing: Interceptor {
                let seen: Log<Data>
                func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
                    seen.add(try await request.body?.data() ?? Data())
                    return try await next.proceed(request)
                }
            }
            let (server, seen) = (try LoopbackServer.accepting(), Log<Data>())
            let api = TestAPI(server).with(\.client, HTTPClient(interceptors: [Signing(seen: seen)]))
            try await api.request(Self.save).void()
            #expect(seen.entries == [try server.request.body])
        }

        @Test("secrets in a compressed body are not sent to another origin")
        func foreignOrigin() async throws {
            let foreign = try LoopbackServer.accepting()
            let server = try LoopbackServer()
                .on(.post, "/api/notes", .status(307, headers: ["Location": "\(foreign.baseURL)/notes"]))
            let error = await failure { try await TestAPI(server).request(Self.save).void() }
            #expect(error == HTTPError(.foreignSecrets("\(foreign.baseURL)")))
            #expect(foreign.requests.isEmpty)
        }

        @Test("logs, errors and curl commands show the body before compression, without secrets")
        func shown() async throws {
            let server = try LoopbackServer()
                .on(.post, "/api/notes", .json(text: #"{"echo":"s3cret-word"}"#, status: 400))
            let api = TestAPI(server)
            let command = try api.prepare(Self.save).curlCommand()
            #expect(command.contains("harbour harbour"))
            #expect(!command.contains("Content-Encoding") && !command.contains("s3cret-word"))
            #expect(try api.prepare(Self.save).curlCommand(showingSecrets: true).contains("s3cret-word"))
            let error = try #require(await failure { try await api.request(Self.save).void() })
            #expect(!"\(error)".contains("s3cret-word"), "\(error)")
        }

        #if os(Linux)
            @Test("the error without zlib says what is missing and how to fix it")
            func missingLibrary() throws {
                let error = try #require(Deflater.problem(ofLoading: "libnone.so.1"))
                #expect(error == HTTPError(.encoding("the body")))
                #expect(error.reason?.hasPrefix("gzip needs zlib, which cannot be loaded: libnone.so.1") == true)
                #expect(error.suggestion?.contains("LinkedCurl") == true)
            }
        #endif
    }
#endif
