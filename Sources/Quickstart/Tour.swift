import Foundation
import HalyardAsync
import HalyardTesting

/// The examples, one after another. Each checks its result.
struct Tour {
    func run() async throws {
        let server = try startCatalogue()
        defer { server.stop() }
        let api = MusicAPI(baseURL: server.baseURL.appending(path: "v1"))
        print("A music catalogue answers at \(api.baseURL).\n")

        try await readJSON(api)
        try await readObject(api)
        try await sendParameters(api)
        try await meetTheAPIsError(api)
        try await stopAtSignOut(api)
        try await callBack(api)
        try await chainFutures(api)
        try await awaitInParallel(api)
        try await upload(api)
        try await download(api)
        try await cancel(api)
        try await stub(api)
        print("\nAll of it worked, over \(server.connectionCount) connections.")
    }

    private func readJSON(_ api: MusicAPI) async throws {
        let charts = try await api.request(.charts).json()
        let titles = charts["tracks"].array?.compactMap(\.string) ?? []
        try check("JSON", titles == ["Anchors", "Signals"], "\(charts["title"].string ?? "?"): \(titles)")
    }

    private func readObject(_ api: MusicAPI) async throws {
        let me: User = try await api.request(.me).object()
        try check("An object", me == User(id: "1", name: "Ann"), "\(me)")
    }

    private func sendParameters(_ api: MusicAPI) async throws {
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

    private func stopAtSignOut(_ api: MusicAPI) async throws {
        do {
            _ = try await api.request(.account).data()
            try check("A 401", false, "it was not seen")
        } catch HTTPError(.stopped) {
            let isSignedOut = await !api.session.isSignedIn
            try check("A 401", isSignedOut, "shouldContinue signed the user out and stopped the request")
        }
    }

    private func callBack(_ api: MusicAPI) async throws {
        let name = await withCheckedContinuation { continuation in
            api.request(.me).responseJSON { continuation.resume(returning: $0.value?["name"].string) }
        }
        try check("A callback", name == "Ann", "on the main actor, with \(name ?? "nothing")")
    }
}

/// The error of a step with an unexpected result.
struct WrongStep: Error, CustomStringConvertible {
    let description: String
}

extension Tour {
    /// Prints the result of a step. Throws an error that ends the program if the result is not the expected one.
    func check(_ step: String, _ isRight: Bool, _ words: String) throws {
        print("\(isRight ? "ok  " : "FAIL") \(step): \(words)")
        if !isRight { throw WrongStep(description: "\(step): \(words)") }
    }
}
