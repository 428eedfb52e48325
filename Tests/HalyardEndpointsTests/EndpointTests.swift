import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Part A10 of the acceptance table: endpoints that are declared once, and called with plain values.
@Suite(.timeLimit(.minutes(3)))
struct EndpointTests {
    private let server: LoopbackServer
    private let api: TestAPI

    init() throws {
        server = try LoopbackServer.accepting()
        api = TestAPI(server)
    }

    @Test("an endpoint is declared once and called twice with different values", .behaviors(113), .defects("BR9"))
    func twice() async throws {
        let find = Endpoint(.get, "/users/{id}", .path("id"))
        try await api.send(find("a"))
        try await api.send(find("b"))
        #expect(server.requests.map(\.target) == ["/api/users/a", "/api/users/b"])
    }

    @Test("an endpoint takes all options of a route, for every call")
    func modified() async throws {
        server.on(.get, "/api/users/{id}", .status(503), .json(["id": "1", "name": "Ann"]))
        let find = Endpoint(.get, "/users/{id}", .path("id"), headers: ["X-A": "b"], returning: User.self)
            .retry(.upTo(attempts: 2)).configured { $0.retry?.delay = .milliseconds(1) }
        #expect(try await api.send(find("1")).name == "Ann")
        #expect(server.requests.map { $0.headers["X-A"] } == ["b", "b"])
        #expect(find.description == "GET /users/{id}" && find.declarationError == nil)
    }

    @Test("prepare(_:) returns an endpoint's request and sends nothing", .behaviors(113))
    func prepared() throws {
        let replace = Endpoint(.put, "/users/{id}", .path("id"), .json(User.self))
        let request = try api.prepare(replace("a/b", User(id: "1", name: "Ann")))
        #expect(request.url.absoluteString == "\(api.baseURL)/users/a%2Fb")
        #expect(
            request.curlCommand().hasPrefix("curl -X PUT ")
                && request.curlCommand().contains(#"{"id":"1","name":"Ann"}"#))
        let flawed = Endpoint(.get, "/users/{id}")
        #expect(throws: HTTPError(.invalidPath("/users/{id}"))) { try api.prepare(flawed()) }
        #expect(server.requests.isEmpty)
    }

    @Test(
        "placeholders are filled by name anywhere, each value as one escaped segment", .behaviors(114),
        .defects("BR1"))
    func paths() async throws {
        let both = Endpoint(.get, "whatever/{id}/{id2}/", .path("id2", as: Int.self), .path("id"))
        try await api.send(both(7, "a/b?c{id2}"))
        #expect(try server.wire == "GET /api/whatever/a%2Fb%3Fc%7Bid2%7D/7/ ")
        let error = await failure { try await api.send(both(7, "..")) }
        #expect(error?.kind == .invalidPath("whatever/../7/"))
        #expect(error?.reason == #"the value ".." is not a path segment"#)
        #expect(server.requests.count == 1)
    }

    @Test("queries keep the order of the arguments and decode to the same values", .behaviors(115), .defects("BR4"))
    func queries() async throws {
        let route = Endpoint(.get, "whatever/", .query("name"), .query("last"), .query("n", as: [Int].self))
        try await api.send(route("value", "I wuv zis!=+", [1, 2]))
        #expect(try server.wire == "GET /api/whatever/?name=value&last=I%20wuv%20zis%21%3D%2B&n=1&n=2 ")
        let free = Endpoint(.get, "find?v=1", .queries)
        try await api.send(free(["b": 1, "a": nil, "c": ["x", "y"]]))
        #expect(try server.wire == "GET /api/find?v=1&b=1&c=x&c=y ")
    }

    @Test(
        "a call's header replaces the provider's, the endpoint's and the body's type", .behaviors(116),
        .defects("BR5"))
    func headers() async throws {
        let note = Endpoint(
            .put, "/note", .header("Content-Type"), .header("X-Reason", as: String?.self), .json(User.self),
            headers: ["X-Reason": "none"])
        let api = api.with(\.additionalHeaders, ["X-Reason": "provider"])
        try await api.send(note("application/user+json", nil, User(id: "1", name: "Ann")))
        let first = try #require(server.requests.last)
        #expect(first.headers.values(for: "Content-Type") == ["application/user+json"])
        #expect(first.headers.values(for: "X-Reason") == ["none"])
        try await api.send(note("application/user+json", "late", User(id: "1", name: "Ann")))
        #expect(server.requests.last?.headers.values(for: "X-Reason") == ["late"])
        await #expect(throws: HTTPError(.invalidHeader("X-Reason"))) {
            try await api.send(note("a/b", "x\r\nInjected: 1", User(id: "1", name: "Ann")))
        }
        #expect(server.requests.count == 2)
    }

