#if os(Linux)
    import Foundation
    import HalyardAsync
    import HalyardTesting
    import TestSupport
    import Testing

    /// A disk that hangs holds up the downloads to it, and nothing else.
    ///
    /// `.ci/slow-disk.c` stands before the system's calls then. Without it the test says that it tried nothing.
    @Suite(.timeLimit(.minutes(3)), .serialized)
    struct SlowDiskTests {
        private static let folder = ProcessInfo.processInfo.environment["HALYARD_SLOW_DISK"].map { URL(filePath: $0) }

        private func allow(_ name: String) throws {
            let folder = try #require(Self.folder)
            #expect(FileManager.default.createFile(atPath: "\(folder.path).\(name)", contents: nil))
        }

        @Test("while a disk hangs, other requests of the engine are answered")
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
    }
#endif
