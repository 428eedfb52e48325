import Foundation
import HalyardEndpoints
import HalyardTesting
import HalyardTestingTraits
import Testing

// The examples of the article on testing, letter by letter. They are run.

private struct Person: Codable, Sendable { var id: String, name: String }

private struct PeopleAPI: HTTPProvider {
    var baseURL = URL(string: "https://api.example.com/v1")!
    var client = HTTPClient.shared
}

extension Route { fileprivate static let profile = Route(path: "/me") }

private enum People {
    static let find = Endpoint(.get, "/users/{id}", .path("id"), returning: Person.self)
}

@Suite(.timeLimit(.minutes(3)))
private struct TestingArticle {
    @Test func `stubs are chosen by path, condition and endpoint`() async throws {
        let stub = StubTransport()
            .on(.get, "/users/{id}", .json(Person(id: "1", name: "Ann")))
            .on(.get, "/users", where: [.query("page", "2")], .json(text: "[]"))
            .on(
                .post, "/login", times: 1, .status(503, retryAfter: 1),
                .json(["token": "t0k"]))
        let api = PeopleAPI(client: HTTPClient(transport: stub))
        #expect(try await api.send(People.find("9")).name == "Ann")
        #expect(try await api.request(Route(path: "/users", params: ["page": 2])).json() == [])
        stub.on(.profile, .json(Person(id: "1", name: "Ann")))
            .on(People.find, returning: Person(id: "1", name: "Ann"))
            .on(People.find("7"), .status(404))
        await #expect(throws: HTTPError.status(404)) { try await api.send(People.find("7")) }
        stub.on(.put, "/users/{id}", where: [.json("Ann", at: "name")]) { request in
            .json([
                "id": request.pathParameters["id"],
                "name": try request.json()["name"].string,
            ])
        }
        let route = Route(path: "/users/5", method: .put, params: ["name": "Ann"])
        #expect(try await api.request(route).json() == ["id": "5", "name": "Ann"])
    }

    @Test func `stubs answer with problem details and links`() async throws {
        let stub = StubTransport()
            .on(
                .post, "/users",
                .json(
                    ["title": "Invalid", "detail": "The name is taken."], status: 422,
                    headers: ["Content-Type": "application/problem+json"])
            )
            .on(
                .get, "/users",
                .json(
                    [Person(id: "1", name: "Ann")],
                    headers: ["Link": "<?page=2>; rel=next"])
            )
            .on(.get, "/users", where: [.query("page", "2")], .json(text: "[]"))
        let api = PeopleAPI(client: HTTPClient(transport: stub))
        let error = await #expect(throws: HTTPError.self) {
            try await api.request(Route(path: "/users", method: .post)).void()
        }
        #expect(error?.status == 422 && error?.problem?.title == "Invalid")
        #expect(error?.localizedDescription == "The name is taken.")
        var names: [String] = []
        for try await person in api.pages(Route(path: "/users"), by: .link).items(of: Person.self) {
            names.append(person.name)
        }
        #expect(names == ["Ann"])
        #expect(stub.requests.count == 3)
    }

    @Test func `recorded responses are replayed`() async throws {
        // Cassettes/people.har, beside the file of the test
        let cassette = try Cassette("people")
        let api = PeopleAPI(client: HTTPClient(transport: cassette))
        #expect(try await api.send(People.find("1")).name == "Ann")
        #expect(cassette.problems.isEmpty)
    }

    @Test func `a server uses TLS`() async throws {
        do { try await sendOverTLS() } catch let error as TestingError {
            #expect(error.description.contains("OpenSSL 1.1.1 or 3 is needed"))
        } catch HTTPError(.configuration("tls.roots")) {
            // libcurl before 7.77 reads no roots from memory.
        }
    }

    private func sendOverTLS() async throws {
        let server = try LoopbackServer(certificate: .valid)
            .on(.get, "/me", .json(Person(id: "1", name: "Ann")))
        let engine = EngineConfiguration(tls: .init(roots: server.roots))
        let api = PeopleAPI(baseURL: server.baseURL, client: HTTPClient(engine: engine))
        #expect(try await api.request(.profile).object(Person.self).name == "Ann")
    }

    @Test func `a manual clock controls time`() async throws {
        let clock = ManualClock()
        let stub = StubTransport(clock: clock)
            .on(.get, "/me", .status(503, retryAfter: 30), .json(text: "{}"))
        let api = PeopleAPI(client: HTTPClient(transport: stub, clock: clock))
        async let me = api.request(.profile.retry(.upTo(attempts: 2))).json()
        try await clock.advance(by: .seconds(30), waking: 1)
        #expect(try await me == [:])
    }

    @Test func `a stub reports upload progress`() async throws {
        let picture = Data(count: 4000)
        let clock = ManualClock()
        let stub = StubTransport(clock: clock)
            .on(
                .post, "/picture",
                .status(201).reportingUpload(times: 4, every: .seconds(1)))
        let api = PeopleAPI(client: HTTPClient(transport: stub, clock: clock))
        let upload = api.request(
            Route(path: "/picture", method: .post, body: .data(picture)))
        var reports = upload.progress(.upload).makeAsyncIterator()
        async let end: Void = upload.void()
        #expect(await reports.next()?.fraction == 0.25)
        for fraction in [0.5, 0.75, 1] {
            try await clock.advance(by: .seconds(1), waking: 1)
            #expect(await reports.next()?.fraction == fraction)
        }
        try await end
    }

    @Test func `a cancelled task leaves nothing on the clock`() async throws {
        let clock = ManualClock()
        let stub = StubTransport(clock: clock)
            .on(.get, "/me", .json(text: "{}").delayed(by: .seconds(30)))
        let api = PeopleAPI(client: HTTPClient(transport: stub, clock: clock))
        let task = Task { try await api.request(.profile).json() }
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
        let request = api.request(.profile).start()
        try await clock.waitForSleepers()
        request.cancel()
        await #expect(throws: HTTPError.cancelled) { try await request.json() }
    }

    @Test func `requests are verified`() async throws {
        let stub = StubTransport().on(.post, "/login", .text("")).on(.get, "/users/{id}", .text(""))
        let api = PeopleAPI(client: HTTPClient(transport: stub))
        try await api.request(Route(path: "/login", method: .post)).void()
        try await api.request(Route(path: "/users/1")).void()
        try stub.verify()
        try stub.verify(order: ["POST /login", "GET /users/{id}"])
    }

    @Test(.verifyingStubs) func `a user has a name`() async throws {
        let stub = StubTransport()
            .on(.get, "/me", .json(Person(id: "1", name: "Ann")))
        let api = PeopleAPI(client: HTTPClient(transport: stub))
        #expect(try await api.request(.profile).object(Person.self).name == "Ann")
    }
}