    @Test("a body can be a model, a list of models or raw bytes", .behaviors(117))
    func bodies() async throws {
        let (ann, bob) = (User(id: "1", name: "Ann"), User(id: "2", name: "Bob"))
        let (one, many) = (Endpoint(.post, "/users", .json(User.self)), Endpoint(.put, "/users", .json([User].self)))
        let (maybe, blob) = (Endpoint(.put, "/users", .json(User?.self)), Endpoint(.put, "/blob", .body(Data.self)))
        let any = Endpoint(.put, "/blob", .body)
        try await api.send(one(ann))
        #expect(try server.wire == #"POST /api/users {"id":"1","name":"Ann"}"#)
        try await api.send(many([ann, bob]))
        #expect(try server.wire == #"PUT /api/users [{"id":"1","name":"Ann"},{"id":"2","name":"Bob"}]"#)
        try await api.send(maybe(nil))
        #expect(try server.wire == "PUT /api/users ")
        try await api.send(blob(Data("bytes".utf8)))
        #expect(try server.wire == "PUT /api/blob bytes")
        #expect(server.requests.last?.headers[.contentType] == "application/octet-stream")
        try await api.send(any(.text("note")))
        #expect(try server.wire == "PUT /api/blob note")
    }

    private struct SignUp {
        struct Address {
            var city: String
            var zip: Int?
        }
        var team: String
        var name: String
        var address: Address
        var picture: Data?
        var referrer: Address?
    }

    private static let address = EndpointArgument.group(
        SignUp.Address.self, .init(\.city, .field("city")), .init(\.zip, .field("zip", as: Int?.self)))

    @Test(
        "argument groups take a struct's properties of every kind, even nested ones", .behaviors(118),
        .defects("BR7", "BR8")
    )
    func groups() async throws {
        let signUp = Endpoint(
            .post, "/users/{team}/",
            .group(
                SignUp.self, .init(\.team, .path("team")), .init(\.name, .field("name")),
                .init(\.address, Self.address), .init(\.picture, .part("picture", as: Data?.self, filename: "p.png")),
                .init(\.referrer, Self.address.optional)),
            .query("dry", as: Bool.self))
        #expect(signUp.declarationError == nil)
        var value = SignUp(team: "asdf", name: "Ann", address: .init(city: "Bergen"))
        try await api.send(signUp(value, true))
        #expect(try server.wire == #"POST /api/users/asdf/?dry=true {"name":"Ann","city":"Bergen"}"#)
        value.picture = Data([1, 2, 3])
        value.referrer = .init(city: "Oslo", zip: 150)
        try await api.send(signUp(value, false))
        let form = try ParsedForm(try #require(server.requests.last))
        #expect(
            form.dispositions == [
                #"name="name""#, #"name="city""#, #"name="picture"; filename="p.png""#, #"name="city""#,
                #"name="zip""#,
            ])
    }

    @Test("nil omits a query, field, part or header, but a path argument is required", .behaviors(119), .defects("BR2"))
    func optionals() async throws {
        let all = Endpoint(
            .put, "/users/{id}", .path("id", as: String?.self), .query("q", as: Int?.self),
            .field("f", as: String?.self), .header("X-H", as: Int?.self))
        try await api.send(all("1", nil, nil, nil))
        let request = try #require(server.requests.last)
        #expect(try server.wire == "PUT /api/users/1 ")
        #expect(request.headers["X-H"] == nil && request.headers[.contentType] == nil)
        let error = await failure { try await api.send(all(nil, 1, "f", 2)) }
        #expect(error?.kind == .invalidPath("/users/{id}"))
        #expect(error?.reason == "the value for {id} is nil")
        #expect(server.requests.count == 1)
    }

