import Foundation
import HalyardAsync
import HalyardFutures
import HalyardTesting

/// The examples, one after another. Each checks its result.
struct Tour {
    func run() async throws {
        let server = try startCatalogue()
        defer { server.stop() }
        let api = MusicAPI(baseURL: server.baseURL.appending(path: "v1"))
        print("A music catalogue answers at \(api.baseURL).\n")

        try await readValues(api)
        try await meetTheAPIsError(api)
        try await callBack(api)
        try await awaitInParallel(api)
        try await upload(api)
        try await download(api)
        try await stub(api)
        print("\nAll of it worked, over \(server.connectionCount) connections.")
    }

    private func readValues(_ api: MusicAPI) async throws {
        let charts = try await api.request(.charts).json()
        let titles = charts["tracks"].array?.compactMap(\.string) ?? []
        try check("JSON", titles == ["Anchors", "Signals"], "\(charts["title"].string ?? "?"): \(titles)")
        let me: User = try await api.request(.me).object()
        try check("An object", me == User(id: "1", name: "Ann"), "\(me)")
        let query = try await api.request(.search("rock & roll")).object([String].self)
        try check("Parameters", query == ["q=rock & roll", "client=quickstart"], "the server read \(query)")
    }

    private func meetTheAPIsError(_ api: MusicAPI) async throws {
        do {
            _ = try await api.request(.track(313)).json()
            try check("An error inside a 200", false, "it was not seen")
        } catch let error as MusicError {
            try check("An error inside a 200", error.code == 800, "\(error)")
        }
    }

    private func callBack(_ api: MusicAPI) async throws {
        let name = await withCheckedContinuation { continuation in
            api.request(.me).responseJSON { continuation.resume(returning: $0.value?["name"].string) }
        }
        try check("A callback", name == "Ann", "on the main actor, with \(name ?? "nothing")")
        let words = try await api.request(.me).future(of: User.self)
            .flatMap { api.request(.user("\($0.id)0")).future(of: User.self) }
            .map { "\($0.name), number \($0.id)" }.value
        try check("A chain of futures", words == "Bo, number 10", words)
    }

    private func awaitInParallel(_ api: MusicAPI) async throws {
        async let first = api.request(.user("1")).object(User.self)
        async let second = api.request(.user("2")).object(User.self)
        let ids = try await [first.id, second.id]
        try check("Awaits in parallel", ids == ["1", "2"], "users \(ids)")
    }

    // Large bodies, which are never in memory as a whole.
    private func upload(_ api: MusicAPI) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "quickstart-\(UUID().uuidString).mp3")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 64 << 20)
        try handle.close()
        let request = api.request(.upload(file)).start()
        var reports = 0
        for await _ in request.progress(.upload) { reports += 1 }
        let bytes = try await request.json()["bytes"].int ?? 0
        try check("A multipart upload", bytes > 64 << 20, "\(bytes) bytes, with \(reports) reports of the progress")
    }

    private func download(_ api: MusicAPI) async throws {
        var bytes = 0
        for try await chunk in api.request(.dump).chunks { bytes += chunk.count }
        try check("A streamed download", bytes == 16 << 20, "\(bytes) bytes")
    }

    private func stub(_ api: MusicAPI) async throws {
        let stub = StubTransport().on(.get, "/v1/me", .json(User(id: "1", name: "Ann the stub")))
        var api = api
        api.client = HTTPClient(transport: stub)
        let me: User = try await api.request(.me).object()
        try check("The same API under a stub", me.name == "Ann the stub", me.name)
    }

    /// Prints the result of a step. Throws an error that ends the program if the result is not the expected one.
    private func check(_ step: String, _ isRight: Bool, _ words: String) throws {
        print("\(isRight ? "ok  " : "FAIL") \(step): \(words)")
        if !isRight { throw WrongStep(description: "\(step): \(words)") }
    }
}

/// The error of a step with an unexpected result.
struct WrongStep: Error, CustomStringConvertible {
    let description: String
}
