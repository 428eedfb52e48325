import HalyardAsync
import HalyardFutures
import HalyardTesting

// Several requests at once, cancellation, and a stub that replaces the network in tests.
extension Tour {
    func chainFutures(_ api: MusicAPI) async throws {
        let chain = api.request(.me).future(of: User.self)
            .flatMap { api.request(.user("\($0.id)0")).future(of: User.self) }
            .map { "\($0.name), number \($0.id)" }
            .timeout(after: .seconds(10)).recover { _ in "nobody" }
        let words = try await chain.value
        try check("A chain of futures", words == "Bo, number 10", words)
    }

    func awaitInParallel(_ api: MusicAPI) async throws {
        async let first = api.request(.user("1")).object(User.self)
        async let second = api.request(.user("2")).object(User.self)
        let ids = try await [first.id, second.id]
        try check("Awaits in parallel", ids == ["1", "2"], "users \(ids)")
    }

    func cancel(_ api: MusicAPI) async throws {
        let request = api.request(.never)
        let waiting = Task { try await request.data() }
        request.cancel()
        do {
            _ = try await waiting.value
            try check("A cancelled request", false, "it was not cancelled")
        } catch HTTPError.cancelled {
            try check("A cancelled request", true, "its observer received the error")
        }
    }

    func stub(_ api: MusicAPI) async throws {
        let stub = StubTransport().on(.get, "/v1/me", .status(503), .json(User(id: "1", name: "Ann the stub")))
        var api = api
        api.client = HTTPClient(transport: stub)
        do {
            _ = try await api.request(.me).data()
            try check("The same API under a stub", false, "the 503 was not seen")
        } catch HTTPError.status(503) {
            let me: User = try await api.request(.me).object()
            try check("The same API under a stub", me.name == "Ann the stub", "first a 503, then \(me.name)")
        }
    }
}
