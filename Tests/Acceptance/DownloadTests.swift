import ContractEngines
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Bodies that are downloaded to a file: the complete file in its place, or no file.
@Suite(.timeLimit(.minutes(3)))
struct DownloadTests {
    static let dump = Route(path: "/dump")

    @Test("a download stores the body, creates missing folders and leaves no other file")
    func download() async throws {
        let (folder, content) = (try TemporaryFolder(), Data.noise(3_000_000))
        let server = try LoopbackServer().on(.get, "/api/dump", .data(content))
        let target = folder.file("a/b c/dump.bin")
        let saved = try await TestAPI(server).request(Self.dump).download(to: target)
        #expect(saved == target)
        #expect(try Data(contentsOf: target).isSame(as: content))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("a/b c").path) == ["dump.bin"])
    }

    @Test(
        "a file name sent by the server does not change the file's URL", .faults(59),
        arguments: Engine.wire)
    func namesOfTheServer(engine: Engine) async throws {
        let folder = try TemporaryFolder()
        let headers: HTTPHeaders = ["Content-Disposition": "attachment; filename=\"../../evil.sh\""]
        let server = try LoopbackServer().on(.get, "/api/dump", .text("content", headers: headers))
        let target = folder.file("a/dump.bin")
        #expect(try await TestAPI(server, over: engine).request(Self.dump).download(to: target) == target)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted() == ["a", "a/dump.bin"])
    }

    @Test(
        "a download into a folder stays inside it and replaces no existing file", .faults(59, 60),
        arguments: Engine.wire)
    func download(engine: Engine) async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer().on(
            .get, "/api/x",
            .text("new", headers: ["Content-Disposition": #"attachment; filename="../../a.txt""#]))
        let old = try folder.write("old", to: "a.txt")
        let request = Route(path: "x")
        let second = try await TestAPI(server, over: engine).request(request).download(into: folder.url)
        let third = try await TestAPI(server, over: engine).request(request).download(into: folder.url)
        #expect([second, third].map(\.lastPathComponent) == ["a 2.txt", "a 3.txt"])
        #expect(try String(contentsOf: old, encoding: .utf8) == "old")
        #expect(try String(contentsOf: third, encoding: .utf8) == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 3)
        server.on(.get, "/api/x", .status(404))
        #expect(
            await failure { _ = try await TestAPI(server, over: engine).request(request).download(into: folder.url) }
                == .status(404))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 3)
    }

    @Test("an empty body creates an empty file and replaces an existing one")
    func replaced() async throws {
        let folder = try TemporaryFolder()
        let target = try folder.write("old", to: "dump")
        let server = try LoopbackServer().on(.get, "/api/dump", .status(200))
        _ = try await TestAPI(server).request(Self.dump).download(to: target)
        #expect(try Data(contentsOf: target).isEmpty)
        #expect(try folder.names == ["dump"])
    }

    @Test("a handler receives the file on its queue or the main actor, after the progress reports")
    func handlers() async throws {
        let (folder, content) = (try TemporaryFolder(), Data.noise(1_000_000))
        let server = try LoopbackServer().on(.get, "/api/dump", .data(content))
        let (target, api, log) = (folder.file("dump"), TestAPI(server), Log<String>())
        let first = await response { handler in
            api.request(Self.dump)
                .downloadProgress { if $0.completed == $0.total { log.add("last") } }
                .responseFile(to: target) { response in
                    log.add("file")
                    handler(response)
                }
        }
        #expect(first.value == target)
        #expect(log.entries == ["last", "file"])
        #expect(first.data.isEmpty && first.response?.file == target)
        let second = await response { api.request(Self.dump).responseFile(to: folder.file("2"), on: .global(), $0) }
        #expect(second.value == folder.file("2"))
        #expect(try Data(contentsOf: folder.file("2")).isSame(as: content))
    }

    @Test(
        "a response other than 2xx leaves the file unchanged, and the error contains its body", .faults(60),
        arguments: Engine.wire)
    func refusedByStatus(engine: Engine) async throws {
        let folder = try TemporaryFolder()
        let target = try folder.write("old", to: "dump")
        let server = try LoopbackServer().on(.get, "/api/dump", .text("no such dump", status: 404))
        let error = await failure {
            _ = try await TestAPI(server, over: engine).request(Self.dump).download(to: target)
        }
        #expect(error == HTTPError.status(404))
        #expect(error?.response?.text == "no such dump")
        #expect(try String(contentsOf: target, encoding: .utf8) == "old")
        #expect(try folder.names == ["dump"])
    }

    @Test(
        "a download that validate rejects is removed, even while its error is retained", .faults(60),
        arguments: Engine.wire)
    func refusedByValidate(engine: Engine) async throws {
        let folder = try TemporaryFolder()
        let target = try folder.write("old", to: "dump")
        let server = try LoopbackServer().on(.get, "/api/dump", .text("new"))
        let api = TestAPI(server, over: engine).with(\.onValidate) { response in
            #expect(response.file == target)
            #expect(try String(contentsOf: target, encoding: .utf8) == "old")
            throw HTTPError(.decoding, response: response)
        }
        let request = api.request(Self.dump)
        let response = await response { request.responseFile(to: target, $0) }
        #expect(response.error! == HTTPError.decoding)
        #expect(try String(contentsOf: target, encoding: .utf8) == "old")
        // The error and the request still keep the response.
        #expect(try folder.names == ["dump"])
        withExtendedLifetime((request, response)) {}
    }