    @Test("an endpoint may have neither arguments nor a value", .behaviors(120))
    func void() async throws {
        let ping = Endpoint(.post, "/ping")
        try await api.send(ping())
        try await api.send(ping)
        let nothing: Void = try await api.send(ping())
        #expect(nothing == ())
        #expect(server.requests.map(\.target) == ["/api/ping", "/api/ping", "/api/ping"])
    }

    // Row 121, a subclass's value where the base class was declared, does not apply: the values of a call have the
    // types of the arguments. Row 142 tests a class and its subclass as a body.

    @Test("fields are sent as JSON, form or multipart, as the endpoint chooses", .behaviors(122))
    func outbound() async throws {
        func login(_ encoding: ParameterEncoding?) -> Endpoint<(String, String), Void> {
            Endpoint(.post, "login", .field("user"), .field("word"), params: ["v": 2], encoding: encoding)
        }
        try await api.send(login(nil)("bobby", "a b"))
        #expect(try server.wire == #"POST /api/login?v=2 {"user":"bobby","word":"a b"}"#)
        try await api.send(login(.form)("bobby", "a b"))
        #expect(try server.wire == "POST /api/login?v=2 user=bobby&word=a%20b")
        try await api.send(login(.multipart)("bobby", "a b"))
        let form = try ParsedForm(try #require(server.requests.last))
        #expect(form.texts.suffix(2) == ["bobby", "a b"])
        // Where the provider would encode parameters in the query, fields are still encoded in the body.
        let patch = Endpoint(.patch, "login", .field("user"))
        try await api.send(patch("bobby"))
        #expect(try server.wire == #"PATCH /api/login {"user":"bobby"}"#)
    }
}

/// Part A3: forms of endpoints.
struct EndpointFormTests {
    private func send(_ endpoint: Endpoint<Void, Void>) async throws -> RecordedRequest {
        let server = try LoopbackServer.accepting()
        try await TestAPI(server).send(endpoint)
        return try server.request
    }

    @Test("several parts are sent byte for byte, with their length", .behaviors(50), .defects("BR3"))
    func bytes() async throws {
        let upload = Endpoint(
            .post, "upload", .part("first", filename: "a.txt", contentType: "text/plain"),
            .part("second", as: String.self)
        )
        let request = try await send(upload(Data("one".utf8), "two"))
        let boundary = try #require(request.headers["Content-Type"]?.split(separator: "=").last)
        #expect(
            request.text == """
                --\(boundary)\r\nContent-Disposition: form-data; name="first"; filename="a.txt"\r\n\
                Content-Type: text/plain\r\n\r\none\r\n\
                --\(boundary)\r\nContent-Disposition: form-data; name="second"\r\n\r\ntwo\r\n\
                --\(boundary)--\r\n
                """)
        #expect(request.headers["Content-Length"] == "\(request.body.count)")
    }

    @Test("fields and parts keep the order of the arguments, including files and custom parts", .behaviors(51))
    func order() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("# note", to: "note.md")
        let mixed = Endpoint(
            .post, "upload", .field("name"), .part("file", as: [URL].self), .field("age", as: Int.self),
            .part("any", as: MultipartPart.self), .part("late", as: String.self, contentType: "text/x-late"))
        let form = try await ParsedForm(
            send(mixed("Ann", [file, file], 3, .data(Data("d".utf8), name: "own", filename: "x.bin"), "text")))
        #expect(
            form.dispositions == [
                #"name="name""#, #"name="file"; filename="note.md""#, #"name="file"; filename="note.md""#,
                #"name="age""#, #"name="own"; filename="x.bin""#, #"name="late""#,
            ])
        #expect(form.texts == ["Ann", "# note", "# note", "3", "d", "text"])
        #expect(form.parts.last?.contentType == "text/x-late")
    }

    @Test("an endpoint whose optional parts are all nil sends no body", .behaviors(52))
    func noParts() async throws {
        let upload = Endpoint(.post, "upload", .part("a", as: Data?.self), .part("b", as: URL?.self))
        let request = try await send(upload(nil, nil))
        #expect(request.body.isEmpty)
        #expect(request.headers[.contentType] == nil)
    }
}
