import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// What of a user's own text, and what of known credentials, a 307 sends to another origin.
@Suite(.timeLimit(.minutes(3)))
struct ForeignBodyTests {
    private let home, foreign: LoopbackServer

    init() throws {
        foreign = try LoopbackServer.accepting()
        home = try LoopbackServer()
        for method in [HTTPMethod.get, .post] {
            home.on(method, "/x", .status(307, headers: ["Location": "\(foreign.baseURL)/y"]))
        }
    }

    private var api: TestAPI { TestAPI(home, "") }

    private func route(_ text: String, _ type: String?) -> Route {
        Route(path: "/x", method: .post, body: .data(Data(text.utf8), contentType: type ?? "application/json"))
    }

    @Test(
        "user text that looks like a secret is sent",
        arguments: [
            (#"{"pin":"map marker"}"#, "application/json"), (#"{"session":"morning"}"#, "application/json"),
            (#"{"token":"word","note":"password: later"}"#, "application/json"), ("session: 12", "text/plain"),
            (#"{"query":"mutation { login(password: $word) { token } }"}"#, "application/json"),
            (#"{"password":null,"access_token":true,"client_secret":""}"#, "application/json"),
            (#"[{"name":"pin","value":"blue"}]"#, "application/vnd.api+json"), ("password=blue", "text/plain"),
            ("session=12&pin=map&note=password%3Dblue", "application/x-www-form-urlencoded"),
            ("<session>12</session><password>x</password>", "application/xml"),
            (#""password: blue""#, "application/json"),
            (#"{"properties":{"password":{"type":"string"}}}"#, "application/schema+json"),
            (
                "--b\r\nContent-Disposition: form-data; name=\"pin\"\r\n\r\nblue\r\n--b--\r\n",
                "multipart/form-data; boundary=b"
            ),
        ])
    func words(body: String, type: String) async throws {
        try await api.request(route(body, type)).void()
        #expect(foreign.requests.map(\.text) == [body])
    }

    @Test(
        "an obvious credential is not sent, and the error names it and the remedy",
        arguments: [
            (#"{"user":{"password":"s3cret"}}"#, "application/json", "user[password]"),
            (#"{"clientSecret":"s3cret"}"#, "application/json", "clientSecret"),
            (#"[{"refresh_token":7}]"#, "application/json", "refresh_token"),
            ("a=1&access_token=s3cret", "application/x-www-form-urlencoded", "access_token"),
            ("a=1#&user%5Bpassword%5D=s3cret", "application/x-www-form-urlencoded", "user[password]"),
            (
                "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cret\r\n--b--\r\n",
                "multipart/form-data; boundary=b", "password"
            ),
        ])
    func named(body: String, type: String, name: String) async throws {
        let error = await failure { try await api.request(route(body, type)).void() }
        #expect(error?.kind == .foreignSecrets("\(foreign.baseURL)"))
        #expect(error?.reason?.contains("\"\(name)\"") == true, "\(String(describing: error))")
        #expect(error?.suggestion?.contains("allowsForeignSecrets") == true)
        #expect(foreign.requests.isEmpty && error.map { !"\($0)".contains("s3cret") } == true)
    }

    @Test("the policy can allow a user's credential in a body, but never one added by the provider")
    func allowed() async throws {
        let body = #"{"password":"blue"}"#
        let policy = RedirectPolicy.follow(allowsForeignSecrets: true)
        try await api.request(route(body, nil).redirects(policy)).void()
        #expect(foreign.requests.map(\.text) == [body])
        let keyed = api.with(\.additionalParams, ["password": "k3y-of-the-provider"])
        let route = Route(path: "/x", method: .post, params: ["a": 1], encoding: .json).redirects(policy)
        let error = await failure { try await keyed.request(route).void() }
        #expect(error?.kind == .foreignSecrets("\(foreign.baseURL)") && foreign.requests.count == 1)
    }

    @Test("names declared by the provider decide in every place")
    func declared() async throws {
        struct API: HTTPProvider {
            let baseURL: URL
            let secretNames = ["pin"]
        }
        let api = API(baseURL: home.baseURL)
        home.on(.get, "/x", .status(302, headers: ["Location": "\(foreign.baseURL)/y?pin=7&a=1"]))
        try await api.request(Route(path: "/x", params: ["pin": 7, "a": 1], headers: ["Pin": "7", "A": "1"])).void()
        let request = try foreign.request
        #expect(request.target == "/y?a=1" && !request.headers.contains("Pin") && request.headers["A"] == "1")
        let error = await failure { try await api.request(route(#"{"user":{"pin":7}}"#, nil)).void() }
        #expect(error?.reason?.contains("\"user[pin]\"") == true, "\(String(describing: error))")
    }

    @Test(
        "a provider parameter that is an API key is not sent in a body, whatever its encoding",
        arguments: [ParameterEncoding.json, .form, .multipart])
    func ofProvider(encoding: ParameterEncoding) async throws {
        let api = api.with(\.additionalParams, ["api_key": "k3y-of-the-provider", "format": "short"])
        let route = Route(path: "/x", method: .post, params: ["note": "hello"], encoding: encoding)
        let error = await failure { try await api.request(route).void() }
        #expect(error?.kind == .foreignSecrets("\(foreign.baseURL)"))
        #expect(error?.reason?.contains("\"api_key\"") == true, "\(String(describing: error))")
        let plain = api.with(\.additionalParams, ["format": "short"])
        try await plain.request(route).void()
        #expect(foreign.requests.count == 1 && foreign.requests[0].text.contains("short"))
    }

    private struct Keyed: Authenticator {
        let isInPath: Bool
        func authenticate(_ request: inout HTTPRequest) throws {
            let text = "\(request.url)"
            try request.setURL(#require(URL(string: isInPath ? text + "/k3y" : text + "?word=k3y")))
        }
        func recover(from response: HTTPResponse, to request: HTTPRequest) -> Bool { false }
    }

    @Test("what an authenticator added is not sent where a Location repeats it")
    func repeated() async throws {
        home.on(.get, "/k", .status(302, headers: ["Location": "\(foreign.baseURL)/y?word=k3y&session=12"]))
        home.on(.get, "/k/k3y", .status(302, headers: ["Location": "\(foreign.baseURL)/k/k3y"]))
        let query = api.with(\.authentication, Authentication(Keyed(isInPath: false)))
        try await query.request(Route(path: "/k")).void()
        #expect(foreign.requests.map(\.target) == ["/y?session=12"])
        let path = api.with(\.authentication, Authentication(Keyed(isInPath: true)))
        let error = await failure { try await path.request(Route(path: "/k")).void() }
        #expect(error?.kind == .foreignSecrets("\(foreign.baseURL)") && error?.reason?.contains("path") == true)
        #expect(foreign.requests.count == 1)
    }

    @Test("a user's headers and query are sent, except for credentials")
    func fields() async throws {
        home.on(
            .get, "/q", .status(302, headers: ["Location": "\(foreign.baseURL)/y?session=12&pin=map&password=s3cret"]))
        let route = Route(
            path: "/q", params: ["session": 12, "pin": "map", "password": "s3cret"],
            headers: ["X-Session": "morning", "X-Pin": "map", "X-Api-Key": "s3cret", "Cookie": "s3cret"])
        try await api.request(route).void()
        let request = try foreign.request
        #expect(request.target == "/y?session=12&pin=map")
        #expect(request.headers["X-Session"] == "morning" && request.headers["X-Pin"] == "map")
        #expect(!request.headers.contains("X-Api-Key") && !request.headers.contains("Cookie"))
    }
}