    @Test(
        "the old file remains until the download completes, even if the connection breaks", .faults(60),
        arguments: Engine.wire)
    func brokenOff(engine: Engine) async throws {
        let folder = try TemporaryFolder()
        let target = try folder.write("old", to: "dump")
        let (half, gate) = (Data.noise(200_000), Gate())
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n")
            connection.write(half)
            gate.wait()
        }
        let received = Log<Int64>()
        let request = TestAPI(server, over: engine).request(Self.dump)
            .downloadProgress(on: .global()) { received.add($0.completed) }
        let task = Task { try await request.download(to: target) }
        try await eventually("half of it is there") { (received.entries.last ?? 0) > 100_000 }
        #expect(try String(contentsOf: target, encoding: .utf8) == "old")
        // Progress counts received bytes. The file is opened and written on another thread.
        try await eventually("it is being written beside the old file") { try folder.names.count == 2 }
        gate.open()
        let error = await failure { _ = try await task.value }
        #expect(error == HTTPError.connectionLost)
        #expect(try String(contentsOf: target, encoding: .utf8) == "old")
        try await eventually("nothing is left beside it") { try folder.names == ["dump"] }
    }

    @Test("a canceled download leaves no file behind", .faults(60), arguments: Engine.wire)
    func cancelled(engine: Engine) async throws {
        let folder = try TemporaryFolder()
        let target = try folder.write("old", to: "dump")
        let gate = Gate()
        defer { gate.open() }
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n")
            connection.write(Data(count: 200_000))
            gate.wait()
        }
        let request = TestAPI(server, over: engine).request(Self.dump)
        let task = Task { try await request.download(to: target) }
        try await eventually("it has begun") { try folder.names.count == 2 }
        request.cancel()
        await #expect(throws: HTTPError.cancelled) { try await task.value }
        #expect(try String(contentsOf: target, encoding: .utf8) == "old")
        try await eventually("nothing is left beside it") { try folder.names == ["dump"] }
    }

    @Test(
        "a download canceled while validate runs does not replace the file", .faults(60),
        arguments: Engine.wire)
    func cancelledLate(engine: Engine) async throws {
        let (folder, asked, going) = (try TemporaryFolder(), Counter(), Counter())
        let server = try LoopbackServer().on(.get, "/api/dump", .text("new"))
        let api = TestAPI(server, over: engine).with(\.onValidate) { _ in
            asked.increment()
            try await eventually("validate may end") { going.count > 0 }
        }
        let request = api.request(Self.dump)
        let task = Task { try await request.download(to: folder.file("dump")) }
        try await eventually("validate is asked") { asked.count == 1 }
        request.cancel()
        await #expect(throws: HTTPError.cancelled) { try await task.value }
        going.increment()
        try await eventually("nothing is left") { try folder.names == [] }
    }

    @Test(
        "a destination that cannot be written fails with an error that names it", .faults(60),
        arguments: Engine.wire, ["under a file", "folder", "web"])
    func unwritable(engine: Engine, place: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("old", to: "file")
        try FileManager.default.createDirectory(at: folder.file("folder/in"), withIntermediateDirectories: true)
        let target =
            switch place {
            case "under a file": file.appending(path: "x")
            case "folder": folder.file("folder")
            default: try #require(URL(string: "https://example.com/x?token=secret"))
            }
        let server = try LoopbackServer().on(.get, "/api/dump", .text("new"))
        let error = await failure {
            _ = try await TestAPI(server, over: engine).request(Self.dump).download(to: target)
        }
        #expect(error == HTTPError(.unwritableFile(place == "web" ? "https://example.com/x" : target.path)))
        #expect(error?.reason != nil && error?.request != nil)
        #expect(place != "folder" || error?.suggestion?.contains("Name a file in the folder") == true)
        #expect(try folder.names == ["file", "folder"])
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
    }

    @Test("the first observer decides where the body goes; later ones get a copy or a clear error")
    func laterReaders() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer().on(.get, "/api/dump", .text("content"))
        let inMemory = TestAPI(server).request(Self.dump)
        #expect(try await inMemory.text() == "content")
        _ = try await inMemory.download(to: folder.file("late"))
        #expect(try String(contentsOf: folder.file("late"), encoding: .utf8) == "content")

        let inFile = TestAPI(server).request(Self.dump)
        _ = try await inFile.download(to: folder.file("first"))
        await #expect(throws: HTTPError(.bodyConsumed)) { try await inFile.data() }
        try await inFile.void()
        #expect(server.requests.count == 2)
        #expect(try folder.names == ["first", "late"])
    }
}
