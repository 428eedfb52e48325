#if os(Linux)
    import Foundation
    import HalyardAsync
    import HalyardCache
    import HalyardTesting
    import TestSupport
    import Testing

    /// A disk that hangs delays transfers of its own files, and nothing else.
    ///
    /// The disk is `.ci/slow-disk.c`, which replaces system calls. Without it the tests print that they have tested
    /// nothing.
    @Suite(.timeLimit(.minutes(3)), .serialized)
    struct SlowDiskTests {
        private static let folder = ProcessInfo.processInfo.environment["HALYARD_SLOW_DISK"].map { URL(filePath: $0) }

        private func allow(_ name: String) throws {
            let folder = try #require(Self.folder)
            #expect(FileManager.default.createFile(atPath: "\(folder.path).\(name)", contents: nil))
        }

        @Test("the engine completes other requests while a disk hangs")
        func others() async throws {
            guard let folder = Self.folder else { return print("HALYARD_SLOW_DISK is not set: no disk was slow") }
            let body = Data.noise(8 << 20)
            let server = try LoopbackServer().on(.get, "/api/dump", .data(body)).on(.get, "/api/me", .text("me"))
            let api = TestAPI(server).with(\.client, HTTPClient())
            func others() async throws {
                for _ in 0..<20 { #expect(try await api.request(.me).text() == "me") }
            }
            let download = Task {
                try await api.request(Route(path: "/dump")).download(to: folder.appending(path: "dump"))
            }
            try await eventually("the server has sent the head") { server.requests.contains { $0.path == "/api/dump" } }
            try await others()
            try allow("may-open")
            try await others()
            try allow("may-write")
            let file = try await download.value
            #expect(try Data(contentsOf: file).isSame(as: body))
        }

        @Test("the engine completes other requests while discarding a partial download hangs")
        func othersBesideDiscardedBytes() async throws {
            guard let folder = Self.folder else { return print("HALYARD_SLOW_DISK is not set: no disk was slow") }
            for name in ["may-open", "may-write", "may-read", "may-truncate"] { try allow(name) }
            let content = RangedContent(Data.noise(1 << 20), breaks: 300_000)
            let server = try LoopbackServer.giving(content).on(.get, "/api/me", .text("me"))
            let api = TestAPI(server).with(\.client, HTTPClient())
            let target = folder.appending(path: "resumed")
            func download() async -> HTTPError? {
                await failure {
                    _ = try await api.request(Route(path: "/dump")).download(to: target, resuming: true)
                }
            }
            #expect(await download()?.kind == .connectionLost)
            for name in ["may-truncate", "may-truncate.waits"] {
                try? FileManager.default.removeItem(atPath: "\(folder.path).\(name)")
            }
            // The range is not the one that was requested.
            content.change {
                $0.answers = [.data(Data(count: 10), status: 206, headers: ["Content-Range": "bytes 0-9/20"])]
            }
            async let error = download()
            try await eventually("the disk discards the bytes") {
                FileManager.default.fileExists(atPath: "\(folder.path).may-truncate.waits")
            }
            for _ in 0..<20 { #expect(try await api.request(.me).text() == "me") }
            try allow("may-truncate")
            let refused = await error
            #expect(refused?.kind == .invalidResponse && refused?.response?.status == 206)
        }

        @Test(
            "the engine completes other requests while the disk of an upload hangs",
            arguments: [false, true])
        func othersBesideUpload(inParts: Bool) async throws {
            guard let folder = Self.folder else { return print("HALYARD_SLOW_DISK is not set: no disk was slow") }
            let file = folder.appending(path: "upload-\(inParts)")
            let body = Data.noise(3 << 20)
            try allow("may-open")
            try allow("may-write")
            try body.write(to: file)
            let server = try LoopbackServer()
                .on(.get, "/api/me", .text("me")).on(.post, "/api/dump", .text("all of it"))
            let api = TestAPI(server).with(\.client, HTTPClient())
            let multipart = Route(path: "/dump", method: .post, multipart: [.file(file, name: "file")])
            let route = inParts ? multipart : Route(path: "/dump", method: .post, body: .file(file))
            for name in ["may-read", "may-read.waits"] {
                try? FileManager.default.removeItem(atPath: "\(folder.path).\(name)")
            }
            let upload = Task { try await api.request(route).text() }
            try await eventually("the disk is read") {
                FileManager.default.fileExists(atPath: "\(folder.path).may-read.waits")
            }
            for _ in 0..<20 { #expect(try await api.request(.me).text() == "me") }
            try allow("may-read")
            #expect(try await upload.value == "all of it")
            let received = try #require(server.requests.last { $0.path == "/api/dump" }?.body)
            #expect(inParts ? received.range(of: body) != nil : received.isSame(as: body))
        }

        @Test("tasks that do not need a cache run while its disk hangs")
        func othersBesideCache() async throws {
            guard let folder = Self.folder else { return print("HALYARD_SLOW_DISK is not set: no disk was slow") }
            for name in ["may-open", "may-write", "may-read", "may-truncate"] { try allow(name) }
            let cache = try HTTPCache.disk(at: folder.appending(path: "cache"))
            let server = try LoopbackServer()
                .on(.get, "/api/kept", .text("kept", headers: ["Cache-Control": "max-age=600"]))
            let api = TestAPI(server).with(
                \.client, HTTPClient(configuration: .init(policies: [.cache(cache)])))
            _ = try await api.request(Route(path: "/kept")).text()
            await cache.flush()
            for name in ["may-read", "may-read.waits"] {
                try? FileManager.default.removeItem(atPath: "\(folder.path).\(name)")
            }
            // More than the threads of the concurrency pool, all of which would wait for the disk.
            let count = ProcessInfo.processInfo.activeProcessorCount * 2
            let reads = (0..<count).map { _ in Task { try await api.request(Route(path: "/kept")).text() } }
            let isDone = Counter()
            let others = Task {
                for _ in 0..<20 { await Task { isDone.increment() }.value }
            }
            // On a thread of its own, which no task blocks.
            let folderPath = folder.path
            let wasPrompt = Lock(false)
            Thread.detachNewThread {
                for _ in 0..<5000 where isDone.count < 20 || access("\(folderPath).may-read.waits", F_OK) != 0 {
                    usleep(1000)
                }
                wasPrompt.withLock { $0 = isDone.count == 20 }
                _ = FileManager.default.createFile(atPath: "\(folderPath).may-read", contents: nil)
            }
            await others.value
            for read in reads { #expect(try await read.value == "kept") }
            #expect(wasPrompt.withLock { $0 } && server.requests.count == 1)
        }
    }
#endif
